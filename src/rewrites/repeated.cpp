// Work on what is broadcast: done once, and its result is broadcast.
#include <algorithm>
#include <span>

#include "rewrites/support/reduced_convolution.h"
#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

// Of an operand the dimension that meets dimension `from_end` (1 is the last) of a result; none where it has
// no such one.
std::optional<size_t> dim_of(const Value& value, size_t from_end) {
  const size_t rank = value.shape.size();
  return from_end <= rank && rank > 0 ? std::optional(rank - from_end) : std::nullopt;
}

// True when a view names one element again and again along the dimension.
bool repeats(const Value& value, size_t dim) { return value.shape[dim] > 1 && value.stride[dim] == 0; }

std::optional<ValueId> once(Simplifier& s, ValueId x, size_t dim) { return sliced(s, x, dim, 0, 1); }

// ---- pointwise

// Dimensions of the result, counted from its end, along which all operands are the same.
DimSet repeated_everywhere(const Simplifier& s, const Op& op) {
  DimSet out;
  const size_t rank = s[op.out[0]].shape.size();
  for (size_t from_end = 1; from_end <= rank; ++from_end) {
    bool any = false;
    const bool all = std::ranges::all_of(op.in, [&](ValueId each) {
      const auto dim = dim_of(s[each], from_end);
      const bool again = dim && repeats(s[each], *dim);
      any = any || again;
      return !dim || again || s[each].shape[*dim] == 1;
    });
    if (all && any) out.push_back(from_end);
  }
  return out;
}

std::optional<ValueId> pointwise(Simplifier& s, const Op& op) {
  const DimSet dims = repeated_everywhere(s, op);
  if (dims.empty()) return std::nullopt;
  std::vector<ValueId> in = op.in;
  for (ValueId& each : in) {
    for (const size_t from_end : dims) {
      const auto dim = dim_of(s[each], from_end);
      const auto part = dim ? once(s, each, *dim) : std::optional(each);
      if (!part) return std::nullopt;
      each = *part;
    }
  }
  const auto y = s.op(op.spec->name, std::move(in), op.attrs);
  return y ? expanded(s, *y, s[op.out[0]].shape) : std::nullopt;
}

// ---- reductions, and what runs along some dimensions alone

std::optional<ValueId> reduction(Simplifier& s, const Op& op) {
  const Value& x = s[op.in[0]];
  const DimSet dims = dims_attr(op, x.shape.size());
  double count = 1;
  ValueId in = op.in[0];
  bool any = false;
  const bool reduces = is_any(op, {"sum", "mean", "max", "min"});
  for (size_t d = 0; d < x.shape.size(); ++d) {
    const bool along = std::ranges::find(dims, d) != dims.end();
    if (!repeats(x, d) || (along && !reduces)) continue;
    const auto part = once(s, in, d);
    if (!part) return std::nullopt;
    in = *part;
    any = true;
    if (along) count *= static_cast<double>(x.shape[d]);
  }
  if (!any) return std::nullopt;
  auto y = s.op(op.spec->name, {in}, op.attrs);
  if (y && op.spec->name == "sum" && count != 1) y = s.op("mul", {*y, s.literal(count)});
  return y ? expanded(s, *y, s[op.out[0]].shape) : std::nullopt;
}

// ---- products

// Dimensions, from their ends, of the factors of gemm and linear.
struct Factors {
  ValueId a, b;
  size_t b_depth, b_columns;
};

Factors factors_of(const Op& op) {
  const bool b_is_nk = op.spec->name == "linear";
  return {op.in[0], op.in[1], b_is_nk ? size_t{1} : 2, b_is_nk ? size_t{2} : 1};
}

// Rows or columns that are all the same.
std::optional<ValueId> same_lines(Simplifier& s, const Op& op) {
  const Factors f = factors_of(op);
  std::vector<ValueId> in = op.in;
  bool any = false;
  const size_t rows_to = s[f.b].shape.size() == 2 ? s[f.a].shape.size() : 2;  // the others are a batch
  for (size_t from_end = 2; from_end <= rows_to; ++from_end) {
    const size_t dim = s[f.a].shape.size() - from_end;
    if (!repeats(s[f.a], dim)) continue;
    const auto part = once(s, in[0], dim);
    if (!part) return std::nullopt;
    in[0] = *part;
    any = true;
  }
  if (const auto dim = dim_of(s[f.b], f.b_columns); repeats(s[f.b], *dim)) {
    const auto part = once(s, in[1], *dim);
    if (!part) return std::nullopt;
    in[1] = *part;
    any = true;
  }
  const auto y = any ? s.op(op.spec->name, std::move(in), op.attrs) : std::nullopt;
  return y ? expanded(s, *y, s[op.out[0]].shape) : std::nullopt;
}

