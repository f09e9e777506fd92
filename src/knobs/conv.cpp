// Knobs that convolutions have beside those of contractions.
#include <array>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

using Algorithm = ContractionConfig::Algorithm;

bool apply_algorithm(const Knob& knob, Launch& launch) {
  ContractionConfig* config = contraction_config(launch);
  const auto which = choice(knob, {"auto", "implicit_gemm", "direct"});
  if (config == nullptr || !which) return false;
  config->algorithm = static_cast<Algorithm>(*which);
  return true;
}

std::string print_algorithm(const Launch& launch) {
  const ContractionConfig* config = contraction_config(launch);
  if (config == nullptr || config->algorithm == Algorithm::automatic) return {};
  return std::string(name(config->algorithm));
}

constexpr std::array<KnobSpec, 1> kRows{{
    {.name = "algorithm",
     .families = "conv",
     .syntax = "auto | implicit_gemm | direct",
     .summary = "how windows are multiplied: as a matrix that is never written, or one by one",
     .apply = apply_algorithm,
     .print = print_algorithm},
}};

}  // namespace

std::span<const KnobSpec> conv_rows();
std::span<const KnobSpec> conv_rows() { return kRows; }

}  // namespace uc::knobs
