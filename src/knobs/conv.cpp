// Knobs that convolutions have beside those of contractions.
#include <array>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

bool apply_algorithm(const Knob& knob, Launch&) {
  return choice(knob, {"auto", "implicit_gemm", "direct"}).has_value();
}
std::string print_nothing(const Launch&) { return {}; }

constexpr std::array<KnobSpec, 1> kRows{{
    {.name = "algorithm",
     .families = "conv",
     .syntax = "auto | implicit_gemm | direct",
     .summary = "how windows are multiplied: as a matrix that is never written, or one by one",
     .emitted = false,
     .apply = apply_algorithm,
     .print = print_nothing},
}};

}  // namespace

std::span<const KnobSpec> conv_rows();
std::span<const KnobSpec> conv_rows() { return kRows; }

}  // namespace uc::knobs
