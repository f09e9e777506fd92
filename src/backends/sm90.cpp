// Back ends: CUTLASS 3 contractions of SM90a, CUDA pointwise kernels of every target.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "emit/cutlass3_conv.h"
#include "emit/cutlass3_gemm.h"
#include "emit/map_kernel.h"
#include "plan/conv_product.h"
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
  return cutlass3_gemm_refuses(std::get<Contraction>(launch.kernel), config);
}

EmittedKernel gemm_emit(const Launch& launch, const DeviceSpec&) {
  return emit_cutlass3_gemm(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config));
}

std::string conv_refuses(const Launch& launch, const DeviceSpec&) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != "cutlass3")
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.algorithm == ContractionConfig::Algorithm::direct)
    return "`.algorithm(direct)` asks for another";
  if (config.skip_zeros) return "it has no `.skip(zeros)`";
  // Right on an H200, but not timed beside the others yet: only what asks for it is served.
  const auto& kernel = std::get<Convolution>(launch.kernel);
  if (config.backend == "auto" && (kernel.transposed || placed_by_pixels(kernel)))
    return "transposed ones, and results whose pixels are found one by one, ask for it: `.backend(cutlass3)`";
  if (config.schedule == ContractionConfig::Schedule::multistage)
    return "its schedules are `pingpong`, `cooperative` and `warp_specialized`, not `multistage`";
  return cutlass3_conv_refuses(kernel);
}

Launch as_product(const Launch& launch) {
  Launch out = launch;
  out.kernel = conv3_product(std::get<Convolution>(launch.kernel));
  return out;
}

// Those of the product, with a tile that is one line of 128 bytes deep, and images of its own for each block;
// K is not sliced.
std::vector<Config> conv_configs(const Launch& launch, const DeviceSpec& device) {
  const int64_t depth = cutlass3_conv_depth(std::get<Convolution>(launch.kernel));
  const auto& given = std::get<ContractionConfig>(launch.config);
  std::vector<Config> out = gemm_configs(as_product(launch), device);
  std::erase_if(out, [depth, &given](const Config& each) {
    const auto& config = std::get<ContractionConfig>(each);
    const bool sliced =
        config.split > given.split && given.scheduler == ContractionConfig::Scheduler::automatic;
    return config.tile_k != depth || config.cluster_n != 1 || sliced;
  });
  return out;
}

EmittedKernel conv_emit(const Launch& launch, const DeviceSpec&) {
  return emit_cutlass3_conv(std::get<Convolution>(launch.kernel), std::get<ContractionConfig>(launch.config));
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

constexpr std::array<BackendSpec, 3> kRows{{
    {.id = "cutlass3.contraction",
     .kind = kContraction,
     .archs = "sm_90a",
     .summary = "CUTLASS 3 collectives: TMA, wgmma, persistent tiles, an epilogue visitor tree",
     .refuses = gemm_refuses,
     .configs = gemm_configs,
     .model = gemm_model,
     .emit = gemm_emit},
    {.id = "cutlass3.convolution",
     .kind = kernel_kind<Convolution>(),
     .archs = "sm_90a",
     .summary =
         "the same with images that TMA reads window by window: one group, channels by lines of 128 bytes",
     .refuses = conv_refuses,
     .configs = conv_configs,
     .model = conv3_model,
     .emit = conv_emit},
    {.id = "cuda.map",
     .kind = kMap,
     .archs = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a",
     .summary = "plain CUDA, whole vectors a thread",
     .refuses = map_row_refuses,
     .configs = map_row_configs,
     .model = map_model,
     .emit = map_row_emit},
}};

}  // namespace

std::span<const BackendSpec> sm90_rows() { return kRows; }

}  // namespace uc::backends
