// Knobs of pointwise and data-moving launches.
#include <array>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

bool apply_vector(const Knob& knob, Launch& launch) {
  MapConfig* config = map_config(launch);
  const auto elements = positive_or_auto(knob);
  if (config == nullptr || !elements) return false;
  config->vector = *elements;
  return true;
}

std::string print_vector(const Launch& launch) {
  const MapConfig* config = map_config(launch);
  return config == nullptr || config->vector == 0 ? std::string() : std::to_string(config->vector);
}

bool apply_threads(const Knob& knob, Launch& launch) {
  MapConfig* config = map_config(launch);
  const auto threads = positive_or_auto(knob);
  if (config == nullptr || !threads) return false;
  config->threads = *threads;
  return true;
}

std::string print_threads(const Launch& launch) {
  const MapConfig* config = map_config(launch);
  return config == nullptr || config->threads == 0 ? std::string() : std::to_string(config->threads);
}

constexpr std::string_view kFamilies = "pointwise data pool";

constexpr std::array<KnobSpec, 2> kRows{{
    {.name = "vector",
     .families = kFamilies,
     .syntax = "1 | 2 | 4 | 8 | 16 | auto",
     .summary = "elements that a thread handles at once along the fastest dimension",
     .apply = apply_vector,
     .print = print_vector},
    {.name = "threads",
     .families = kFamilies,
     .syntax = "COUNT | auto",
     .summary = "threads of a block, a multiple of 32 up to 1024",
     .apply = apply_threads,
     .print = print_threads},
}};

}  // namespace

std::span<const KnobSpec> pointwise_rows();
std::span<const KnobSpec> pointwise_rows() { return kRows; }

}  // namespace uc::knobs
