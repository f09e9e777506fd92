#pragma once
// Why: rules on CUTLASS 2 and SIMT contractions ask the same table of tiles as planner and emitter.
#include <array>
#include <cstdlib>
#include <memory>

#include "plan/conv_product.h"
#include "plan/gemm2_choices.h"
#include "rules/gemm_rule.h"

namespace uc::rules {

inline constexpr std::string_view kGemm2Archs = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a";
inline constexpr std::string_view kGemm2Backends = "cutlass2 simt";

/// A contraction on one of these back ends, or the product that a convolution is computed as, with what
/// belongs to its way to multiply.
struct Gemm2 {
  std::shared_ptr<const Product> product;
  Gemm gemm;
  Gemm2Family family;
  const Gemm2Tile* tile;  ///< null: none is given, or it is not listed
};

inline std::optional<Gemm2> gemm2(const RuleContext& context) {
  const ContractionConfig* config = context.config();
  if (config == nullptr) return std::nullopt;
  auto product = std::make_shared<const Product>(context.launch);
  if (!*product) return std::nullopt;
  const Gemm g{context, **product, *config, nullptr};
  const auto family = gemm2_family(g.kernel, config->backend, context.device.arch);
  if (!family) return std::nullopt;
  return Gemm2{std::move(product), g, *family,
               g.has_tile() ? gemm2_tile(*family, g.kernel, *config) : nullptr};
}

}  // namespace uc::rules
