#include "plan/attention_model.h"

#include <algorithm>
#include <cmath>

#include "plan/attention_tiles.h"
#include "plan/model_parts.h"
#include "plan/scalar_cost.h"

namespace uc {
namespace {

using Schedule = ContractionConfig::Schedule;

// Fitted to 60 configurations of warpgroups on 13 shapes (bench/results/h200_attention_tiles.json): mean
// error 3.5 %.
constexpr double kGroupsShare = 0.89;        // of the tensor cores' rate
constexpr double kGroupsSpecial = 0.77;      // of an exponential's clocks, which other work hides in part
constexpr double kGroupsStepClocks = 535;    // a step over keys: its barriers
constexpr double kGroupsPieceClocks = 5800;  // first scores, last values and results of a tile of queries

// Assumed, of the order that other kernels with these instructions show on an H200:
constexpr double kShare = 0.44;             // of the tensor cores' rate, for instructions of a warp on SM90
constexpr double kBeside = 0.25;            // of what runs beside the slowest part
constexpr double kSmemBytesPerClock = 128;  // an SM
constexpr double kL2BytesPerClock = 40;     // an SM, while all of them load
constexpr double kStepClocks = 500;         // a step's barriers, and latencies that no other warp hides
constexpr double kFmaPerScore = 4;          // maximum, difference, sum, conversion
constexpr double kFmaPerHidden = 3;         // comparisons and selection, where something is hidden
constexpr double kBlockClocks = 2500;       // of a block: its first tiles, its results
constexpr double kFillUs = 2.0;             // first loads, last store
constexpr int64_t kReservedBytes = 1024;    // of shared memory, a block
constexpr int64_t kOtherRegisters = 60;
constexpr double kFmaPerClock = 128;  // an SM

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

// What a step of one block takes, in clocks of an SM that it has to itself.
struct StepClocks {
  double multiply = 0, special = 0, fma = 0;
};

StepClocks parts_of_step(const Attention& kernel, const AttentionTiles& tiles, const DeviceSpec& device) {
  const double scores = real(tiles.rows * tiles.keys);
  const double terms = kernel.math == Math::tf32x3 ? 3 : 1;
  const Math math = kernel.math == Math::tf32x3 ? Math::tf32 : kernel.math;
  const double rate = device.peak_flops(math) / device.sms / (device.boost_mhz * 1e6);
  const ScalarCost cost = scalar_cost(kernel.score);
  const double hidden = kernel.seen ? kFmaPerHidden : 0;
  StepClocks out;
  out.multiply = 2 * scores * real(tiles.dim + tiles.value) * terms / std::max(rate, 1.0);
  out.special = (cost.special + (kernel.softmax ? 1 : 0)) * scores / device.special_per_clock_per_sm;
  out.fma = (cost.fma + hidden + (kernel.softmax ? kFmaPerScore : 1)) * scores / kFmaPerClock;
  return out;
}

double step_clocks(const Attention& kernel, const AttentionTiles& tiles, const DeviceSpec& device) {
  const StepClocks parts = parts_of_step(kernel, tiles, device);
  const double loaded = real(tiles.keys * (tiles.dim + tiles.value) * tiles.size);
  const double warps = real(tiles.threads() / 32);
  const double multiply = parts.multiply / kShare;
  const double read = (loaded * warps + real(tiles.rows * tiles.dim * tiles.size)) / kSmemBytesPerClock;
  const double copy = loaded / kL2BytesPerClock;
  const double slowest = std::max({multiply, read, copy, parts.special, parts.fma});
  return slowest + kBeside * (multiply + read + copy + parts.special + parts.fma - slowest);
}

// Blocks that stay on their SM: one on each, which has the same number of pieces, or one more.
double groups_clocks(const Attention& kernel, const AttentionTiles& tiles, const DeviceSpec& device,
                     double pieces, double steps) {
  const StepClocks parts = parts_of_step(kernel, tiles, device);
  const double special = parts.special * kGroupsSpecial;
  // What the softmax itself needs of additions is in its exponentials' share.
  const double more = std::max(0.0, parts.fma - kFmaPerScore * real(tiles.rows * tiles.keys) / kFmaPerClock);
  const double step = parts.multiply / kGroupsShare + special + more + kGroupsStepClocks;
  const double together = kernel.causal ? 2 : 1;
  const double rounds = std::ceil(pieces / together / device.sms);
  return rounds * together * (kGroupsPieceClocks + steps / std::max(pieces, 1.0) * step);
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
  if (device.arch == "sm_90a") {
    for (const int64_t n : {80, 160}) add(128, n);
  }
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
  const double clocks = step_clocks(kernel, tiles, device) + kStepClocks / std::max(1.0, warps / 4);
  const double even = steps / device.sms;
  const double longest = steps / std::max(blocks, 1.0) * std::max(1.0, blocks / device.sms);
  const double filled = std::max(even, std::min(longest, steps));
  const double begun = kBlockClocks * std::max(1.0, blocks / device.sms);
  out.compute_us =
      (tiles.groups ? groups_clocks(kernel, tiles, device, blocks, steps) : filled * clocks + begun) /
      device.boost_mhz;
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
