#include "check/epilogue_reduction.h"

#include <algorithm>
#include <numeric>

#include "check/row_scope.h"

namespace uc {
namespace {

bool dense(const Value& value) {
  int64_t next = 1;
  for (size_t i = value.shape.size(); i-- > 0;) {
    if (value.shape[i] != 1 && value.stride[i] != next) return false;
    next *= value.shape[i];
  }
  return true;
}

void transpose(View& view) {
  std::swap(view.shape[1], view.shape[2]);
  std::swap(view.stride[1], view.stride[2]);
}

bool by_columns(const View& view) {
  return view.shape[1] != 1 && view.shape[2] != 1 && view.stride[1] == 1 && view.stride[2] != 1;
}

}  // namespace

std::optional<EpilogueReduction> epilogue_reduction(const Program& program, const Op& op,
                                                    const Contraction& kernel, const Shape& result) {
  if (op.spec->combine == nullptr || op.in.empty()) return std::nullopt;
  const auto combined = op.spec->combine(program, op);
  const auto scope = row_scope(program, op);
  if (!combined || !scope || program[op.in[0]].shape != result || result.size() < 2) return std::nullopt;
  for (const ValueId out : op.out) {
    if (!dense(program[out])) return std::nullopt;
  }
  const size_t last = result.size() - 1;
  if (scope->dims == std::vector<size_t>{last}) return EpilogueReduction{*combined, {kernel.m(), 1, 0}};
  std::vector<size_t> before(last);
  std::iota(before.begin(), before.end(), size_t{0});
  if (scope->dims == before) return EpilogueReduction{*combined, {0, 0, 1}};
  // The rows of one matrix of the batch.
  if (scope->dims == std::vector<size_t>{last - 1} && result[last - 1] == kernel.m())
    return EpilogueReduction{*combined, {kernel.n(), 0, 1}};
  return std::nullopt;
}

void transpose(Contraction& kernel) {
  std::swap(kernel.a, kernel.b);
  std::swap(kernel.a_band, kernel.b_band);
  kernel.d_band = kernel.d_band.transposed();
  std::swap(kernel.a_scale, kernel.b_scale);
  for (View& view : kernel.epilogue.views) transpose(view);
  kernel.transposed = !kernel.transposed;
}

bool stored_by_columns(const Contraction& kernel) {
  const Scalar& epilogue = kernel.epilogue;
  bool any = false;
  for (const Effect& effect : epilogue.effects) {
    if (effect.combine != Combine::none) continue;
    const View& view = epilogue.views[effect.view];
    if (view.shape[1] == 1 || view.shape[2] == 1) continue;
    if (!by_columns(view)) return false;
    any = true;
  }
  return any;
}

}  // namespace uc
