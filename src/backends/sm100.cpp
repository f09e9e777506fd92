// Back end: CUTLASS 3 products of SM100a. Compiled and held against CUTLASS's own checks; never run or
// measured.
#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "emit/cutlass3_sm100.h"
#include "plan/sm100_model.h"

namespace uc::backends {
namespace {

using Schedule = ContractionConfig::Schedule;
using Scheduler = ContractionConfig::Scheduler;

std::string refuses(const Launch& launch, const DeviceSpec&) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != "cutlass3")
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.schedule != Schedule::automatic && config.schedule != Schedule::warp_specialized)
    return fmt::format("on SM100 its one schedule is `warp_specialized`, not `{}`", name(config.schedule));
  if (config.scheduler == Scheduler::stream_k || config.scheduler == Scheduler::split_k || config.split != 0)
    return "on SM100 a tile has all of K";
  if (config.stages != 0) return "on SM100 the number of stages is CUTLASS's choice";
  if (config.epilogue_m != 0) return "on SM100 it has no `.epilogue_tile`";
  if (config.overlap) return "on SM100 it has no `.pdl`";
  if (config.skip_zeros) return "on SM100 it has no `.skip(zeros)`";
  if (std::get<Contraction>(launch.kernel).ends) return "on SM100 it has no products of groups of rows";
  return sm100_gemm_refuses(std::get<Contraction>(launch.kernel));
}

EmittedKernel emit(const Launch& launch, const DeviceSpec&) {
  return emit_sm100_gemm(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config));
}

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cutlass3.sm100",
     .kind = kernel_kind<Contraction>(),
     .archs = "sm_100a",
     .summary = "CUTLASS 3 collectives of SM100: TMA, tcgen05, one or two SMs a tile; plain products, never "
                "measured",
     .refuses = refuses,
     .configs = sm100_configs,
     .model = sm100_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> sm100_rows() { return kRows; }

}  // namespace uc::backends
