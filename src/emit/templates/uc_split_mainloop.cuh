// A CUTLASS mainloop over operands that are stored as two halves along K, [high low]: three products in the order low x
// high, high x low, high x high, K counted three times as long. Each stretch of the sum is added to a second set of
// registers with f32's rounding (promoted), since the tensor core's own additions truncate.
#ifndef UC_SPLIT_MAINLOOP_CUH
#define UC_SPLIT_MAINLOOP_CUH
#include "cute/tensor.hpp"
#include "cutlass/gemm/collective/collective_mma.hpp"
#include "cutlass/gemm/dispatch_policy.hpp"

// The same mainloop in the form that promotes, which the builder keeps for FP8.
template <class Mainloop>
struct uc_promoted;
template <int kStages, class Cluster, class Schedule, class... Rest>
struct uc_promoted<cutlass::gemm::collective::CollectiveMma<
    cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<kStages, Cluster, Schedule>, Rest...>> {
  using type = cutlass::gemm::collective::CollectiveMma<
      cutlass::gemm::MainloopSm90TmaGmmaWarpSpecializedFP8<kStages, Cluster, Schedule>, Rest...>;
};

// Walks over the tiles of the three products: (tile, (half of A, half of B)).
struct uc_split_iterator {
  int tile, product, tiles;
  CUTLASS_DEVICE auto operator*() const {
    return cute::make_coord(tile, cute::make_coord(product == 0 ? 1 : 0, product == 1 ? 1 : 0));
  }
  CUTLASS_DEVICE uc_split_iterator& operator++() {
    if (++tile == tiles) {
      tile = 0;
      ++product;
    }
    return *this;
  }
};

template <class Plain>
struct uc_split_mainloop : uc_promoted<Plain>::type {
  using Base = typename uc_promoted<Plain>::type;
  using typename Base::Arguments;
  using typename Base::MainloopPipeline;
  using typename Base::Params;
  using typename Base::PipelineState;
  using typename Base::TensorStorage;

  template <class Problem>
  static constexpr Params to_underlying_arguments(const Problem& problem, const Arguments& args, void* workspace) {
    const auto [m, n, k, l] = problem;
    return Base::to_underlying_arguments(cute::make_shape(m, n, k / 3 * 2, l), args, workspace);
  }

  template <class TensorA, class TensorB, class KTiles, class Block>
  CUTLASS_DEVICE void load(const Params& params, MainloopPipeline pipeline, PipelineState write,
                           const cute::tuple<TensorA, TensorB>& inputs, const Block& block, KTiles k_tiles, int count,
                           int thread, uint32_t rank, TensorStorage& shared) {
    const auto& a = cute::get<0>(inputs);
    const auto& b = cute::get<1>(inputs);
    const int tiles = int(cute::size<3>(a)) / 3;
    const int first = int(*k_tiles);
    const auto k_a = cute::stride<3>(a);
    const auto k_b = cute::stride<3>(b);
    const auto shape = cute::make_shape(tiles, cute::make_shape(2, 2));
    const auto halves_a = halves(a, shape, cute::make_stride(k_a, cute::make_stride(k_a * tiles, k_a * 0)));
    const auto halves_b = halves(b, shape, cute::make_stride(k_b, cute::make_stride(k_b * 0, k_b * tiles)));
    Base::load(params, pipeline, write, cute::make_tuple(halves_a, halves_b), block,
               uc_split_iterator{first % tiles, first / tiles, tiles}, count, thread, rank, shared);
  }

  template <class Accumulators>
  CUTLASS_DEVICE void mma(MainloopPipeline pipeline, PipelineState read, Accumulators& accumulators, int count,
                          int thread, TensorStorage& shared, const Params& params) {
    cute::clear(accumulators);  // promotion adds to what is there
    Base::mma(pipeline, read, accumulators, count, thread, shared, params);
  }

 private:
  template <class Tensor, class Shape, class Stride>
  static CUTLASS_DEVICE auto halves(const Tensor& tensor, const Shape& shape, const Stride& stride) {
    return cute::make_tensor(tensor.data(), cute::make_layout(cute::replace<3>(tensor.shape(), shape),
                                                              cute::replace<3>(tensor.stride(), stride)));
  }
};
#endif
