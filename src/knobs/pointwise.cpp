// Knobs of pointwise and data-moving launches, and of those over rows.
#include <array>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

// Elementwise launches and launches over rows have the same two.
template <int64_t MapConfig::* Map, int64_t RowsConfig::* Rows>
bool apply(const Knob& knob, Launch& launch) {
  const auto value = positive_or_auto(knob);
  if (!value) return false;
  if (MapConfig* config = map_config(launch)) {
    config->*Map = *value;
  } else if (RowsConfig* rows = rows_config(launch)) {
    rows->*Rows = *value;
  } else {
    return false;
  }
  return true;
}

template <int64_t MapConfig::* Map, int64_t RowsConfig::* Rows>
std::string print(const Launch& launch) {
  const MapConfig* config = map_config(launch);
  const RowsConfig* rows = rows_config(launch);
  const int64_t value = config != nullptr ? config->*Map : rows != nullptr ? rows->*Rows : 0;
  return value == 0 ? std::string() : std::to_string(value);
}

constexpr std::string_view kFamilies = "pointwise data pool reduce normalise loss";

constexpr std::array<KnobSpec, 2> kRows{{
    {.name = "vector",
     .families = kFamilies,
     .syntax = "COUNT | auto",
     .summary = "elements that a thread handles at once along the fastest dimension: 1, 2, 4, 8 or 16",
     .apply = apply<&MapConfig::vector, &RowsConfig::vector>,
     .print = print<&MapConfig::vector, &RowsConfig::vector>},
    {.name = "threads",
     .families = kFamilies,
     .syntax = "COUNT | auto",
     .summary = "threads of a block, a multiple of 32 up to 1024",
     .apply = apply<&MapConfig::threads, &RowsConfig::threads>,
     .print = print<&MapConfig::threads, &RowsConfig::threads>},
}};

}  // namespace

std::span<const KnobSpec> pointwise_rows();
std::span<const KnobSpec> pointwise_rows() { return kRows; }

}  // namespace uc::knobs
