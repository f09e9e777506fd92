#include "check/multiplied.h"

#include "check/f16x3.h"
#include "check/slices.h"

namespace uc {

Launch as_multiplied(const Launch& launch) {
  Launch out = launch;
  const auto* kernel = std::get_if<Contraction>(&launch.kernel);
  if (kernel == nullptr) return out;
  const auto* config = std::get_if<ContractionConfig>(&launch.config);
  if (splits(*kernel)) {
    out.kernel = split_product(*kernel, config == nullptr ? 0 : config->tile_k);
  } else if (config != nullptr && config->backend == "cutlass3" && in_slices(*kernel, *config)) {
    out.kernel = slice_product(*kernel);
  }
  return out;
}

}  // namespace uc
