// f32 matrices multiplied by f16 tensor cores without loss: split kernels and a CUTLASS 3 kernel in one
// launch.
#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "emit/f16x3_gemm.h"
#include "plan/f16x3_model.h"

namespace uc::backends {
namespace {

std::string refuses(const Launch& launch, const DeviceSpec&) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != "cutlass3")
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.schedule == ContractionConfig::Schedule::multistage)
    return "its schedules are `pingpong`, `cooperative` and `warp_specialized`, not `multistage`";
  if (config.skip_zeros) return "it has no `.skip(zeros)`";
  if (std::get<Contraction>(launch.kernel).ends) return "it has no products of groups";
  return f16x3_gemm_refuses(std::get<Contraction>(launch.kernel));
}

EmittedKernel emit(const Launch& launch, const DeviceSpec&) {
  return emit_f16x3_gemm(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config));
}

constexpr size_t kContraction = 0;

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cutlass3.f16x3",
     .kind = kContraction,
     .archs = "sm_90a",
     .summary =
         "f32 operands scaled and split into f16 halves, three products with promoted sums, f32 results",
     .refuses = refuses,
     .configs = f16x3_configs,
     .model = f16x3_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> sm90_f16x3_rows() { return kRows; }

}  // namespace uc::backends
