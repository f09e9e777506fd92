#include "sol/quantity.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace uc {

std::string scaled(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefix{"", "k", "M", "G", "T", "P"};
  size_t step = 0;
  while (value >= 999.5 && step + 1 < kPrefix.size()) {
    value /= 1000;
    ++step;
  }
  const int digits = value >= 99.95 || value == std::floor(value) ? 0 : value >= 9.995 ? 1 : 2;
  const std::string suffix = fmt::format("{}{}", kPrefix[step], unit);
  return fmt::format("{:.{}f}{}{}", value, digits, suffix.empty() ? "" : " ", suffix);
}

std::string duration(double us, std::string_view micro) {
  if (std::isinf(us)) return "no such unit";
  if (us >= 1000) return fmt::format("{:.3f} ms", us / 1000);
  return fmt::format("{:.{}f} {}", us, us >= 100 ? 1 : 2, micro);
}

std::string column_duration(double us) {
  if (std::isinf(us)) return "no such unit";
  return us >= 1000 ? fmt::format("{:.3f} ms", us / 1000) : fmt::format("{:.2f} us", us);
}

std::string round_duration(double us) {
  if (us >= 0.9999e6) return fmt::format("{:.3g} s", us / 1e6);
  if (us >= 0.9999e3) return fmt::format("{:.3g} ms", us / 1e3);
  if (us >= 0.9999) return fmt::format("{:.3g} µs", us);
  return fmt::format("{:.3g} ns", us * 1e3);
}

std::string times(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  if (ratio >= 99999.5) return "> 99999x";
  const int digits = ratio >= 99.95 ? 0 : ratio >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}x", ratio, digits);
}

std::string percent(double share) {
  if (share > 0 && share < 0.005) return "< 1 %";
  return fmt::format("{:.0f} %", share * 100);
}

}  // namespace uc
