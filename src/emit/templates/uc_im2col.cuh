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

template <class Plain, bool Volume>
struct uc_im2col_mainloop : Plain {
  using Base = Plain;
  using typename Base::MainloopPipeline;
  using typename Base::PipelineState;
  using typename Base::TensorStorage;
  using Element = typename Base::ElementA;
  static constexpr int kRank = Volume ? 3 : 2;
  static constexpr int kRows = cute::size<0>(typename Base::TileShape{});
  static constexpr int kDepth = cute::size<2>(typename Base::TileShape{});
  static_assert(kDepth * sizeof(Element) == 128, "a row of the tile is one line of 128 bytes");
  static_assert(cute::size<1>(typename Base::DispatchPolicy::ClusterShape{}) == 1, "A is not multicast");

  struct Arguments : Base::Arguments {
    uc_im2col_image image;
  };
  struct Params : Base::Params {
    alignas(64) CUtensorMap map;
    uc_im2col_walk<kRank> walk;
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem const& problem, Arguments const& args, void* workspace) {
    // Base describes A too: it is told of the filters, and nothing is read through that.
    typename Base::Arguments plain = args;
    plain.ptr_A = reinterpret_cast<decltype(plain.ptr_A)>(plain.ptr_B);
    plain.dA = plain.dB;
    Params out{Base::to_underlying_arguments(problem, plain, workspace)};
    out.walk = uc_im2col_walk<kRank>::of(args.image.conv, kDepth);
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
    Tensor from = filters.partition_S(get<1>(inputs)(_, _, n, _, l));
    Tensor into = filters.partition_D(shared_b);
    uint16_t others = 0;  // blocks of the cluster that share the filters
    if constexpr (is_same_v<typename Base::GmemTiledCopyB, SM90_TMA_LOAD_MULTICAST>)
      others = uint16_t((1u << uint32_t(size<0>(Cluster{}))) - 1);

    const auto start = params.walk.start(int(m) * kRows);
    CUTLASS_PRAGMA_NO_UNROLL
    for (; count > 0; --count) {
      pipeline.producer_acquire(write);
      auto* barrier = pipeline.producer_get_barrier(write);
      const int stage = write.index();
      image_tile(params, start, int(*k_tiles), reinterpret_cast<uint64_t*>(barrier),
                 shared.smem_A.data() + stage * (kRows * kDepth));
      copy(params.tma_load_b.with(*barrier, others), from(_, _, _, *k_tiles), into(_, _, _, stage));
      ++k_tiles;
      ++write;
    }
  }

 private:
  static CUTLASS_DEVICE void image_tile(Params const& params, typename uc_im2col_walk<kRank>::Start const& start,
                                        int k_tile, uint64_t* barrier, void* into) {
    const auto tap = params.walk.tap(k_tile);
    if constexpr (Volume) {
      cute::SM90_TMA_LOAD_IM2COL_5D::copy(&params.map, barrier, into, tap.channel, start.at[2], start.at[1], start.at[0],
                                          start.image, tap.offset[2], tap.offset[1], tap.offset[0]);
    } else {
      cute::SM90_TMA_LOAD_IM2COL_4D::copy(&params.map, barrier, into, tap.channel, start.at[1], start.at[0], start.image,
                                          tap.offset[1], tap.offset[0]);
    }
  }

  static void describe(uc_im2col_image const& image, CUtensorMap& map) {
    const auto box = uc_im2col_box_of<kRank>(image, int(sizeof(Element)));
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
using uc_im2col_images = uc_im2col_mainloop<Plain, false>;
template <class Plain>
using uc_im2col_volumes = uc_im2col_mainloop<Plain, true>;
#endif
