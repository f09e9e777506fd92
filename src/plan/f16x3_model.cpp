#include "plan/f16x3_model.h"

#include <algorithm>

#include "check/f16x3.h"
#include "check/multiplied.h"
#include "ir/operand.h"
#include "plan/gemm_model.h"
#include "plan/model_parts.h"

namespace uc {
namespace {

// What the tensor cores see: an f16 product, K three times as long.
Launch as_f16(const Launch& launch) {
  Launch out = as_multiplied(launch);
  std::get<Contraction>(out.kernel).math = Math::f16;
  return out;
}

// Two sets of accumulators a thread.
int64_t accumulators(const ContractionConfig& config) {
  const bool cooperative = config.schedule != ContractionConfig::Schedule::pingpong;
  return 2 * config.tile_m * config.tile_n / (cooperative ? 256 : 128);
}

// Bytes that splitting reads and writes for one operand: four read and four written, and read once more where
// the largest magnitude of a line is looked for by a launch of its own.
double split_bytes(const View& view) {
  const int64_t l = view.stride[0] == 0 ? 1 : view.shape[0];
  return real(l * view.shape[1]) *
         (real(view.shape[2]) * (k_major(view) ? 4 : 8) + 4 * real(half_k(view.shape[2], 0)));
}

bool looks(const Contraction& kernel) { return !k_major(kernel.a) || !k_major(kernel.b); }

constexpr double kPromotion = 1.07;  // of a k-loop: additions of promoted sums that other warps do not hide

}  // namespace

std::vector<Config> f16x3_configs(const Launch& launch, const DeviceSpec& device) {
  std::vector<Config> out;
  const auto scheduler = std::get<ContractionConfig>(launch.config).scheduler;
  for (const Config& config : gemm_configs(as_f16(launch), device)) {
    const auto& each = std::get<ContractionConfig>(config);
    // Parts of K of several blocks only where they are asked for: CUTLASS adds them one after the other.
    const bool asked = each.split <= 1 || scheduler != ContractionConfig::Scheduler::automatic ||
                       std::get<ContractionConfig>(launch.config).split > 1;
    if (asked && accumulators(each) <= kPromotedAccumulators) out.push_back(config);
  }
  return out;
}

double split_us(const Contraction& kernel, const DeviceSpec& device) {
  return (split_bytes(kernel.a) + split_bytes(kernel.b)) / seen_bandwidth(device) * 1e6 +
         (looks(kernel) ? 2 : 1) * device.launch_us;
}

Estimate f16x3_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  Estimate out = gemm_model(as_f16(launch), device);
  const double split = split_us(kernel, device);
  out.compute_us *= kPromotion;
  out.total_us = out.total_us * kPromotion + split;
  out.memory_us += split;
  out.efficiency = efficiency(kernel, Math::f16x3, out.total_us, device);
  return out;
}

}  // namespace uc
