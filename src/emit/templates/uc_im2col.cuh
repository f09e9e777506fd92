// A CUTLASS mainloop whose A is an image that TMA reads window by window (im2col): rows are pixels of the result, K runs
// over the taps of the filter and, within each, over channels in whole tiles. All else, schedules and schedulers,
// epilogue and filters, is that of a product of matrices.
#ifndef UC_IM2COL_CUH
#define UC_IM2COL_CUH
#include <cuda.h>

#include "cute/tensor.hpp"
#include "cutlass/gemm/collective/collective_mma.hpp"
#include "uc_conv_shape.h"

// Sizes and memory of the image; the last two (Volume: three) dimensions of a uck_conv.
struct uc_im2col_image {
  void const* data;
  int64_t stride[5];  // image, three dimensions, channel; elements
  uck_conv conv;
};

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
    uc_divider results[kRank];          // extents of the result
    uc_divider depth, taps[kRank];      // tiles of K in a tap; taps[0] is not used
    int stride[kRank], padding[kRank], dilation[kRank];
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem const& problem, Arguments const& args, void* workspace) {
    // Base describes A too: it is told of the filters, and nothing is read through that.
    typename Base::Arguments plain = args;
    plain.ptr_A = reinterpret_cast<decltype(plain.ptr_A)>(plain.ptr_B);
    plain.dA = plain.dB;
    Params out{Base::to_underlying_arguments(problem, plain, workspace)};
    uck_conv const& c = args.image.conv;
    for (int d = 0; d < kRank; ++d) {
      uck_window const& window = c.window[3 - kRank + d];
      out.results[d] = uc_divider::of(window.out);
      out.taps[d] = uc_divider::of(window.filter);
      out.stride[d] = window.stride;
      out.padding[d] = window.padding;
      out.dilation[d] = window.dilation;
    }
    out.depth = uc_divider::of(int(c.channels / kDepth));
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

    const Start start = start_of(params, int(m) * kRows);
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
  struct Start {
    int image, at[kRank];
  };
  static CUTLASS_DEVICE Start start_of(Params const& params, int pixel) {
    Start out;
    CUTLASS_PRAGMA_UNROLL
    for (int d = kRank - 1; d >= 0; --d) {
      const int next = params.results[d].divide(pixel);
      out.at[d] = (pixel - next * params.results[d].divisor) * params.stride[d] - params.padding[d];
      pixel = next;
    }
    out.image = pixel;
    return out;
  }

  static CUTLASS_DEVICE void image_tile(Params const& params, Start const& start, int k_tile, uint64_t* barrier,
                                        void* into) {
    int rest = params.depth.divide(k_tile);
    const int channel = (k_tile - rest * params.depth.divisor) * kDepth;
    uint16_t offset[kRank];
    CUTLASS_PRAGMA_UNROLL
    for (int d = kRank - 1; d >= 0; --d) {
      const int next = d == 0 ? 0 : params.taps[d].divide(rest);
      offset[d] = uint16_t((rest - next * params.taps[d].divisor) * params.dilation[d]);
      rest = next;
    }
    if constexpr (Volume) {
      cute::SM90_TMA_LOAD_IM2COL_5D::copy(&params.map, barrier, into, channel, start.at[2], start.at[1], start.at[0],
                                          start.image, offset[2], offset[1], offset[0]);
    } else {
      cute::SM90_TMA_LOAD_IM2COL_4D::copy(&params.map, barrier, into, channel, start.at[1], start.at[0], start.image,
                                          offset[1], offset[0]);
    }
  }

  // Dimensions from the fastest on: channels, the image's from the last, images.
  static void describe(uc_im2col_image const& image, CUtensorMap& map) {
    uck_conv const& c = image.conv;
    cuuint64_t shape[5] = {cuuint64_t(c.channels * c.groups)}, stride[4];
    cuuint32_t step[5] = {1, 1, 1, 1, 1};
    int lower[3], upper[3];
    for (int i = 0; i < kRank; ++i) {
      uck_window const& window = c.window[2 - i];
      shape[1 + i] = cuuint64_t(window.in);
      stride[i] = cuuint64_t(image.stride[3 - i]) * sizeof(Element);
      step[1 + i] = cuuint32_t(window.stride);
      lower[i] = -window.padding;
      // Windows begin at (out - 1) * stride - padding at most; counted from the last element.
      upper[i] = (window.out - 1) * window.stride - window.padding - (window.in - 1);
    }
    shape[1 + kRank] = cuuint64_t(c.images);
    stride[kRank] = cuuint64_t(image.stride[0]) * sizeof(Element);
    const CUtensorMapDataType type = std::is_same<Element, cutlass::half_t>::value ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : std::is_same<Element, cutlass::bfloat16_t>::value
                                         ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    cuTensorMapEncodeIm2col(&map, type, kRank + 2, const_cast<void*>(image.data), shape, stride, lower, upper, kDepth,
                            kRows, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
};

template <class Plain>
using uc_im2col_images = uc_im2col_mainloop<Plain, false>;
template <class Plain>
using uc_im2col_volumes = uc_im2col_mainloop<Plain, true>;
#endif
