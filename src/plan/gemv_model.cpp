#include "plan/gemv_model.h"

#include <algorithm>
#include <array>

#include "check/slices.h"
#include "plan/gemm_model.h"
#include "plan/gemv_shape.h"
#include "plan/model_parts.h"

namespace uc {
namespace {

// Assumed, none of them measured:
constexpr double kFillUs = 2.0;     // launch of the blocks, first loads, sums of the lanes, last store
constexpr double kLatencyUs = 0.9;  // from a request to its arrival, under load
constexpr double kResident = 6;     // blocks of 256 threads an SM, by registers
constexpr double kFmaShare = 0.5;   // of the rate of multiply-adds: conversions and addresses beside them
constexpr int64_t kThreads = 256;
constexpr int64_t kLeastSlice = 512;                     // elements of K
constexpr std::array<int64_t, 3> kBlocksPerSm{2, 4, 8};  // that slices are to give

// Bytes that a block has on its way: what uc_gemv.cuh unrolls.
double in_flight(const GemvShape& shape, const Contraction& kernel) {
  const int64_t packs = shape.along_k ? shape.thread_lines * 2 : 4;
  return real(kThreads * packs * shape.vector * size_bytes(kernel.a.dtype));
}

bool combines(const Contraction& kernel) {
  return std::ranges::any_of(kernel.epilogue.effects,
                             [](const Effect& effect) { return effect.combine != Combine::none; });
}

}  // namespace

std::vector<Config> gemv_configs(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& given = std::get<ContractionConfig>(launch.config);
  if (given.split != 0) return {given};
  std::vector<Config> out;
  if (given.scheduler == ContractionConfig::Scheduler::automatic) {
    ContractionConfig whole = given;
    whole.split = 1;  // said, so that a choice that is written out stays one
    out.emplace_back(whole);
  }
  const int64_t blocks = GemvShape(kernel).blocks(kernel, 1);
  for (const int64_t per_sm : kBlocksPerSm) {
    ContractionConfig sliced = given;
    sliced.scheduler = ContractionConfig::Scheduler::split_k;
    sliced.split = std::min(per_sm * device.sms / blocks, kernel.k() / kLeastSlice);
    if (sliced.split > 1 && std::ranges::find(out, Config(sliced)) == out.end()) out.emplace_back(sliced);
  }
  if (out.empty()) {
    ContractionConfig sliced = given;
    sliced.split = std::clamp<int64_t>(kernel.k() / GemvShape::kTile, 1, 2);
    out.emplace_back(sliced);
  }
  return out;
}

Estimate gemv_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& config = std::get<ContractionConfig>(launch.config);
  const GemvShape shape(kernel);
  const bool sliced = config.split > 1 || combines(kernel);
  const double blocks = real(shape.blocks(kernel, config.split));
  const double result = real(kernel.batch() * kernel.m() * kernel.n());
  const double operands =
      real(kernel.batch() * kernel.k()) * real(kernel.m() + kernel.n()) * real(size_bytes(kernel.a.dtype));
  const double bytes = operands + (sliced ? 0 : result * epilogue_bytes(kernel));
  const double bandwidth = seen_bandwidth(device) / 1e6;  // bytes a microsecond
  const double asked = std::min(blocks, kResident * device.sms) * in_flight(shape, kernel) / kLatencyUs;
  Estimate out;
  out.waves = blocks / (kResident * device.sms);
  out.memory_us = bytes / std::min(bandwidth, asked);
  const double clocks = result * real(kernel.k()) / (128.0 * kFmaShare * device.sms);
  out.compute_us = clocks / device.boost_mhz;
  out.total_us = std::max(out.memory_us, out.compute_us) + kFillUs + device.launch_us;
  if (sliced)
    out.total_us += addition_us(kernel, slices_of(kernel.k(), GemvShape::kTile, config.split).count, device);
  out.efficiency = efficiency(kernel, kernel.math, out.total_us, device);
  return out;
}

}  // namespace uc
