#include "rewrites/support/range.h"

#include <algorithm>
#include <cmath>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int kDeepest = 12;

/// What bounds an operator puts on its result, whatever comes in.
struct Bound {
  std::string_view op;
  Range range;
};
constexpr Bound kBounds[] = {{"tanh", {-1, 1}},
                             {"sigmoid", {0, 1}},
                             {"hardsigmoid", {0, 1}},
                             {"softsign", {-1, 1}},
                             {"sin", {-1, 1}},
                             {"cos", {-1, 1}},
                             {"erf", {-1, 1}},
                             {"relu6", {0, 6}},
                             {"relu", {0, kInf}},
                             {"square", {0, kInf}},
                             {"abs", {0, kInf}},
                             {"exp", {0, kInf}},
                             {"softplus", {0, kInf}},
                             {"softmax", {0, 1}},
                             {"norm1", {0, kInf}},
                             {"norm2", {0, kInf}},
                             {"var", {0, kInf}},
                             {"sqrt", {0, kInf}},
                             {"log_softmax", {-kInf, 0}},
                             {"logsigmoid", {-kInf, 0}},
                             {"expm1", {-1, kInf}},
                             {"hardswish", {-0.375, kInf}},
                             {"gelu", {-0.1701, kInf}},
                             {"silu", {-0.2785, kInf}},
                             {"mish", {-0.3089, kInf}}};
// Their results are between the least and the greatest of what they read.
constexpr std::string_view kSelecting[] = {"reshape",
                                           "unsqueeze",
                                           "squeeze",
                                           "expand",
                                           "permute",
                                           "transpose",
                                           "slice",
                                           "to",
                                           "flip",
                                           "roll",
                                           "max",
                                           "min",
                                           "mean",
                                           "max_pool1d",
                                           "max_pool2d",
                                           "max_pool3d",
                                           "adaptive_avg_pool",
                                           "adaptive_max_pool",
                                           "concat"};
// f(x) is at most max(x, 0) for these.
constexpr std::string_view kShrinking[] = {"relu", "gelu", "silu", "mish", "hardswish", "relu6"};

template <size_t N>
bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

Range hull(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
Range meet(Range a, Range b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
Range of(double a, double b) { return std::isnan(a) || std::isnan(b) ? Range{} : Range{a, b}; }

double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }  // 0 * inf: 0 is what is finite

Range product(Range a, Range b) {
  const double all[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                        times(a.high, b.high)};
  return {*std::ranges::min_element(all), *std::ranges::max_element(all)};
}

// Where f never falls.
Range through(std::string_view name, Range x) {
  if (name == "tanh") return {std::tanh(x.low), std::tanh(x.high)};
  if (name == "sigmoid") return {1 / (1 + std::exp(-x.low)), 1 / (1 + std::exp(-x.high))};
  if (name == "exp") return {std::exp(x.low), std::exp(x.high)};
  return {};
}

class Ranges {
 public:
  Ranges(Simplifier& s, int depth) : s_(s), depth_(depth) {}

  Range find(ValueId id) {
    if (const auto number = number_of(s_, id)) return {*number, *number};
    const Value& value = s_[id];
    if (value.dtype == DType::boolean) return {0, 1};
    const OpId maker = s_.maker(id);
    if (!maker || depth_ > kDeepest || !is_floating(value.dtype)) return {};
    return meet(of_op(s_[maker]), bounds_of(s_[maker]));
  }

 private:
  Range in(const Op& op, size_t i) { return range_of(s_, op.in[i], depth_ + 1); }

  Range of_op(const Op& op) {
    const std::string_view name = op.spec->name;
    if (op.in.size() == 1 || among(kSelecting, name)) return of_one(op, name);
    if (op.in.size() == 2) return of_two(op, name);
    if (name == "where") return hull(in(op, 1), in(op, 2));
    return {};
  }

  Range of_one(const Op& op, std::string_view name) {
    if (among(kSelecting, name)) {
      Range out = in(op, 0);
      for (size_t i = 1; i < op.in.size(); ++i) out = hull(out, in(op, i));
      return out;
    }
    if (const auto keeps = clamp_of(op)) {
      const Range x = in(op, 0);
      return {std::clamp(x.low, keeps->low, keeps->high), std::clamp(x.high, keeps->low, keeps->high)};
    }
    if (name == "neg") return {-in(op, 0).high, -in(op, 0).low};
    Range out = through(name, name == "tanh" || name == "sigmoid" || name == "exp" ? in(op, 0) : Range{});
    if (shrinks(op)) out.high = std::min(out.high, std::max(0.0, in(op, 0).high));
    if (name == "hardswish" || name == "gelu" || name == "silu" || name == "mish") {
      if (in(op, 0).low >= 0) out.low = std::max(out.low, 0.0);
    }
    return out;
  }

  Range of_two(const Op& op, std::string_view name) {
    const Range a = in(op, 0);
    const Range b = in(op, 1);
    if (name == "add") return of(a.low + b.low, a.high + b.high);
    if (name == "sub") return of(a.low - b.high, a.high - b.low);
    if (name == "mul") return op.in[0] == op.in[1] ? meet(product(a, a), {0, kInf}) : product(a, b);
    if (name == "div" && (b.low > 0 || b.high < 0)) return product(a, {1 / b.high, 1 / b.low});
    if (name == "minimum") return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (name == "maximum") return {std::max(a.low, b.low), std::max(a.high, b.high)};
    return {};
  }

  Simplifier& s_;
  int depth_;
};

}  // namespace

Range bounds_of(const Op& op) {
  for (const Bound& bound : kBounds) {
    if (bound.op == op.spec->name) return bound.range;
  }
  return {};
}

bool shrinks(const Op& op) { return among(kShrinking, op.spec->name); }

std::optional<Range> clamp_of(const Op& op) {
  const std::string_view name = op.spec->name;
  if (op.in.size() != 1) return std::nullopt;
  if (name == "relu") return Range{0, kInf};
  if (name == "relu6") return Range{0, 6};
  if (name != "clamp" && name != "hardtanh") return std::nullopt;
  const double otherwise = name == "clamp" ? kInf : 1;
  const double high = op.attrs.get_float("max", otherwise);
  return Range{std::min(op.attrs.get_float("min", -otherwise), high), high};
}

Range range_of(Simplifier& s, ValueId id, int depth) {
  if (const auto known = s.range(id)) return *known;
  const Range found = Ranges(s, depth).find(id);
  if (depth == 0 || found.low != -kInf || found.high != kInf) s.range(id) = found;
  return found;
}

}  // namespace uc::rewrites
