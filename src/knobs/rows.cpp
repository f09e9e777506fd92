// Knobs of launches that go over rows: reductions, normalisations, scans, losses. No back end makes these
// kernels yet, so settings are checked here and written nowhere.
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

constexpr std::string_view kAll = "reduce normalise scan loss";
constexpr std::string_view kRowWise = "reduce normalise loss";

constexpr std::array<KnobSpec, 7> kRows{{
    {.name = "passes",
     .families = kRowWise,
     .syntax = "1 | 2 | 3 | auto",
     .summary = "how often the input is read: 1 keeps the row on the chip",
     .emitted = false,
     .fits = up_to<3>},
    {.name = "cluster",
     .families = kRowWise,
     .syntax = "1 | 2 | 4 | 8 | 16 | auto",
     .summary = "blocks of a cluster that share a row through distributed shared memory",
     .emitted = false,
     .fits = power_up_to<16>},
    {.name = "rows_per_block",
     .families = "reduce loss",
     .syntax = "1 to 1024 | auto",
     .summary = "rows that a block reduces",
     .emitted = false,
     .fits = up_to<1024>},
    {.name = "split",
     .families = kRowWise,
     .syntax = "1 to 1024 | auto",
     .summary = "blocks that a row is split over, through memory",
     .emitted = false,
     .fits = up_to<1024>},
    {.name = "items",
     .families = "scan",
     .syntax = "1 to 64 | auto",
     .summary = "neighbouring elements that a thread scans",
     .emitted = false,
     .fits = up_to<64>},
    {.name = "threads",
     .families = kAll,
     .syntax = "COUNT | auto",
     .summary = "threads of a block, a multiple of 32 up to 1024",
     .emitted = false,
     .fits = up_to<1024, 32>},
    {.name = "vector",
     .families = kAll,
     .syntax = "1 | 2 | 4 | 8 | 16 | auto",
     .summary = "elements that a thread reads at once along the fastest dimension",
     .emitted = false,
     .fits = power_up_to<16>},
}};

}  // namespace

std::span<const KnobSpec> rows_rows();
std::span<const KnobSpec> rows_rows() { return kRows; }

}  // namespace uc::knobs
