#include "plan/gemm2_model.h"

#include <algorithm>

#include "plan/conv_product.h"
#include "plan/epilogue_leaves.h"
#include "plan/gemm2_choices.h"
#include "plan/model_parts.h"
#include "plan/scalar_cost.h"

namespace uc {
namespace {

using Scheduler = ContractionConfig::Scheduler;

// Assumed, of the order that other kernels show on an H200 (gemm_model.cpp):
constexpr double kInTile = 1.1;                // the rate within a tile, over that of a whole problem
constexpr double kBeside = 0.1;                // of what runs beside the slowest part
constexpr double kSmemBytesPerClock = 128;     // an SM
constexpr double kL2BytesPerClock = 50;        // an SM, while all of them load
constexpr double kLatencyUs = 0.8;             // from the request of a tile to its arrival, under load
constexpr double kFillUs = 2.0;                // first loads, last store
constexpr double kAccessesPerClock = 16;       // an SM: copies into shared memory, whatever their width
constexpr double kInstructionsPerElement = 8;  // of an epilogue: exchange, addresses, conversion
constexpr double kInstructionsPerFma = 2;
constexpr double kScatteredInput = 1.7;  // the main loop, when single elements are gathered
constexpr double kScatteredFilters = 1.3;
// Fitted to the layers of bench/results/h200_conv_layers.json that CUTLASS 2 served: conv_layers_test.cpp.
constexpr double kWindows = 1.35;  // the main loop of convolutions: addresses and bounds of every access
constexpr double kSingleWindowsPerClock =
    3.5;                                    // accesses of less than 16 bytes: the tap of each is looked up
constexpr int64_t kReservedBytes = 1024;    // of shared memory, a block
constexpr int64_t kMaxThreadsPerSm = 1536;  // with half the registers a thread each
constexpr int64_t kLeastSteps = 8;          // of K, in a part: fewer do not pay for the sum
constexpr int64_t kMostTilesInBand = 8;     // tiles across, so that a wave shares operands in L2

int64_t resident_blocks(const Contraction& kernel, const Gemm2Tile& tile, int64_t stages,
                        const DeviceSpec& device) {
  const int64_t by_memory = device.smem_per_sm / (gemm2_shared_bytes(kernel, tile, stages) + kReservedBytes);
  // Accumulators, operands in flight and addresses: about 100 registers beside the accumulators.
  const int64_t registers = tile.m * tile.n / tile.threads() * (size_bytes(kernel.accumulate) / 4) + 100;
  const int64_t by_registers = device.registers_per_sm / (std::min<int64_t>(255, registers) * tile.threads());
  return std::max<int64_t>(1, std::min({by_memory, by_registers, kMaxThreadsPerSm / tile.threads()}));
}

// One step of K in one block while `resident` of them share the SM: what the SM needs for all of them.
double step_us(const Contraction& kernel, const ContractionConfig& config, const Gemm2Family& family,
               const Gemm2Tile& tile, int64_t resident, bool windows, const DeviceSpec& device) {
  const double blocks = real(resident);
  const double rate = device.peak_flops(kernel.math) * family.share * kInTile / device.sms / 1e6;
  const double multiply = blocks * 2 * real(tile.m * tile.n * tile.k) / rate;
  // Every warp reads its rows and columns of the stage.
  const double read = real(tile.threads() / 32 * (tile.warp_m + tile.warp_n) * tile.k) *
                      real(size_bytes(kernel.a.dtype)) * blocks / kSmemBytesPerClock / device.boost_mhz;
  const double bytes = real((tile.m + tile.n) * tile.k * size_bytes(kernel.a.dtype));
  const double load = blocks * bytes / kL2BytesPerClock / device.boost_mhz;
  // SIMT moves single elements; tensor operands as many as are aligned.
  const double a_width = family.tensor() ? real(gemm2_alignment(kernel.a, config.align)) : 1;
  const double b_width = family.tensor() ? real(gemm2_alignment(kernel.b, config.align)) : 1;
  const double whole = 16 / real(size_bytes(kernel.a.dtype));
  const auto clocks = [&](double rows, double width) {
    const bool single = windows && width < whole;
    return rows * real(tile.k) / width / (single ? kSingleWindowsPerClock : kAccessesPerClock);
  };
  const double issue =
      blocks * (clocks(real(tile.m), a_width) + clocks(real(tile.n), b_width)) / device.boost_mhz;
  const double latency = kLatencyUs / real(std::max<int64_t>(1, config.stages - 1));
  const double slowest = std::max({multiply, read, load, issue, latency});
  return (slowest + kBeside * (multiply + read + load + issue + latency - slowest)) *
         (windows ? kWindows : 1);
}

std::vector<int64_t> parts_to_try(const Contraction& kernel, const ContractionConfig& given,
                                  const Gemm2Tile& tile, const DeviceSpec& device) {
  if (given.split != 0) return {given.split};
  std::vector<int64_t> out;
  if (given.scheduler != Scheduler::split_k) out.push_back(0);
  const int64_t tiles = kernel.batch() * up(kernel.m(), tile.m) * up(kernel.n(), tile.n);
  const int64_t steps = up(kernel.k(), tile.k);
  for (const int64_t parts : {2, 4, 8, 16, 32}) {
    const bool worth = tiles * parts <= 2 * int64_t{device.sms} && steps / parts >= kLeastSteps;
    const bool asked = given.scheduler == Scheduler::split_k && out.empty();
    if (worth || (asked && steps >= parts)) out.push_back(parts);
  }
  return out;
}

// Channels that are not contiguous lie in sectors of their own, of which one element is used.
double scattered(const Launch& launch) {
  const auto* conv = std::get_if<Convolution>(&launch.kernel);
  if (conv == nullptr) return 1;
  const auto apart = [](const View& view, size_t at) { return view.shape[at] > 1 && view.stride[at] != 1; };
  const size_t last = conv->x.shape.size() - 1;
  return (apart(conv->x, last) ? kScatteredInput : 1) *
         (apart(conv->w, conv->transposed ? 0 : last) ? kScatteredFilters : 1);
}

// Registers a thread of what a convolution's iterators hold when an access is less than 16 bytes: rows, and a
// point of K for each access of a vector. Else they are few.
int64_t iterator_registers(const Launch& launch, const Contraction& kernel, const Gemm2Tile& tile,
                           const ContractionConfig& config) {
  const auto* conv = std::get_if<Convolution>(&launch.kernel);
  if (conv == nullptr) return 0;
  const int64_t whole = std::max<int64_t>(1, 16 / size_bytes(kernel.a.dtype));
  const int64_t points_a = whole / gemm2_alignment(kernel.a, config.align);
  const int64_t points_b = whole / gemm2_alignment(kernel.b, config.align);
  const auto rank = static_cast<int64_t>(spatial_rank(*conv));
  const int64_t rows = tile.m * tile.k / whole / tile.threads();
  return (points_a > 1 ? points_a * (1 + rank) + rows * (2 + rank) : 0) + (points_b > 1 ? points_b * 2 : 0);
}

double operand_bytes(const Launch& launch) {
  if (const auto* conv = std::get_if<Convolution>(&launch.kernel)) return conv_operand_bytes(*conv);
  const auto& kernel = std::get<Contraction>(launch.kernel);
  return real(kernel.batch() * kernel.k()) * (real(kernel.m()) * real(size_bytes(kernel.a.dtype)) +
                                              real(kernel.n()) * real(size_bytes(kernel.b.dtype)));
}

}  // namespace

std::vector<Config> gemm2_configs(const Launch& launch, const DeviceSpec& device, std::string_view backend) {
  const Product product(launch);
  const Contraction& kernel = *product;
  const auto& given = std::get<ContractionConfig>(launch.config);
  const auto family = gemm2_family(kernel, backend, device.arch);
  std::vector<Config> out;
  if (!family) return out;
  const bool transposed = gemm2_transposed(kernel);
  for (const Gemm2Tile& tile : family->tiles) {
    ContractionConfig config = given;
    if (given.tile_m == 0) {
      config.tile_m = transposed ? tile.n : tile.m;
      config.tile_n = transposed ? tile.m : tile.n;
      config.tile_k = tile.k;
    }
    if (gemm2_tile(*family, kernel, config) != &tile) continue;
    const int64_t registers =
        gemm2_registers(kernel, tile, config) + iterator_registers(launch, kernel, tile, config);
    if (given.tile_m == 0 && registers > kGemm2MostRegisters) continue;
    if (given.stages == 0) {
      config.stages = gemm2_asynchronous(kernel, config) ? tile.stages : 2;
      while (config.stages > 3 && gemm2_shared_bytes(kernel, tile, config.stages) > device.smem_per_block)
        --config.stages;
    }
    if (config.cluster_m == 0) config.cluster_m = config.cluster_n = 1;
    if (config.schedule == ContractionConfig::Schedule::automatic)
      config.schedule = ContractionConfig::Schedule::multistage;
    const int64_t across = std::min(up(kernel.m(), config.tile_m), up(kernel.n(), config.tile_n));
    if (given.swizzle == 0) config.swizzle = std::min(kMostTilesInBand, std::max<int64_t>(1, across));
    for (const int64_t parts : parts_to_try(kernel, given, tile, device)) {
      config.split = parts;
      out.emplace_back(config);
    }
  }
  return out;
}

Estimate gemm2_model(const Launch& launch, const DeviceSpec& device, std::string_view backend) {
  const Product product(launch);
  const Contraction& kernel = *product;
  const auto& config = std::get<ContractionConfig>(launch.config);
  Estimate out;
  const auto family = gemm2_family(kernel, backend, device.arch);
  const Gemm2Tile* tile = family ? gemm2_tile(*family, kernel, config) : nullptr;
  if (tile == nullptr) return out;
  const int64_t parts = std::max<int64_t>(1, config.split);
  const int64_t blocks =
      kernel.batch() * up(kernel.m(), config.tile_m) * up(kernel.n(), config.tile_n) * parts;
  const int64_t most = resident_blocks(kernel, *tile, config.stages, device);
  const int64_t resident = std::clamp<int64_t>(up(blocks, device.sms), 1, most);
  out.waves = real(blocks) / real(device.sms * resident);
  const double steps = real(up(up(kernel.k(), tile->k), parts));
  const bool windows = std::holds_alternative<Convolution>(launch.kernel);
  const double main = step_us(kernel, config, *family, *tile, resident, windows, device) * steps;

  const ScalarCost cost = scalar_cost(kernel.epilogue);
  const double issue = (kInstructionsPerElement + kInstructionsPerFma * cost.fma) / 128;
  const double elements = real(tile->m * tile->n * resident);
  const double epilogue =
      elements * std::max(issue, cost.special / device.special_per_clock_per_sm) / device.boost_mhz;
  out.compute_us = real(up(blocks, device.sms * resident)) * (main * scattered(launch) + epilogue);

  const double result = real(kernel.batch() * kernel.m() * kernel.n());
  const double bytes = operand_bytes(launch) + result * epilogue_bytes(kernel);
  const double bandwidth = seen_bandwidth(device) / 1e6;  // bytes a microsecond
  out.memory_us = bytes / bandwidth;
  out.total_us = std::max(out.compute_us, out.memory_us) + kFillUs + device.launch_us;
  if (parts > 1) {
    // Partial sums are written by one kernel and read by another, which is launched behind the first.
    const double sums = result * real(size_bytes(kernel.accumulate)) * real(parts) * 2;
    out.memory_us += sums / bandwidth;
    out.total_us += sums / bandwidth + device.launch_us;
  }
  out.efficiency = efficiency(kernel, kernel.math, out.total_us, device);
  return out;
}

}  // namespace uc
