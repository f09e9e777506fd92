#pragma once
// Why: C++ leaves it undefined what integer a float becomes that the integer type cannot hold. Data and
// programs bring such floats.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace uc {

/// `value` toward zero; beyond 64 bits the nearest that they hold; 0 for NaN.
inline int64_t to_integer(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value <= -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

/// A number as an element that is stored as To: float, double or int64_t.
template <class To, class From>
To element_as(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return to_integer(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace uc
