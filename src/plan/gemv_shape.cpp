#include "plan/gemv_shape.h"

#include <algorithm>
#include <bit>

#include "check/slices.h"
#include "ir/operand.h"
#include "plan/gemm2_choices.h"
#include "plan/model_parts.h"

namespace uc {
namespace {

constexpr int64_t kThreads = 256;
constexpr int64_t kLeastLanes = 32;

bool unit_stride(const View& operand) {
  return k_major(operand) || operand.shape[1] == 1 || operand.stride[1] == 1;
}

}  // namespace

GemvShape::GemvShape(const Contraction& kernel) {
  long_is_a = kernel.m() > kernel.n();
  const View& x = long_is_a ? kernel.a : kernel.b;
  const View& y = long_is_a ? kernel.b : kernel.a;
  along_k = k_major(x);
  unit = unit_stride(x);
  lines = x.shape[1];
  shorts = y.shape[1];
  vector = unit ? gemm2_alignment(x, 0) : 1;
  thread_shorts = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(shorts)));
  if (!along_k) vector = std::max<int64_t>(1, std::min(vector, kMostSums / thread_shorts));
  thread_lines = along_k ? 4 : vector;
  short_vector = along_k && k_major(y) && gemm2_alignment(y, 0) >= vector;
}

int64_t GemvShape::blocks(const Contraction& kernel, int64_t slices) const {
  const Slices cut = slices_of(kernel.k(), kTile, slices);
  int64_t lanes = kLeastLanes;
  if (along_k) {
    const int64_t busy = up(std::min(kernel.k(), cut.tiles * kTile), vector);
    lanes =
        std::clamp(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(busy))), kLeastLanes, kThreads);
  }
  return up(lines, kThreads / lanes * thread_lines) * cut.count * kernel.batch();
}

}  // namespace uc
