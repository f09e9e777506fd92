#pragma once
// Why: rules on CUTLASS 2 and SIMT contractions ask the same table of tiles as planner and emitter.
#include <array>
#include <cstdlib>

#include "plan/gemm2_choices.h"
#include "rules/gemm_rule.h"

namespace uc::rules {

inline constexpr std::string_view kGemm2Archs = "sm_80 sm_86 sm_89 sm_90a";
inline constexpr std::string_view kGemm2Backends = "cutlass2 simt";

/// A contraction on one of these back ends, with what belongs to its way to multiply.
struct Gemm2 {
  Gemm gemm;
  Gemm2Family family;
  const Gemm2Tile* tile;  ///< null: none is given, or it is not listed
};

inline std::optional<Gemm2> gemm2(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g) return std::nullopt;
  const auto family = gemm2_family(g->kernel, g->config.backend, context.device.arch);
  if (!family) return std::nullopt;
  return Gemm2{*g, *family, g->has_tile() ? gemm2_tile(*family, g->kernel, g->config) : nullptr};
}

}  // namespace uc::rules
