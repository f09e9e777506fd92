// Arithmetic and order. Integers wrap, as PyTorch's do.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "catalog/scalar_fn.h"

namespace uc::scalars {
namespace {

uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }
int64_t whole(uint64_t value) { return static_cast<int64_t>(value); }

/// NaN when either is, as torch.minimum and torch.maximum.
template <class T>
T smaller(T a, T b, T) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
  }
  return b < a ? b : a;
}

template <class T>
T larger(T a, T b, T) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return a + b;
  }
  return b > a ? b : a;
}

int64_t power(int64_t base, int64_t exponent, int64_t) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  uint64_t factor = bits(base);
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, factor *= factor) {
    if ((exponent & 1) != 0) result *= factor;
  }
  return whole(result);
}

IntRange sum(IntRange a, IntRange b) { return {a.low + b.low, a.high + b.high}; }
IntRange difference(IntRange a, IntRange b) { return {a.low - b.high, a.high - b.low}; }
IntRange product(IntRange a, IntRange b) {
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}
IntRange negative(IntRange a, IntRange) { return {-a.high, -a.low}; }
IntRange least(IntRange a, IntRange b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
IntRange greatest(IntRange a, IntRange b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

constexpr ScalarFn kRows[] = {
    {"add", 2, [](float a, float b, float) { return a + b; },
     [](double a, double b, double) { return a + b; },
     [](int64_t a, int64_t b, int64_t) { return whole(bits(a) + bits(b)); }, "{0} + {1}", 1, 0, false, sum},
    {"sub", 2, [](float a, float b, float) { return a - b; },
     [](double a, double b, double) { return a - b; },
     [](int64_t a, int64_t b, int64_t) { return whole(bits(a) - bits(b)); }, "{0} - {1}", 1, 0, false,
     difference},
    {"mul", 2, [](float a, float b, float) { return a * b; },
     [](double a, double b, double) { return a * b; },
     [](int64_t a, int64_t b, int64_t) { return whole(bits(a) * bits(b)); }, "{0} * {1}", 1, 0, false,
     product},
    {"div", 2, [](float a, float b, float) { return a / b; },
     [](double a, double b, double) { return a / b; }, nullptr, "uc_div({0}, {1})", 5, 1},
    {"neg", 1, [](float a, float, float) { return -a; }, [](double a, double, double) { return -a; },
     [](int64_t a, int64_t, int64_t) { return whole(0 - bits(a)); }, "-{0}", 1, 0, false, negative},
    {"abs", 1, [](float a, float, float) { return std::fabs(a); },
     [](double a, double, double) { return std::fabs(a); },
     [](int64_t a, int64_t, int64_t) { return a < 0 ? whole(0 - bits(a)) : a; }, "uc_abs({0})", 1, 0},
    {"floor", 1, [](float a, float, float) { return std::floor(a); },
     [](double a, double, double) { return std::floor(a); }, [](int64_t a, int64_t, int64_t) { return a; },
     "uc_floor({0})", 1, 0},
    {"minimum", 2, smaller<float>, smaller<double>, smaller<int64_t>, "uc_minimum({0}, {1})", 1, 0, false,
     least},
    {"maximum", 2, larger<float>, larger<double>, larger<int64_t>, "uc_maximum({0}, {1})", 1, 0, false,
     greatest},
    {"pow", 2, [](float a, float b, float) { return std::pow(a, b); },
     [](double a, double b, double) { return std::pow(a, b); }, power, "uc_pow({0}, {1})", 70, 1},
};

}  // namespace

std::span<const ScalarFn> arithmetic_rows() { return kRows; }

}  // namespace uc::scalars
