// A CUTLASS mainloop whose A is an image that TMA reads window by window (im2col): rows are pixels of the result, K runs
// over the taps of the filter and, within each, over channels in whole tiles. All else, schedules and schedulers,
// epilogue and filters, is that of a product of matrices.
#ifndef UC_IM2COL_CUH
#define UC_IM2COL_CUH
#include <cuda.h>
#include <stdint.h>

#include "cute/tensor.hpp"
#include "cutlass/gemm/collective/collective_mma.hpp"
#include "uc_im2col_shape.h"

template <class Plain, bool Volume, bool Transposed>
struct uc_im2col_mainloop : Plain {
  using Base = Plain;
  using typename Base::MainloopPipeline;
  using typename Base::PipelineState;
  using typename Base::TensorStorage;
  using Element = typename Base::ElementA;
  static constexpr int kRank = Volume ? 3 : 2;
  using Walk = uc_im2col_walk<kRank, Transposed>;
  static constexpr int kRows = cute::size<0>(typename Base::TileShape{});
  static constexpr int kDepth = cute::size<2>(typename Base::TileShape{});
  static_assert(kDepth * sizeof(Element) == 128, "a row of the tile is one line of 128 bytes");
  static_assert(cute::size<1>(typename Base::DispatchPolicy::ClusterShape{}) == 1, "A is not multicast");

  struct Arguments : Base::Arguments {
    uc_im2col_image image;
  };
  struct Params : Base::Params {
    alignas(64) CUtensorMap map;
    Walk walk;
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem const& problem, Arguments const& args, void* workspace) {
    // Base describes A too: it is told of the filters, and nothing is read through that.
    typename Base::Arguments plain = args;
    plain.ptr_A = reinterpret_cast<decltype(plain.ptr_A)>(plain.ptr_B);
    plain.dA = plain.dB;
    // Filters are the same for all classes, and have all taps.
    uck_conv const& conv = args.image.conv;
    int k = int(conv.channels);
    for (uck_window const& window : conv.window) k *= window.filter;
    auto whole = cute::make_shape(cute::get<0>(problem), cute::get<1>(problem), k, 1);
    Params out{Base::to_underlying_arguments(whole, plain, workspace)};
    out.walk = Walk::of(conv, kDepth);
    describe(args.image, out.map);
    return out;
  }

  CUTLASS_DEVICE static void prefetch_tma_descriptors(Params const& params) {
    cute::prefetch_tma_descriptor(reinterpret_cast<cute::TmaDescriptor const*>(&params.map));
    cute::prefetch_tma_descriptor(params.tma_load_b.get_tma_descriptor());
  }

  template <class TensorA, class TensorB, class KTiles, class Block>
  CUTLASS_DEVICE void load(Params const& params, MainloopPipeline pipeline, PipelineState write,
                           cute::tuple<TensorA, TensorB> const& inputs, Block const& block, KTiles k_tiles, int count,
                           int, uint32_t rank, TensorStorage& shared) {
    using namespace cute;
    if (!elect_one_sync()) return;
    using Cluster = typename Base::DispatchPolicy::ClusterShape;
    const uint32_t place = rank % uint32_t(size<0>(Cluster{}));
    const auto [m, n, k, l] = block;
    auto filters = params.tma_load_b.get_slice(place);
    Tensor shared_b = make_tensor(make_smem_ptr(shared.smem_B.data()), typename Base::SmemLayoutB{});
    Tensor from = filters.partition_S(get<1>(inputs)(_, _, n, _, 0));
    Tensor into = filters.partition_D(shared_b);
    uint16_t others = 0;  // blocks of the cluster that share the filters
    if constexpr (is_same_v<typename Base::GmemTiledCopyB, SM90_TMA_LOAD_MULTICAST>)
      others = uint16_t((1u << uint32_t(size<0>(Cluster{}))) - 1);

    const auto start = params.walk.start(int(m) * kRows);
    const auto taps = params.walk.class_of(int(l));
    CUTLASS_PRAGMA_NO_UNROLL
    for (; count > 0; --count) {
      pipeline.producer_acquire(write);
      auto* barrier = pipeline.producer_get_barrier(write);
      const int stage = write.index();
      const auto tap = params.walk.tap(taps, int(*k_tiles));
      image_tile(params, start, tap, reinterpret_cast<uint64_t*>(barrier),
                 shared.smem_A.data() + stage * (kRows * kDepth));
      copy(params.tma_load_b.with(*barrier, others), from(_, _, _, tap.filter), into(_, _, _, stage));
      ++k_tiles;
      ++write;
    }
  }

 private:
  static CUTLASS_DEVICE void image_tile(Params const& params, typename Walk::Start const& start,
                                        typename Walk::Tap const& tap, uint64_t* barrier, void* into) {
    if constexpr (Volume) {
      cute::SM90_TMA_LOAD_IM2COL_5D::copy(&params.map, barrier, into, tap.channel, start.at[2], start.at[1], start.at[0],
                                          start.image, tap.offset[2], tap.offset[1], tap.offset[0]);
    } else {
      cute::SM90_TMA_LOAD_IM2COL_4D::copy(&params.map, barrier, into, tap.channel, start.at[1], start.at[0], start.image,
                                          tap.offset[1], tap.offset[0]);
    }
  }

  static void describe(uc_im2col_image const& image, CUtensorMap& map) {
    const auto box = uc_im2col_box_of<kRank>(image, int(sizeof(Element)), Transposed);
    const CUtensorMapDataType type = std::is_same<Element, cutlass::half_t>::value ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : std::is_same<Element, cutlass::bfloat16_t>::value
                                         ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    cuTensorMapEncodeIm2col(&map, type, kRank + 2, const_cast<void*>(image.data), box.shape, box.stride, box.lower,
                            box.upper, kDepth, kRows, box.step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                            CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
};

template <class Plain>
using uc_im2col_images = uc_im2col_mainloop<Plain, false, false>;
template <class Plain>
using uc_im2col_volumes = uc_im2col_mainloop<Plain, true, false>;
template <class Plain>
using uc_im2col_transposed_images = uc_im2col_mainloop<Plain, false, true>;
template <class Plain>
using uc_im2col_transposed_volumes = uc_im2col_mainloop<Plain, true, true>;
#endif
