// Knobs of launches that go over rows: reductions, normalisations, losses. Scans have no back end yet, so
// their settings are checked here and written nowhere.
#include <array>
#include <bit>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

/// `auto`, or one integer from 1 to Most that is a multiple of Step.
template <int64_t Most, int64_t Step = 1>
bool up_to(const Knob& knob) {
  const auto value = positive_or_auto(knob);
  return value && *value <= Most && *value % Step == 0;
}

/// `auto`, or a power of two up to Most.
template <int64_t Most>
bool power_up_to(const Knob& knob) {
  const auto value = positive_or_auto(knob);
  return value && *value <= Most && (*value == 0 || std::has_single_bit(static_cast<uint64_t>(*value)));
}

template <int64_t RowsConfig::* Field, bool (*Fits)(const Knob&)>
bool apply(const Knob& knob, Launch& launch) {
  RowsConfig* config = rows_config(launch);
  if (config == nullptr || !Fits(knob)) return false;
  config->*Field = *positive_or_auto(knob);
  return true;
}

template <int64_t RowsConfig::* Field>
std::string print(const Launch& launch) {
  const RowsConfig* config = rows_config(launch);
  return config == nullptr || config->*Field == 0 ? std::string() : std::to_string(config->*Field);
}

constexpr std::string_view kRowWise = "reduce normalise loss";

constexpr std::array<KnobSpec, 7> kRows{{
    {.name = "passes",
     .families = kRowWise,
     .syntax = "1 | 2 | 3 | auto",
     .summary = "how often the input is read: 1 keeps the row on the chip",
     .apply = apply<&RowsConfig::passes, up_to<3>>,
     .print = print<&RowsConfig::passes>},
    {.name = "cluster",
     .families = kRowWise,
     .syntax = "COUNT | auto",
     .summary = "blocks that share a row through distributed shared memory: 1, 2, 4, 8 or 16",
     .apply = apply<&RowsConfig::cluster, power_up_to<16>>,
     .print = print<&RowsConfig::cluster>},
    {.name = "rows_per_block",
     .families = kRowWise,
     .syntax = "COUNT | auto",
     .summary = "rows that a block handles, up to 1024",
     .apply = apply<&RowsConfig::rows_per_block, up_to<1024>>,
     .print = print<&RowsConfig::rows_per_block>},
    {.name = "split",
     .families = kRowWise,
     .syntax = "COUNT | auto",
     .summary = "blocks that a row is split over, through memory, up to 1024",
     .apply = apply<&RowsConfig::split, up_to<1024>>,
     .print = print<&RowsConfig::split>},
    {.name = "items",
     .families = "scan",
     .syntax = "1 to 64 | auto",
     .summary = "neighbouring elements that a thread scans",
     .emitted = false,
     .fits = up_to<64>},
    {.name = "threads",
     .families = "scan",
     .syntax = "COUNT | auto",
     .summary = "threads of a block, a multiple of 32 up to 1024",
     .emitted = false,
     .fits = up_to<1024, 32>},
    {.name = "vector",
     .families = "scan",
     .syntax = "COUNT | auto",
     .summary = "elements that a thread reads at once along the fastest dimension: 1, 2, 4, 8 or 16",
     .emitted = false,
     .fits = power_up_to<16>},
}};

}  // namespace

std::span<const KnobSpec> rows_rows();
std::span<const KnobSpec> rows_rows() { return kRows; }

}  // namespace uc::knobs
