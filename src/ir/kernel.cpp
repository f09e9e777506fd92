#include "ir/kernel.h"

#include <array>
#include <utility>

namespace uc {
namespace {
constexpr std::array<std::string_view, 10> kMath{"auto", "f32",  "tf32", "tf32x3", "f16x3",
                                                 "f16",  "bf16", "f8",   "i8",     "f64"};
constexpr std::array<std::string_view, 5> kSchedules{"auto", "pingpong", "cooperative", "warp_specialized",
                                                     "multistage"};
constexpr std::array<std::string_view, 3> kRasters{"auto", "along_m", "along_n"};
constexpr std::array<std::string_view, 4> kSchedulers{"auto", "persistent", "stream_k", "split_k"};
}  // namespace

std::string_view name(Math math) { return kMath[static_cast<size_t>(math)]; }

std::optional<Math> parse_math(std::string_view text) {
  for (size_t i = 0; i < kMath.size(); ++i) {
    if (kMath[i] == text) return static_cast<Math>(i);
  }
  return std::nullopt;
}

std::string_view name(ContractionConfig::Schedule schedule) {
  return kSchedules[static_cast<size_t>(schedule)];
}
std::string_view name(ContractionConfig::Raster raster) { return kRasters[static_cast<size_t>(raster)]; }
std::string_view name(ContractionConfig::Scheduler scheduler) {
  return kSchedulers[static_cast<size_t>(scheduler)];
}

}  // namespace uc
