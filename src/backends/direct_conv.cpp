// Direct convolutions: kernels of our own, for what memory bounds and for all that implicit GEMM refuses.
#include "emit/direct_conv.h"

#include <array>
#include <fmt/format.h>
#include <span>

#include "catalog/backend_spec.h"
#include "plan/direct_conv.h"

namespace uc::backends {
namespace {

constexpr std::string_view kName = "cuda";

std::string refuses(const Launch& launch, const DeviceSpec&) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != kName)
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.algorithm == ContractionConfig::Algorithm::implicit_gemm)
    return "`.algorithm(implicit_gemm)` asks for another";
  ContractionConfig plain;
  plain.backend = config.backend;
  plain.algorithm = config.algorithm;
  if (!(config == plain)) return "it has none of the knobs of products of matrices";
  return direct_conv_refuses(std::get<Convolution>(launch.kernel));
}

std::vector<Config> configs(const Launch& launch, const DeviceSpec&) {
  ContractionConfig config = std::get<ContractionConfig>(launch.config);
  config.algorithm = ContractionConfig::Algorithm::direct;
  return {config};
}

EmittedKernel emit(const Launch& launch, const DeviceSpec& device) {
  return emit_direct_conv(std::get<Convolution>(launch.kernel), device.arch);
}

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cuda.convolution",
     .kind = kernel_kind<Convolution>(),
     .archs = "sm_80 sm_86 sm_89 sm_90a",
     .summary =
         "one tap after another without tensor cores: depthwise and few channels, and all that is left",
     .refuses = refuses,
     .configs = configs,
     .model = direct_conv_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> direct_conv_rows();
std::span<const BackendSpec> direct_conv_rows() { return kRows; }

}  // namespace uc::backends
