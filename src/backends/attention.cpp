// Attention of every target since SM80: plain CUDA around the tensor cores' instructions of a warp.
#include "emit/attention.h"

#include <array>

#include "catalog/backend_spec.h"
#include "plan/attention_model.h"

namespace uc::backends {
namespace {

std::string refuses(const Launch& launch, const DeviceSpec&) {
  return attention_refuses(std::get<Attention>(launch.kernel));
}

EmittedKernel emit(const Launch& launch, const DeviceSpec& device) {
  return emit_attention(std::get<Attention>(launch.kernel), std::get<AttentionConfig>(launch.config),
                        device.arch);
}

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cuda.attention",
     .kind = kernel_kind<Attention>(),
     .archs = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a",
     .summary = "one pass over the keys with an online softmax; any views, score expression, mask and chain",
     .refuses = refuses,
     .configs = attention_configs,
     .model = attention_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> attention_rows() { return kRows; }

}  // namespace uc::backends