// a [..., M, 1] times b [..., 1, N], where b of a linear is [N, 1].
std::optional<ValueId> outer(Simplifier& s, const Op& op, ValueId a, ValueId b) {
  std::optional<ValueId> row = b;
  if (op.spec->name == "linear") row = reshaped(s, b, {numel(s[b].shape)});
  return row ? s.op("mul", {a, *row}) : std::nullopt;
}

// A factor that is the same along what is summed: its element times the sum of the other one's.
std::optional<ValueId> same_along_sum(Simplifier& s, const Op& op) {
  const Factors f = factors_of(op);
  const size_t of_a = s[f.a].shape.size() - 1;
  const size_t of_b = s[f.b].shape.size() - f.b_depth;
  if (repeats(s[f.a], of_a)) {
    const auto a = once(s, f.a, of_a);
    const auto b = a ? reduced(s, "sum", f.b, {of_b}) : std::nullopt;
    return b ? outer(s, op, *a, *b) : std::nullopt;
  }
  if (!repeats(s[f.b], of_b)) return std::nullopt;
  const auto b = once(s, f.b, of_b);
  const auto a = b ? reduced(s, "sum", f.a, {of_a}) : std::nullopt;
  return a ? outer(s, op, *a, *b) : std::nullopt;
}

// The column and the row that a matrix is the product of, element by element.
struct Outer {
  ValueId column, row;
};

std::optional<Outer> outer_of(const Simplifier& s, ValueId x) {
  const OpId maker = s[x].shape.size() == 2 ? s.maker(x, "mul") : OpId{};
  if (!maker) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const ValueId column = s[maker].in[k];
    const ValueId row = s[maker].in[1 - k];
    const Shape& shape = s[x].shape;
    if (s[column].shape == Shape{shape[0], 1} && s[row].shape == Shape{1, shape[1]} && shape[0] > 1 &&
        shape[1] > 1 && s[column].dtype == s[x].dtype && s[row].dtype == s[x].dtype)
      return Outer{column, row};
  }
  return std::nullopt;
}

// (u v) B is u (v B); A (u v) is (A u) v.
std::optional<ValueId> rank_one(Simplifier& s, const Op& op) {
  const bool b_is_nk = op.spec->name == "linear";
  if (const auto a = outer_of(s, op.in[0]); a && s[op.in[1]].shape.size() == 2) {
    const auto y = s.op(op.spec->name, {a->row, op.in[1]});
    return y ? s.op("mul", {a->column, *y}) : std::nullopt;
  }
  const auto b = outer_of(s, op.in[1]);
  if (!b) return std::nullopt;
  const auto y = s.op(op.spec->name, {op.in[0], b_is_nk ? b->row : b->column});
  return y ? outer(s, op, *y, b_is_nk ? b->column : b->row) : std::nullopt;
}

std::optional<ValueId> repeated(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.empty() || op.out.size() != 1 || op.spec->is_view() || !is_floating(s[op.out[0]].dtype) ||
      std::ranges::any_of(op.in, [&](ValueId each) { return !is_floating(s[each].dtype); }))
    return std::nullopt;
  if (is_any(op, {"tril", "triu", "index", "cuda", "to"})) return std::nullopt;  // where it stands matters
  if (is_any(op, {"gemm", "linear"})) {
    if (const auto y = same_along_sum(s, op)) return y;
    if (const auto y = same_lines(s, op)) return y;
    return rank_one(s, op);
  }
  if (op.spec->is_pointwise()) return pointwise(s, op);
  if (op.in.size() == 1 && is_any(op, {"sum", "mean", "max", "min", "softmax", "log_softmax", "logsumexp"}))
    return reduction(s, op);
  return std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<repeated>(
        "repeated-operand",
        "what is broadcast is worked on once: linear(expand(x), W) is expand(linear(x, W)), (u v) B is "
        "u (v B)",
        "equal operands give equal results; a factor that is the same along what is summed leaves the sum"),
};

}  // namespace

std::span<const RewriteSpec> repeated_rows() { return kRows; }

}  // namespace uc::rewrites
