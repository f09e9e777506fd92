#include "ops/detail/parts.h"

#include <algorithm>
#include <numeric>

#include "check/row_scope.h"

namespace uc::ops {
namespace {

std::vector<int> same_dims(size_t rank) {
  std::vector<int> out(rank);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

Part needs_all_or_none(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const Shape& shape = program[op.in[i]].shape;
  return part.is_whole(program[op.out[result]].shape) ? Part::whole(shape) : Part::none(shape);
}

Part needs_normalised(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const auto scope = row_scope(program, op);
  if (i != 0 || !scope) return needs_all_or_none(program, op, i, result, part);
  const Shape& shape = program[op.in[0]].shape;
  std::vector<int> along = same_dims(shape.size());
  for (const size_t d : scope->dims) along[d] = kAll;
  if (!scope->dims.empty()) {
    const size_t last = scope->dims.back();
    if (scope->extent != shape[last]) along[last] = static_cast<int>(last);
  }
  return projected(part, shape, along);
}

Part needs_channel_groups(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  if (i != 0) return needs_all_or_none(program, op, i, result, part);
  const Shape& shape = program[op.in[0]].shape;
  std::vector<int> along = same_dims(shape.size());
  for (size_t d = 2; d < along.size(); ++d) along[d] = kAll;
  return projected(part, shape, along);
}

Part needs_reduced(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const Shape& shape = program[op.in[i]].shape;
  if (result / std::max<size_t>(1, op.out.size() / op.in.size()) != i) return Part::none(shape);
  const auto scope = row_scope(program, op);
  if (!scope || scope->extent != shape[scope->dims.back()])
    return needs_all_or_none(program, op, i, result, part);
  const bool kept = program[op.out[result]].shape.size() == shape.size();
  std::vector<int> along(shape.size(), kAll);
  int next = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool reduced = std::ranges::find(scope->dims, d) != scope->dims.end();
    if (!reduced) along[d] = kept ? static_cast<int>(d) : next++;
  }
  return projected(part, shape, along);
}

}  // namespace uc::ops
