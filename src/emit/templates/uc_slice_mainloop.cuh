// A CUTLASS mainloop over one of several slices of K: slices are counted as matrices of the batch, [L, slices], and operands
// are read where they lie. Beyond K tensor memory access reads zeros, so that the last slice may be longer than what is left.
#ifndef UC_SLICE_MAINLOOP_CUH
#define UC_SLICE_MAINLOOP_CUH
#include "cute/tensor.hpp"

// Counts tiles of K.
struct uc_slice_iterator {
  int tile;
  CUTLASS_DEVICE int operator*() const { return tile; }
  CUTLASS_DEVICE uc_slice_iterator& operator++() {
    ++tile;
    return *this;
  }
};

template <class Whole>
struct uc_slice_mainloop : Whole {
  // Of the whole product: K, matrices; slices of one, and tiles of a slice.
  struct Arguments : Whole::Arguments {
    int k = 0, batch = 1, slices = 1, tiles = 0;
  };
  struct Params : Whole::Params {
    int slices, tiles;
  };

  template <class Problem>
  static constexpr Params to_underlying_arguments(const Problem& problem, const Arguments& args, void* workspace) {
    const auto whole = cute::make_shape(cute::get<0>(problem), cute::get<1>(problem), args.k, args.batch);
    return {Whole::to_underlying_arguments(whole, args, workspace), args.slices, args.tiles};
  }

  template <class Inputs, class Block, class KTiles, class... Rest>
  CUTLASS_DEVICE void load(const Params& params, typename Whole::MainloopPipeline pipeline,
                           typename Whole::PipelineState write, const Inputs& inputs, const Block& block, KTiles k_tiles,
                           Rest&&... rest) {
    const int matrix = int(cute::get<3>(block)), batch = matrix / params.slices;
    const uc_slice_iterator first{int(*k_tiles) + (matrix - batch * params.slices) * params.tiles};
    Whole::load(params, pipeline, write, inputs, cute::replace<3>(block, batch), first,
                static_cast<Rest&&>(rest)...);
  }
};
#endif
