// Back ends of every target since SM80: CUTLASS 2 contractions, on tensor cores and on FMA units. On SM90a
// they take what CUTLASS 3 cannot: f32 and f64, and operands that TMA cannot read.
#include <array>
#include <fmt/format.h>

#include "catalog/backend_spec.h"
#include "emit/cutlass2_conv.h"
#include "emit/cutlass2_gemm.h"
#include "plan/gemm2_model.h"

namespace uc::backends {
namespace {

constexpr std::string_view kTensor = "cutlass2";
constexpr std::string_view kSimt = "simt";

template <const std::string_view& Backend>
std::string refuses(const Launch& launch, const DeviceSpec& device) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != Backend)
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.epilogue_m != 0) return "it has no `.epilogue_tile`";
  if (config.overlap) return "it has no `.pdl`";
  if (config.skip_zeros) return "it has no `.skip(zeros)`";
  if (std::get<Contraction>(launch.kernel).ends) return "it has no products of groups of rows";
  return cutlass2_gemm_refuses(std::get<Contraction>(launch.kernel), Backend, device.arch);
}

template <const std::string_view& Backend>
std::string conv_refuses(const Launch& launch, const DeviceSpec& device) {
  const auto& config = std::get<ContractionConfig>(launch.config);
  if (config.backend != "auto" && config.backend != Backend)
    return fmt::format("`.backend({})` asks for another", config.backend);
  if (config.algorithm == ContractionConfig::Algorithm::direct)
    return "`.algorithm(direct)` asks for another";
  if (config.epilogue_m != 0) return "it has no `.epilogue_tile`";
  if (config.overlap) return "it has no `.pdl`";
  if (config.skip_zeros) return "it has no `.skip(zeros)`";
  return cutlass2_conv_refuses(std::get<Convolution>(launch.kernel), Backend, device.arch);
}

template <const std::string_view& Backend>
EmittedKernel conv_emit(const Launch& launch, const DeviceSpec& device) {
  return emit_cutlass2_conv(std::get<Convolution>(launch.kernel), std::get<ContractionConfig>(launch.config),
                            Backend, device.arch);
}

template <const std::string_view& Backend>
std::vector<Config> configs(const Launch& launch, const DeviceSpec& device) {
  return gemm2_configs(launch, device, Backend);
}

template <const std::string_view& Backend>
Estimate model(const Launch& launch, const DeviceSpec& device) {
  return gemm2_model(launch, device, Backend);
}

template <const std::string_view& Backend>
EmittedKernel emit(const Launch& launch, const DeviceSpec& device) {
  return emit_cutlass2_gemm(std::get<Contraction>(launch.kernel), std::get<ContractionConfig>(launch.config),
                            Backend, device.arch);
}

constexpr size_t kContraction = kernel_kind<Contraction>();
constexpr size_t kConvolution = kernel_kind<Convolution>();
constexpr std::string_view kArchs = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a";
constexpr std::string_view kConvolutionArchs = "sm_80 sm_86 sm_89 sm_90a";

constexpr std::array<BackendSpec, 4> kRows{{
    {.id = "cutlass2.contraction",
     .kind = kContraction,
     .archs = kArchs,
     .summary = "CUTLASS 2 main loops on tensor cores (mma.sync), any alignment, K in parts, any epilogue",
     .refuses = refuses<kTensor>,
     .configs = configs<kTensor>,
     .model = model<kTensor>,
     .emit = emit<kTensor>},
    {.id = "simt.contraction",
     .kind = kContraction,
     .archs = kArchs,
     .summary = "CUTLASS 2 main loops on FMA units: f32 as it is, and f64",
     .refuses = refuses<kSimt>,
     .configs = configs<kSimt>,
     .model = model<kSimt>,
     .emit = emit<kSimt>},
    {.id = "cutlass2.convolution",
     .kind = kConvolution,
     .archs = kConvolutionArchs,
     .summary =
         "implicit GEMM on CUTLASS 2 main loops on tensor cores: any rank, stride, dilation, groups and "
         "alignment, transposed ones too, any epilogue",
     .refuses = conv_refuses<kTensor>,
     .configs = configs<kTensor>,
     .model = model<kTensor>,
     .emit = conv_emit<kTensor>},
    {.id = "simt.convolution",
     .kind = kConvolution,
     .archs = kConvolutionArchs,
     .summary = "the same on FMA units: f32 as it is, and f64",
     .refuses = conv_refuses<kSimt>,
     .configs = configs<kSimt>,
     .model = model<kSimt>,
     .emit = conv_emit<kSimt>},
}};

}  // namespace

std::span<const BackendSpec> cutlass2_rows() { return kRows; }

}  // namespace uc::backends
