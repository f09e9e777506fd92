// Normalisations that a program writes out: read once, where a reduction and a division read twice.
#include <algorithm>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

bool squares(const Simplifier& s, const Op& op, ValueId x) {
  if (op.in.empty() || op.in[0] != x) return false;
  if (op.spec->name == "square") return true;
  if (op.in.size() != 2) return false;
  return (op.spec->name == "mul" && op.in[1] == x) ||
         (op.spec->name == "pow" && number_of(s, op.in[1]) == 2.0);
}

// True when the value has extents of 1 where x was reduced, and all others of x: it meets the elements that
// it is made of.
bool meets_its_own(const Simplifier& s, ValueId value, ValueId x, const DimSet& dims) {
  Shape kept = s[x].shape;
  if (s[value].shape.empty() && dims.size() == kept.size()) return true;
  for (const size_t dim : dims) kept[dim] = 1;
  return s[value].shape == kept;
}

Attrs over(const DimSet& dims, double eps) {
  Attrs attrs;
  attrs.set("dim", std::vector<int64_t>(dims.begin(), dims.end()));
  attrs.set("eps", eps);
  return attrs;
}

// The sum or mean over `dims` of something that `x` alone makes, which nothing else reads.
std::optional<Reduction> reduction_of_own(const Simplifier& s, ValueId value) {
  const OpId maker = s.maker(value);
  auto out = maker && s.read_once(value) ? reduction_of(s, maker) : std::nullopt;
  return out && s.read_once(out->x) ? out : std::nullopt;
}

// x / sum(|x|), x / mean(|x|)
std::optional<ValueId> by_sizes(Simplifier& s, ValueId x, ValueId divisor, double eps) {
  const auto sum = reduction_of_own(s, divisor);
  const OpId sizes = sum ? s.maker(sum->x, "abs") : OpId{};
  if (!sizes || s[sizes].in[0] != x || !meets_its_own(s, divisor, x, sum->dims)) return std::nullopt;
  if (sum->name == "sum") return s.op("l1_normalize", {x}, over(sum->dims, eps));
  const double count = extent_of(s[x].shape, sum->dims);
  const auto unit = s.op("l1_normalize", {x}, over(sum->dims, eps * count));
  return unit ? s.op("mul", {*unit, s.literal(count)}) : std::nullopt;
}

// x / norm2(x), x / sqrt(sum(x * x))
std::optional<ValueId> by_norm(Simplifier& s, ValueId x, ValueId divisor, double eps) {
  if (const OpId norm = s.maker(divisor, "norm2"); norm && s.read_once(divisor)) {
    const DimSet dims = dims_attr(s[norm], s[x].shape.size());
    if (s[norm].in[0] != x || !meets_its_own(s, divisor, x, dims)) return std::nullopt;
    return s.op("l2_normalize", {x}, over(dims, eps));
  }
  const OpId root = s.maker(divisor, "sqrt");
  const auto sum = root && s.read_once(divisor) ? reduction_of_own(s, s[root].in[0]) : std::nullopt;
  const OpId made = sum && sum->name == "sum" ? s.maker(sum->x) : OpId{};
  if (!made || !squares(s, s[made], x) || !meets_its_own(s, divisor, x, sum->dims)) return std::nullopt;
  return s.op("l2_normalize", {x}, over(sum->dims, eps));
}

// x over the root, or times its inverse, of mean(x * x) + eps
std::optional<ValueId> by_mean_square(Simplifier& s, ValueId x, ValueId scale, std::string_view root_name) {
  const OpId root = s.maker(scale, root_name);
  if (!root || !s.read_once(scale)) return std::nullopt;
  ValueId inner = s[root].in[0];
  double eps = 0;
  if (const OpId sum = s.maker(inner, "add"); sum && s.read_once(inner)) {
    const Op& add = s[sum];
    const auto left = number_of(s, add.in[0]);
    const auto right = number_of(s, add.in[1]);
    if (!left && !right) return std::nullopt;
    eps = left ? *left : *right;
    inner = add.in[left ? 1 : 0];
  }
  const auto mean = eps >= 0 ? reduction_of_own(s, inner) : std::nullopt;
  const OpId made = mean && mean->name == "mean" ? s.maker(mean->x) : OpId{};
  if (!made || !squares(s, s[made], x) || !meets_its_own(s, scale, x, mean->dims)) return std::nullopt;
  return s.op("rms_norm", {x}, over(mean->dims, eps));
}

// A divisor that is no less than a number: that number, and what it bounds.
std::pair<ValueId, double> bounded(const Simplifier& s, ValueId divisor) {
  const OpId maker = s.read_once(divisor) ? s.maker(divisor) : OpId{};
  if (!maker || s[maker].in.size() != 2 || s[maker].spec->name != "maximum") return {divisor, 0.0};
  for (const size_t k : {0, 1}) {
    const auto number = number_of(s, s[maker].in[k]);
    if (number && *number >= 0) return {s[maker].in[1 - k], *number};
  }
  return {divisor, 0.0};
}

std::optional<ValueId> norm(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.size() != 2 || !is_floating(s[op.out[0]].dtype)) return std::nullopt;
  if (op.spec->name == "div") {
    const ValueId x = op.in[0];
    const auto [divisor, eps] = bounded(s, op.in[1]);
    if (auto out = by_sizes(s, x, divisor, eps)) return out;
    if (auto out = by_norm(s, x, divisor, eps)) return out;
    return by_mean_square(s, x, op.in[1], "sqrt");
  }
  if (op.spec->name != "mul") return std::nullopt;
  for (const size_t k : {0, 1}) {
    if (auto out = by_mean_square(s, op.in[k], op.in[1 - k], "rsqrt")) return out;
  }
  return std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<norm>(
        "written-norm",
        "a normalisation that is written out becomes one operator: x / norm2(x), x / mean(abs(x)), "
        "x / sqrt(mean(x * x) + eps)",
        "the same sums, and the same division of the same elements by them"),
};

}  // namespace

std::span<const RewriteSpec> written_norms_rows() { return kRows; }

}  // namespace uc::rewrites
