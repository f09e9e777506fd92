// Contractions with few rows or columns, of every target: plain CUDA, as fast as memory.
#include "emit/gemv.h"

#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "plan/gemv_model.h"

namespace uc::backends {
namespace {

std::string refuses(const Launch& launch, const DeviceSpec& device) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != "cuda")
    return fmt::format("`.backend({})` asks for another", config.backend);
  return gemv_refuses(std::get<Contraction>(launch.kernel), config, device.arch);
}

EmittedKernel emit(const Launch& launch, const DeviceSpec& device) {
  return emit_gemv(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config),
                   device.arch);
}

constexpr size_t kContraction = 0;

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cuda.gemv",
     .kind = kContraction,
     .archs = "sm_80 sm_86 sm_89 sm_90a",
     .summary =
         "plain CUDA for at most 8 rows or columns: the long operand is read once, in order; any chain",
     .beside = true,
     .refuses = refuses,
     .configs = gemv_configs,
     .model = gemv_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> gemv_rows() { return kRows; }

}  // namespace uc::backends
