#include "plan/skipped_work.h"

#include <algorithm>

#include "plan/model_parts.h"

namespace uc {
namespace {

// Rows `m` to `m_end` of A meet rows `n` to `n_end` of B.
int64_t needed(const Contraction& kernel, int64_t m, int64_t m_end, int64_t n, int64_t n_end,
               int64_t tile_k) {
  int64_t first = 0;
  int64_t end = up(kernel.k(), tile_k);
  if (kernel.a_band.from_diagonal) first = std::max(first, m / tile_k);
  if (kernel.b_band.from_diagonal) first = std::max(first, n / tile_k);
  if (kernel.a_band.to_diagonal) end = std::min(end, up(m_end, tile_k));
  if (kernel.b_band.to_diagonal) end = std::min(end, up(n_end, tile_k));
  const bool unused =
      (kernel.d_band.from_diagonal && n_end <= m) || (kernel.d_band.to_diagonal && m_end <= n);
  return unused ? 1 : std::max<int64_t>(1, end - first);
}

}  // namespace

SkippedWork skipped_work(const Contraction& kernel, const ContractionConfig& config) {
  const int64_t rows = config.tile_m * std::max<int64_t>(1, config.cluster_m);
  const int64_t columns = config.tile_n * std::max<int64_t>(1, config.cluster_n);
  SkippedWork out;
  for (int64_t m = 0; m < kernel.m(); m += rows) {
    for (int64_t n = 0; n < kernel.n(); n += columns) {
      const double count = real(needed(kernel, m, m + rows, n, n + columns, config.tile_k));
      out.all += count;
      out.longest = std::max(out.longest, count);
    }
  }
  const int64_t whole = up(kernel.m(), rows) * up(kernel.n(), columns) * up(kernel.k(), config.tile_k);
  out.share = out.all / real(std::max<int64_t>(1, whole));
  return out;
}

}  // namespace uc
