#include "plan/attention_model.h"

#include <algorithm>

#include "plan/attention_tiles.h"
#include "plan/model_parts.h"
#include "plan/scalar_cost.h"

namespace uc {
namespace {

using Schedule = ContractionConfig::Schedule;

// Assumed, of the order that other kernels with these instructions show on an H200:
constexpr double kGroupsShare = 0.42;       // ... of warpgroups
constexpr double kShare = 0.46;             // of the tensor cores' rate, for instructions of a warp on SM90
constexpr double kBeside = 0.25;            // of what runs beside the slowest part
constexpr double kSmemBytesPerClock = 128;  // an SM
constexpr double kL2BytesPerClock = 40;     // an SM, while all of them load
constexpr double kStepClocks = 500;         // a step's barriers, and latencies that no other warp hides
constexpr double kGroupsStepClocks = 1300;  // a step of warpgroups: the next tile is said to be there late
constexpr double kFmaPerScore = 4;          // maximum, difference, sum, conversion
constexpr double kFmaPerHidden = 3;         // comparisons and selection, where something is hidden
constexpr double kBlockClocks = 2500;       // of a block: its first tiles, its results
constexpr double kFillUs = 2.0;             // first loads, last store
constexpr int64_t kReservedBytes = 1024;    // of shared memory, a block
constexpr int64_t kOtherRegisters = 60;

double view_bytes(const View& view) {
  double bytes = real(size_bytes(view.dtype));
  for (size_t d = 0; d < view.shape.size(); ++d) bytes *= view.stride[d] == 0 ? 1.0 : real(view.shape[d]);
  return bytes;
}

double memory_bytes(const Attention& kernel) {
  double bytes = view_bytes(kernel.q) + view_bytes(kernel.k) + view_bytes(kernel.v);
  for (const Scalar* scalar : {&kernel.score, &kernel.epilogue}) {
    for (const View& view : scalar->views) bytes += view_bytes(view);
  }
  return bytes;
}

int64_t resident(const AttentionTiles& tiles, const DeviceSpec& device) {
  const int64_t registers = std::min<int64_t>(255, tiles.held() + kOtherRegisters);
  return std::max<int64_t>(1, std::min(device.smem_per_sm / (tiles.shared() + kReservedBytes),
                                       device.registers_per_sm / (registers * tiles.threads())));
}

// Steps over keys of all blocks of a head.
double steps_of(const Attention& kernel, const AttentionTiles& tiles) {
  const int64_t blocks = up(kernel.queries(), tiles.rows);
  double steps = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t seen = kernel.causal ? std::min(kernel.keys(), (block + 1) * tiles.rows) : kernel.keys();
    steps += real(up(seen, tiles.keys));
  }
  return steps;
}

// One step of one block, in clocks of an SM that it has to itself.
double step_clocks(const Attention& kernel, const AttentionTiles& tiles, const DeviceSpec& device) {
  const double scores = real(tiles.rows * tiles.keys);
  const double terms = kernel.math == Math::tf32x3 ? 3 : 1;
  const Math math = kernel.math == Math::tf32x3 ? Math::tf32 : kernel.math;
  const double rate = device.peak_flops(math) * (tiles.groups ? kGroupsShare : kShare) / device.sms /
                      (device.boost_mhz * 1e6);
  const double multiply = 2 * scores * real(tiles.dim + tiles.value) * terms / std::max(rate, 1.0);
  const double loaded = real(tiles.keys * (tiles.dim + tiles.value) * tiles.size);
  const double warps = real(tiles.threads() / 32);
  const double read =
      tiles.groups ? 0 : (loaded * warps + real(tiles.rows * tiles.dim * tiles.size)) / kSmemBytesPerClock;
  const double copy = loaded / kL2BytesPerClock;
  const ScalarCost cost = scalar_cost(kernel.score);
  const double special = (cost.special + (kernel.softmax ? 1 : 0)) * scores / device.special_per_clock_per_sm;
  const double hidden = kernel.seen ? kFmaPerHidden : 0;
  const double fma = (cost.fma + hidden + (kernel.softmax ? kFmaPerScore : 1)) * scores / 128;
  const double slowest = std::max({multiply, read, copy, special, fma});
  return slowest + kBeside * (multiply + read + copy + special + fma - slowest);
}

}  // namespace

std::vector<Config> attention_configs(const Launch& launch, const DeviceSpec& device) {
  const auto& given = std::get<AttentionConfig>(launch.config);
  std::vector<Config> out;
  const auto add = [&](int64_t m, int64_t n) {
    for (const Schedule schedule : {Schedule::warp_specialized, Schedule::multistage}) {
      for (const int64_t stages : {2, 1}) {
        AttentionConfig config = given;
        config.tile_m = m;
        config.tile_n = n;
        if (given.stages == 0) config.stages = stages;
        if (given.schedule == Schedule::automatic) config.schedule = schedule;
        if (std::ranges::find(out, Config(config)) == out.end()) out.emplace_back(config);
      }
    }
  };
  if (given.tile_m != 0) {
    add(given.tile_m, given.tile_n);
    return out;
  }
  for (const int64_t m : {128, 64, 32, 16}) {
    for (const int64_t n : {64, 128, 32, 16}) add(m, n);
  }
  if (device.arch == "sm_90a") add(128, 192);
  return out;
}

Estimate attention_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Attention>(launch.kernel);
  const AttentionTiles tiles = attention_tiles(kernel, std::get<AttentionConfig>(launch.config));
  const double heads = real(kernel.batch() * kernel.heads());
  const double blocks = heads * real(up(kernel.queries(), tiles.rows) * tiles.slices);
  const double steps = heads * steps_of(kernel, tiles) * real(tiles.slices);
  const double together = real(resident(tiles, device));
  Estimate out;
  out.waves = blocks / (device.sms * together);
  // Blocks of an SM share its units; alone they wait between one step and the next.
  const double warps = together * real(tiles.threads() / 32);
  const double waiting = tiles.groups ? kGroupsStepClocks : kStepClocks / std::max(1.0, warps / 4);
  const double clocks = step_clocks(kernel, tiles, device) + waiting;
  const double even = steps / device.sms;
  const double longest = steps / std::max(blocks, 1.0) * std::max(1.0, blocks / device.sms);
  const double filled = std::max(even, std::min(longest, steps));
  const double begun = kBlockClocks * std::max(1.0, blocks / device.sms);
  out.compute_us = (filled * clocks + begun) / device.boost_mhz;
  out.memory_us = memory_bytes(kernel) / seen_bandwidth(device) * 1e6;
  out.total_us = std::max(out.compute_us, out.memory_us) + kFillUs + device.launch_us;
  const double flops = 2 * heads * real(kernel.queries()) * real(kernel.keys()) *
                       real(kernel.head_dim() + kernel.value_dim()) * (kernel.causal ? 0.5 : 1.0);
  const Math math = kernel.math == Math::tf32x3 ? Math::tf32 : kernel.math;
  const double best = device.calibrated_flops(math);
  if (best > 0) out.efficiency = flops / best * 1e6 / out.total_us;
  return out;
}

}  // namespace uc
