#include "plan/attention_tiles.h"

#include <algorithm>
#include <cstdlib>

#include "plan/model_parts.h"

namespace uc {
namespace {

constexpr int64_t kStep = 16;
constexpr int64_t kPad = 16;          // kPad of uc_attention.cuh
constexpr int64_t kBarriers = 128;    // bytes, kBarriers of uc_attention_groups.cuh
constexpr int64_t kGroupsHeld = 200;  // of 232 registers: more spills

// Equal slices of the features of values.
int64_t slices_of(int64_t features) {
  for (int64_t slices = 1; slices <= features; ++slices) {
    if (features % slices == 0 && features / slices <= kAttentionSlice)
      return features / slices >= 16 || slices == 1 ? slices : 0;
  }
  return features == 0 ? 1 : 0;
}

// Of rows of `features`.
int64_t copy_bytes(const View& view, int64_t features) {
  const int64_t size = size_bytes(view.dtype);
  if (view.shape[3] != 1 && view.stride[3] != 1) return 0;
  for (const int64_t bytes : {16, 8, 4}) {
    bool fits = features * size % bytes == 0 && view.offset * size % bytes == 0;
    for (size_t d = 0; d < 3; ++d) fits = fits && (view.shape[d] == 1 || view.stride[d] * size % bytes == 0);
    if (fits) return bytes;
  }
  return 0;
}

int64_t held_by(const AttentionTiles& tiles, int64_t row_tiles) {
  return row_tiles * (tiles.value + tiles.keys) / 2;
}

}  // namespace

int64_t AttentionTiles::held() const { return held_by(*this, row_tiles) + (groups ? keys / 4 : 0); }

int64_t AttentionTiles::most_held() const { return groups ? kGroupsHeld : kAttentionHeld; }

int64_t AttentionTiles::shared() const {
  if (groups) {  // parts of 64 features, rows of 128 bytes
    const int64_t key_row = up(dim, 64) * 128;
    return 1024 + rows * key_row + 2 * keys * (key_row + up(value, 64) * 128) + kBarriers;
  }
  const int64_t key_pitch = dim * size + kPad;
  const int64_t value_pitch = value * size + kPad;
  return rows * key_pitch + stages * keys * (key_pitch + value_pitch);
}

AttentionTiles attention_tiles(const Attention& kernel, const AttentionConfig& config) {
  AttentionTiles out;
  out.size = size_bytes(kernel.q.dtype);
  out.rows = config.tile_m;
  out.keys = config.tile_n;
  out.groups = config.schedule == ContractionConfig::Schedule::warp_specialized;
  out.stages = config.stages != 0 ? config.stages : out.groups ? 2 : 1;
  out.slices = slices_of(kernel.value_dim());
  const int64_t values = kernel.value_dim() / std::max<int64_t>(1, out.slices);
  out.q_bytes = copy_bytes(kernel.q, kernel.head_dim());
  out.k_bytes = copy_bytes(kernel.k, kernel.head_dim());
  out.v_bytes = copy_bytes(kernel.v, values);
  out.dim = up(kernel.head_dim(), kStep) * kStep;
  out.value = up(values, kStep) * kStep;
  if (out.groups) return out;
  // Two tiles of queries a warp read each key from shared memory half as often.
  const bool pairs = out.rows % 32 == 0 && out.rows >= 128 && out.size == 2;
  if (pairs && held_by(out, 2) <= kAttentionHeld) out.row_tiles = 2;
  return out;
}

}  // namespace uc
