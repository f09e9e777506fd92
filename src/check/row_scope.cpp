#include "check/row_scope.h"

#include <algorithm>

namespace uc {
namespace {

std::vector<size_t> dims_of(const Op& op, size_t rank) {
  std::vector<int64_t> dims{-1};
  if (const AttrValue* value = op.attrs.find("dim")) {
    if (const auto* list = std::get_if<std::vector<int64_t>>(value)) dims = *list;
    if (const auto* one = std::get_if<int64_t>(value)) dims = {*one};
  }
  std::vector<size_t> out;
  for (const int64_t dim : dims) {
    const int64_t at = dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
    if (at >= 0 && at < static_cast<int64_t>(rank)) out.push_back(static_cast<size_t>(at));
  }
  std::ranges::sort(out);
  return out;
}

// The dimension of the result that the tile's N runs along.
size_t column_dim(const Program& program, const Op& main) {
  const auto rank = static_cast<int64_t>(program[main.out[0]].shape.size());
  return static_cast<size_t>(std::max<int64_t>(main.spec->columns + rank, 0));
}

}  // namespace

std::optional<RowScope> row_scope(const Program& program, const Op& op) {
  if (op.spec->is_view() || op.spec->is_pointwise() || op.in.empty()) return std::nullopt;
  if (op.spec->rows != nullptr) return op.spec->rows(program, op);
  const Shape& shape = program[op.in[0]].shape;
  RowScope scope;
  scope.dims = dims_of(op, shape.size());
  scope.whole = !op.spec->reduces;
  if (scope.dims.empty()) return scope;
  scope.extent = shape[scope.dims.back()];
  const int64_t groups = op.attrs.get_int("groups", 1);
  if (groups > 1 && scope.extent % groups == 0) scope.extent /= groups;
  return scope;
}

const Op& knob_op(const Program& program, const Step& step) {
  const Op& main = program[step.main];
  if (!main.spec->is_pointwise()) return main;
  for (const OpId id : ops_of(step)) {
    if (program[id].spec->row_scalar != nullptr) return program[id];
  }
  return main;
}

std::optional<EpilogueRow> epilogue_row(const Program& program, const Step& step) {
  const Op& main = program[step.main];
  if (main.spec->family != "contraction" && main.spec->family != "conv") return std::nullopt;
  const Shape& result = program[main.out[0]].shape;
  const size_t column = column_dim(program, main);
  std::optional<EpilogueRow> widest;
  for (size_t i = 0; i < step.chain.size(); ++i) {
    for (const OpId id : step.chain[i].ops) {
      const OpSpec& spec = *program[id].spec;
      const auto scope = row_scope(program, program[id]);
      // After a reduction the value is small, and no tile holds it.
      if (!scope || program[program[id].in[0]].shape.size() != result.size()) continue;
      if (scope->dims.empty()) continue;  // statistics are given
      // What combines piece by piece needs no row in one place.
      const bool combines = spec.combine != nullptr && spec.combine(program, program[id]).has_value();
      if (!scope->whole && (combines || spec.row_scalar == nullptr)) continue;
      const bool row = scope->dims == std::vector<size_t>{column};
      const int64_t extent = row ? scope->extent : 0;
      if (!widest || (widest->extent != 0 && (extent == 0 || extent > widest->extent)))
        widest = EpilogueRow{i, id, extent};
    }
  }
  return widest;
}

}  // namespace uc
