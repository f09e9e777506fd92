// Back ends: CUTLASS 3 contractions of SM90a, CUDA pointwise kernels of every target.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "emit/cutlass3_gemm.h"
#include "emit/map_kernel.h"
#include "plan/gemm_model.h"
#include "plan/map_model.h"

namespace uc::backends {
namespace {

std::string gemm_refuses(const Launch& launch, const DeviceSpec&) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != "cutlass3")
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.schedule == ContractionConfig::Schedule::multistage)
    return "its schedules are `pingpong`, `cooperative` and `warp_specialized`, not `multistage`";
  return cutlass3_gemm_refuses(std::get<Contraction>(launch.kernel));
}

EmittedKernel gemm_emit(const Launch& launch, const DeviceSpec&) {
  return emit_cutlass3_gemm(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config));
}

std::string map_row_refuses(const Launch& launch, const DeviceSpec&) {
  return map_refuses(std::get<Map>(launch.kernel));
}

std::vector<Config> map_row_configs(const Launch& launch, const DeviceSpec&) {
  int64_t widest = 1;
  for (const Map::Body& body : std::get<Map>(launch.kernel).bodies)
    widest = std::max(widest, collapse(body, 0).vector);
  return map_configs(launch, widest);
}

EmittedKernel map_row_emit(const Launch& launch, const DeviceSpec& device) {
  return emit_map(std::get<Map>(launch.kernel), std::get<MapConfig>(launch.config), device.arch);
}

constexpr size_t kContraction = 0;
constexpr size_t kMap = 1;

constexpr std::array<BackendSpec, 2> kRows{{
    {.id = "cutlass3.contraction",
     .kind = kContraction,
     .archs = "sm_90a",
     .summary = "CUTLASS 3 collectives: TMA, wgmma, persistent tiles, an epilogue visitor tree",
     .refuses = gemm_refuses,
     .configs = gemm_configs,
     .model = gemm_model,
     .emit = gemm_emit},
    {.id = "cuda.map",
     .kind = kMap,
     .archs = "sm_80 sm_86 sm_89 sm_90a",
     .summary = "plain CUDA, whole vectors a thread",
     .refuses = map_row_refuses,
     .configs = map_row_configs,
     .model = map_model,
     .emit = map_row_emit},
}};

}  // namespace

std::span<const BackendSpec> sm90_rows() { return kRows; }

}  // namespace uc::backends
