#include "plan/smem_model.h"

#include <algorithm>
#include <numeric>

#include "ir/kernel_parts.h"
#include "plan/epilogue_leaves.h"
#include "plan/epilogue_rows.h"

namespace uc {
namespace {

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// The widest swizzle that the contiguous extent of an epilogue tile allows, as the alignment it asks for.
int64_t swizzle_alignment(int64_t extent_bytes) {
  if (extent_bytes % 128 == 0) return 1024;
  if (extent_bytes % 64 == 0) return 512;
  return extent_bytes % 32 == 0 ? 256 : 128;
}

constexpr int64_t kBarrier = 16;  // full and empty barrier of one pipeline stage

}  // namespace

EpilogueStorage epilogue_storage(const MainloopShape& tile, const EpilogueShape& epilogue) {
  EpilogueStorage out;
  out.tile_m = std::min<int64_t>(tile.cooperative ? 128 : 64, tile.tile_m);
  const int64_t wide = !tile.cooperative && epilogue.d_bytes == 1 && tile.tile_n % 64 == 0 ? 64 : 32;
  out.tile_n = std::gcd(std::min(wide, tile.tile_n), tile.tile_n);
  if (epilogue.tile_m != 0) {
    out.tile_m = epilogue.tile_m;
    out.tile_n = epilogue.tile_n;
  }
  const int64_t tiles = ((tile.tile_m + out.tile_m - 1) / out.tile_m) * (tile.tile_n / out.tile_n);
  out.reuse_c = epilogue.c_bytes == epilogue.d_bytes && epilogue.d_bytes > 1;
  out.stages_d = std::min<int64_t>(tiles, 2);
  out.stages_c = std::min<int64_t>(tiles, 4);
  if (out.reuse_c) out.stages_c = std::max(out.stages_c, out.stages_d + 1);
  const int64_t align_d = swizzle_alignment(out.tile_n * epilogue.d_bytes);
  const int64_t align_c = epilogue.c_bytes == 0 ? align_d : swizzle_alignment(out.tile_n * epilogue.c_bytes);
  out.alignment = std::max(align_c, align_d);
  const int64_t elements = out.tile_m * out.tile_n;
  const int64_t c = elements * epilogue.c_bytes * out.stages_c;
  const int64_t d = elements * epilogue.d_bytes * (out.reuse_c ? out.stages_c : out.stages_d);
  int64_t collective = d;
  if (epilogue.c_bytes != 0) {
    collective = out.reuse_c ? round_up(std::max(c, d), out.alignment)
                             : round_up(round_up(c, align_d) + d, out.alignment);
  }
  out.tensor_bytes = round_up(collective + epilogue.fusion_bytes, out.alignment);
  out.pipeline_bytes = kBarrier * out.stages_c;
  if (epilogue.meeting_bytes != 0)
    out.pipeline_bytes = round_up(out.pipeline_bytes + epilogue.meeting_bytes, 16);
  out.shared_bytes =
      tile.persistent ? round_up(out.tensor_bytes + out.pipeline_bytes, out.alignment) : out.pipeline_bytes;
  return out;
}

int64_t stage_bytes(const MainloopShape& tile) {
  const int64_t factors = 4 * (tile.a_factors + tile.b_factors);
  return round_up(tile.tile_k * (tile.tile_m * tile.a_bytes + tile.tile_n * tile.b_bytes) + factors, 128) +
         kBarrier;
}

int64_t stages_that_fit(const MainloopShape& tile, const EpilogueStorage& epilogue, int64_t capacity) {
  const int64_t left = capacity / 128 * 128 - round_up(epilogue.shared_bytes, 128);
  return left < 0 ? 0 : left / stage_bytes(tile);
}

int64_t kernel_shared_bytes(const MainloopShape& tile, const EpilogueStorage& epilogue, int64_t stages) {
  const int64_t alignment = std::max<int64_t>(epilogue.alignment, 128);
  const int64_t operands = stages * tile.tile_k * (tile.tile_m * tile.a_bytes + tile.tile_n * tile.b_bytes) +
                           round_up(4 * tile.a_factors * stages, 128) +
                           round_up(4 * tile.b_factors * stages, 128);
  if (!tile.persistent) {
    const int64_t barriers = kBarrier * stages + epilogue.pipeline_bytes;
    return round_up(round_up(std::max(operands, epilogue.tensor_bytes), alignment) + barriers, alignment);
  }
  // Barriers: mainloop, C load, load order, and in pingpong the math warpgroups' order; then the scheduler.
  const int64_t barriers = kBarrier * stages + epilogue.pipeline_bytes + 16 * (tile.cooperative ? 1 : 3) + 16;
  return round_up(round_up(barriers, alignment) + round_up(epilogue.tensor_bytes, 128) + operands, alignment);
}

MainloopShape mainloop_shape(const Contraction& kernel, const ContractionConfig& config) {
  MainloopShape out{config.tile_m,
                    config.tile_n,
                    config.tile_k,
                    size_bytes(kernel.a.dtype),
                    size_bytes(kernel.b.dtype),
                    config.schedule != ContractionConfig::Schedule::pingpong &&
                        config.schedule != ContractionConfig::Schedule::warp_specialized,
                    config.schedule != ContractionConfig::Schedule::warp_specialized};
  if (const auto blocks = scale_blocks_of(kernel)) {
    out.a_factors = std::max<int64_t>(1, config.tile_m / blocks->m);
    out.b_factors = std::max<int64_t>(1, config.tile_n / blocks->n);
  }
  return out;
}

EpilogueShape epilogue_shape(const Contraction& kernel, const ContractionConfig& config) {
  EpilogueShape out;
  out.tile_m = config.epilogue_m;
  out.tile_n = config.epilogue_n;
  if (kernel.ends) return out;  // results of groups of rows pass through registers alone
  const Scalar& epilogue = kernel.epilogue;
  const EpilogueParts parts = epilogue_parts(epilogue);
  if (const View* d = parts.d(epilogue)) out.d_bytes = size_bytes(d->dtype);
  if (parts.source) out.c_bytes = size_bytes(epilogue.views[*parts.source].dtype);
  int64_t rows = 0;
  for (const uint32_t view : parts.loads) {
    if (leaf_kind(epilogue.views[view]) == LeafKind::row)
      rows += round_up(config.tile_n * size_bytes(epilogue.views[view].dtype), 16);
  }
  out.fusion_bytes = std::max<int64_t>(rows, 1);
  out.meeting_bytes = meeting_bytes(kernel, config);
  return out;
}

int64_t stages_that_fit(const Contraction& kernel, const ContractionConfig& config, int64_t capacity) {
  const MainloopShape tile = mainloop_shape(kernel, config);
  return stages_that_fit(tile, epilogue_storage(tile, epilogue_shape(kernel, config)), capacity);
}

int64_t kernel_shared_bytes(const Contraction& kernel, const ContractionConfig& config) {
  const MainloopShape tile = mainloop_shape(kernel, config);
  return kernel_shared_bytes(tile, epilogue_storage(tile, epilogue_shape(kernel, config)), config.stages);
}

}  // namespace uc
