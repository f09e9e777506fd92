// Activations and functions as PyTorch's documentation defines them, in double. Around each value lies what
// the compute type may lose: a few units in the last place of the result, or of x where the usual formula
// subtracts numbers near x.
#include <algorithm>
#include <cmath>

#include "evaluator_math.h"

namespace evaluator {
namespace {

using Params = std::map<std::string, double>;

double get(const Params& params, const std::string& key, double otherwise) {
  const auto found = params.find(key);
  return found == params.end() ? otherwise : found->second;
}

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double hold(double x, double low, double high) { return std::min(std::max(x, low), high); }

struct Function {
  double (*value)(double x, const Params&);
  double slope;        ///< bound of |f'| anywhere; 0: exact operation on the ends (monotone)
  double cancels = 0;  ///< units of the last place of max(|x|, 1) that the usual formula may lose
};

const std::map<std::string, Function>& table() {
  static const std::map<std::string, Function> kTable{
      {"relu", {[](double x, const Params&) { return std::max(x, 0.0); }, 0}},
      {"relu6", {[](double x, const Params&) { return hold(x, 0, 6); }, 0}},
      {"hardtanh",
       {[](double x, const Params& p) { return hold(x, get(p, "min", -1), get(p, "max", 1)); }, 0}},
      {"clamp",
       {[](double x, const Params& p) { return hold(x, get(p, "min", -INFINITY), get(p, "max", INFINITY)); },
        0}},
      {"neg", {[](double x, const Params&) { return -x; }, 0}},
      {"floor", {[](double x, const Params&) { return std::floor(x); }, 0}},
      {"leaky_relu", {[](double x, const Params& p) { return x > 0 ? x : x * get(p, "slope", 0.01); }, 1}},
      {"hardsigmoid", {[](double x, const Params&) { return hold(x + 3, 0, 6) / 6; }, 0.2, 1}},
      {"hardswish", {[](double x, const Params&) { return x * hold(x + 3, 0, 6) / 6; }, 1.6, 4}},
      {"square", {[](double x, const Params&) { return x * x; }, -1}},
      {"abs", {[](double x, const Params&) { return std::abs(x); }, 1}},
      {"sigmoid", {[](double x, const Params&) { return sigmoid(x); }, 0.25}},
      {"tanh", {[](double x, const Params&) { return std::tanh(x); }, 1}},
      {"erf", {[](double x, const Params&) { return std::erf(x); }, 1.13}},
      {"gelu",
       {[](double x, const Params& p) {
          if (p.contains("approximate"))
            return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
          return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
        },
        1.2, 4}},
      {"silu", {[](double x, const Params&) { return x * sigmoid(x); }, 1.1}},
      {"mish", {[](double x, const Params&) { return x * std::tanh(softplus(x)); }, 1.1}},
      {"softplus",
       {[](double x, const Params& p) {
          const double beta = get(p, "beta", 1);
          return beta * x > get(p, "threshold", 20) ? x : softplus(beta * x) / beta;
        },
        1}},
      {"logsigmoid", {[](double x, const Params&) { return -softplus(-x); }, 1}},
      {"softsign", {[](double x, const Params&) { return x / (1 + std::abs(x)); }, 1}},
      {"tanhshrink", {[](double x, const Params&) { return x - std::tanh(x); }, 1, 4}},
      {"elu", {[](double x, const Params& p) { return x > 0 ? x : get(p, "alpha", 1) * std::expm1(x); }, 4}},
      {"celu",
       {[](double x, const Params& p) {
          const double alpha = get(p, "alpha", 1);
          return x > 0 ? x : alpha * std::expm1(x / alpha);
        },
        1}},
      {"selu",
       {[](double x, const Params&) {
          return 1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * std::expm1(x));
        },
        1.8}},
      {"exp", {[](double x, const Params&) { return std::exp(x); }, -1}},
      {"log1p", {[](double x, const Params&) { return std::log1p(x); }, -1}},
      {"sqrt", {[](double x, const Params&) { return std::sqrt(x); }, -1}},
      {"sin", {[](double x, const Params&) { return std::sin(x); }, 1}},
      {"cos", {[](double x, const Params&) { return std::cos(x); }, 1}},
  };
  return kTable;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

bool knows_unary(const std::string& name) { return table().contains(name); }

Cell unary(const std::string& name, const Params& params, const Cell& x, const std::string& compute) {
  if (x.any) return x;
  const Function& function = table().at(name);
  const auto value = [&](double at) { return std::isnan(at) ? at : function.value(at, params); };
  double low = value(x.lo);
  double high = value(x.hi);
  if (std::isnan(x.lo)) return {low, low, false};
  if (std::isnan(low) || std::isnan(high))
    return {0, 0, !same(x.lo, x.hi) || !same(low, high) || !std::isfinite(x.lo)};
  if (low > high) std::swap(low, high);
  if (x.lo < 0 && x.hi > 0 && (name == "square" || name == "abs")) low = 0;
  if (function.slope == 0 || compute == "i64") return {low, high, false};
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(x.lo) || !std::isfinite(x.hi)) {
    return x.lo == x.hi && low == high ? Cell{low, high, false} : Cell{0, 0, true};
  }
  // Slope -1: monotone on the ends' side of 0, so the ends bound it; else the middle and the slope do.
  const double unit = compute == "f64" ? 0x1p-52 : 0x1p-23;
  if (function.slope > 0) {
    const double radius = function.slope * (x.hi - x.lo);
    const double start = value(x.lo);
    low = std::min(low, start - radius);
    high = std::max(high, start + radius);
  }
  const double most = std::max(std::abs(low), std::abs(high));
  const double lost =
      4 * unit * most + function.cancels * unit * std::max(1.0, std::max(std::abs(x.lo), std::abs(x.hi)));
  // exp(-x) overflows where the result is this small.
  const double least =
      (compute == "f64" ? 1e-307 : 4e-38) * std::max(1.0, std::max(std::abs(x.lo), std::abs(x.hi)));
  return {low - lost - least, high + lost + least, false};
}

}  // namespace evaluator
