// Maxima and minima before what keeps the order of its operands.
#include <algorithm>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr int kDeepest = 8;

// f(x) never falls where x rises.
bool rising(const Op& op) {
  if (is_any(op,
             {"relu", "relu6", "tanh", "sigmoid", "softplus", "hardtanh", "clamp", "hardsigmoid", "exp",
              "log", "sqrt", "logsigmoid", "softsign", "expm1", "log1p", "erf", "tanhshrink", "softshrink"}))
    return op.in.size() == 1;
  if (op.spec->name == "leaky_relu") return op.attrs.get_float("slope", 0.01) >= 0;
  return op.spec->name == "elu" && op.attrs.get_float("alpha", 1) >= 0;
}

// One operand that keeps the order of the other one, which is elementwise: x + c, x * 2, minimum(x, c).
std::optional<size_t> keeps_order(const Simplifier& s, const Op& op, const DimSet& dims) {
  if (op.in.size() != 2) return std::nullopt;
  const bool adds = is_any(op, {"add", "sub", "minimum", "maximum"});
  if (!adds && !is_any(op, {"mul", "div"})) return std::nullopt;
  for (size_t k = is_any(op, {"sub", "div"}) ? 1 : 0; k < 2; ++k) {
    const ValueId x = op.in[1 - k];
    if (s[x].shape != s[op.out[0]].shape || s[x].dtype != s[op.out[0]].dtype ||
        !same_along(s, op.in[k], s[x].shape, dims))
      continue;
    const auto number = number_of(s, op.in[k]);
    if (adds || (number && *number > 0)) return 1 - k;
  }
  return std::nullopt;
}

// The operator `of` (a maximum or minimum over dims) applied below: only once for a window what was done for
// each of its elements.
std::optional<ValueId> below(Simplifier& s, const Op& of, ValueId x, const DimSet& dims, bool keeps_rank,
                             int depth = 0) {
  const OpId maker = s.maker(x);
  if (!maker || depth > kDeepest || !s.read_once(x)) return std::nullopt;
  const Op& op = s[maker];
  std::optional<size_t> through;
  if (rising(op)) {
    through = 0;
  } else if (keeps_rank) {
    through = keeps_order(s, op, dims);
  }
  if (!through) return std::nullopt;
  auto inner = below(s, of, op.in[*through], dims, keeps_rank, depth + 1);
  if (!inner) inner = s.op(of.spec->name, {op.in[*through]}, of.attrs);
  if (!inner) return std::nullopt;
  std::vector<ValueId> in = op.in;
  in[*through] = *inner;
  return s.op(op.spec->name, std::move(in), op.attrs);
}

// The first dimension that a pool's windows run along: after batch and channels, where there is a batch.
size_t pooled_from(const Op& op, size_t rank) {
  const std::string_view name = op.spec->name;
  return name.starts_with("max_pool") ? rank - std::min(rank, static_cast<size_t>(name[8] - '0')) : 2;
}

std::optional<ValueId> extreme(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.size() != 1 || op.out.size() != 1 || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  const size_t rank = s[op.in[0]].shape.size();
  const bool pools = op.spec->name.starts_with("max_pool");
  if (!pools && !is_any(op, {"max", "min", "adaptive_max_pool"})) return std::nullopt;
  // Fewer elements, or as many are compared and nothing is gained.
  if (numel(s[op.out[0]].shape) >= numel(s[op.in[0]].shape)) return std::nullopt;
  DimSet dims;
  if (is_any(op, {"max", "min"})) {
    dims = dims_attr(op, rank);
  } else {
    for (size_t i = pooled_from(op, rank); i < rank; ++i) dims.push_back(i);
  }
  const bool keeps_rank = s[op.out[0]].shape.size() == rank;
  return below(s, op, op.in[0], dims, keeps_rank);
}

constexpr RewriteSpec kRows[] = {
    simplifying<extreme>(
        "extreme-before-rising",
        "a maximum or minimum is taken before functions that never fall: max_pool(tanh(x)) is "
        "tanh(max_pool(x))",
        "the greatest element stays the greatest under a function that never falls, and is "
        "mapped alone"),
};

}  // namespace

std::span<const RewriteSpec> extremes_rows() { return kRows; }

}  // namespace uc::rewrites
