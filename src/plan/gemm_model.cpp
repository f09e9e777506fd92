#include "plan/gemm_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "check/slices.h"
#include "ir/operand.h"
#include "plan/conv_product.h"
#include "plan/epilogue_leaves.h"
#include "plan/epilogue_rows.h"
#include "plan/model_parts.h"
#include "plan/scalar_cost.h"
#include "plan/skipped_work.h"
#include "plan/smem_model.h"

namespace uc {
namespace {

using Schedule = ContractionConfig::Schedule;

// Fitted to times measured on one H200, not derived: shapes of bench/results/h200_gemm_grid_f16.json.
// gemm_grid_test.cpp says how well they follow, and how well each did with constants that the others gave;
// gemm_model_test.cpp what was measured before.
constexpr double kInTile = 1.092;         // the rate within a tile, over the best rate of a whole GEMM
constexpr double kL2BytesPerNs = 90;      // an SM, however many of them load
constexpr double kSplitLines = 1.42;      // L2 traffic where 128 bytes of K lie in two cache lines, over else
constexpr double kLatencyUs = 0.48;       // from the request of a tile to its arrival
constexpr double kFillUs = 1.5;           // descriptors, first loads, last store
constexpr double kFillUsPerMegabyte = 9;  // of stages to load at first
constexpr double kInstructionsPerFma =
    2;  // of an epilogue: conversions, moves and address arithmetic beside each
constexpr double kInstructionsPerElement = 5.9;
constexpr double kSmemBytesPerClock = 132;  // an SM
constexpr double kKeptInL2 = 0.51;          // share of L2 that operands keep between waves
constexpr double kBeside = 0.014;           // of what runs beside the slowest part: power and contention
constexpr double kBesideDram = 0.12;        // of DRAM traffic beside the multiplication: power above all
constexpr double kPromotion = 0.5;          // of f8 sums' additions is not hidden: assumed
constexpr double kPair = 1.005;             // two blocks wait for each other
constexpr double kLargeCluster = 1.086;     // more than two do
constexpr double kClusterUs = 0.4;          // blocks of a cluster meet before they begin, and before they end
constexpr double kOutside = 1.6;            // a step whose boxes of an operand lie partly outside of it
constexpr double kRunBytes = 800;           // of DRAM's time at a result that is written in short runs, over
constexpr double kMostRuns = 0.25;          // their length; at most this share
constexpr double kLastRound = 0.74;         // of a round that leaves SMs idle: the others run faster
// Of the addition of slices; assumed, to be fitted:
constexpr double kAdditionUs =
    3.0;  // from the last tile to the first results, of a function that is already launched
constexpr double kSlicesInL2BytesPerUs = 4e6;  // the whole device
// Of rows that meet in the epilogue; fitted to the six kernels of bench/results/h200_row_epilogues.json:
constexpr double kGathered = 7;     // instructions an element each time it is gathered or made anew
constexpr double kMeetingUs = 1.2;  // for blocks of a cluster to send each other what they have seen, once
// Fitted to the layers of bench/results/h200_conv_layers.json that CUTLASS 3 served (conv_layers_test.cpp):
constexpr double kWindowsL2 = 1.2;         // L2 time of images that TMA reads window by window, over else
constexpr double kWindowsStep = 1.14;      // a step of K of these, over that of a product of matrices
constexpr double kPingpongEpilogue = 0.3;  // of an epilogue is not hidden by the other group's multiplication

// SMs that clusters can use: whole clusters within a GPC of 16 or 18 SMs. Of clusters of four 32 do not run
// at once on an H200: 128 tiles in such take two rounds, 120 one.
int64_t usable_sms(const DeviceSpec& device, int64_t cluster) {
  if (cluster <= 2) return device.sms / cluster * cluster;
  return device.sms / 16 * 16 - 8;
}

// Columns that one instruction multiplies.
int64_t instruction_n(int64_t tile_n) {
  for (const int64_t n : {256, 192, 128, 96, 64, 32, 16}) {
    if (tile_n % n == 0) return n;
  }
  return 8;
}

struct Grid {
  int64_t m = 0, n = 0;  // tiles, padded to clusters and swizzle
};

int64_t padded(int64_t count, int64_t multiple) { return up(count, multiple) * multiple; }

// As the tile scheduler limits it, which pads tiles to clusters before.
int64_t swizzle_of(const Contraction& kernel, const ContractionConfig& config) {
  const int64_t least = std::min(padded(up(kernel.m(), config.tile_m), config.cluster_m),
                                 padded(up(kernel.n(), config.tile_n), config.cluster_n));
  if (config.swizzle >= 8 && least >= 6) return 8;
  if (config.swizzle >= 4 && least >= 3) return 4;
  return config.swizzle >= 2 && least >= 2 ? 2 : 1;
}

Grid grid_of(const Contraction& kernel, const ContractionConfig& config) {
  const int64_t swizzle = swizzle_of(kernel, config);
  // Groups end anywhere: half a cluster is lost in each.
  const int64_t rows = up(kernel.m(), config.tile_m) + kernel.groups() * config.cluster_m / 2;
  return {padded(rows, config.cluster_m * swizzle),
          padded(up(kernel.n(), config.tile_n), config.cluster_n * swizzle)};
}

// Rows and columns of tiles that a wave has.
Grid wave_of(const Contraction& kernel, const ContractionConfig& config, const Grid& grid, int64_t tiles) {
  const bool along_m = config.raster == ContractionConfig::Raster::along_m ||
                       (config.raster == ContractionConfig::Raster::automatic && grid.n > grid.m);
  const int64_t swizzle = swizzle_of(kernel, config);
  const int64_t long_side = along_m ? grid.m : grid.n;
  const int64_t across =
      std::min(along_m ? grid.n : grid.m, swizzle * (along_m ? config.cluster_n : config.cluster_m));
  const int64_t along = std::min(long_side, up(tiles, across));
  const int64_t lanes =
      std::max(across, up(tiles, long_side));  // a wave longer than one pass starts the next
  return along_m ? Grid{along, lanes} : Grid{lanes, along};
}

// Bytes of A and B that a wave of tiles reads, each once.
double wave_bytes(const Contraction& kernel, const ContractionConfig& config, const Grid& wave) {
  return real(kernel.k()) *
         (real(std::min(wave.m * config.tile_m, kernel.m())) * real(size_bytes(kernel.a.dtype)) +
          real(std::min(wave.n * config.tile_n, kernel.n())) * real(size_bytes(kernel.b.dtype)));
}

// Operands, as often as they are read.
double dram_us(const Contraction& kernel, const ContractionConfig& config, const Grid& grid, int64_t sms,
               const DeviceSpec& device) {
  const double once = real(kernel.k()) * (real(kernel.m()) * real(size_bytes(kernel.a.dtype)) +
                                          real(kernel.n() * std::max<int64_t>(1, kernel.groups())) *
                                              real(size_bytes(kernel.b.dtype)));
  double operands = once;
  if (once > kKeptInL2 * real(device.l2_bytes)) {
    const double waves = real(grid.m * grid.n) / real(sms);
    const Grid wave = wave_of(kernel, config, grid, std::min(sms, grid.m * grid.n));
    operands = std::max(once, std::ceil(waves) * wave_bytes(kernel, config, wave));
  }
  return real(kernel.batch()) * operands / seen_bandwidth(device) * 1e6;
}

// What is written or read beside the sums. Tiles that lie side by side make long runs of a row.
double results_us(const Contraction& kernel, const ContractionConfig& config, const Grid& grid, int64_t sms,
                  const DeviceSpec& device) {
  const double results = real(kernel.batch() * kernel.m() * kernel.n());
  const double bytes = epilogue_bytes(kernel);
  const int64_t columns = wave_of(kernel, config, grid, std::min(sms, grid.m * grid.n)).n * config.tile_n;
  const double runs =
      columns >= kernel.n() ? 0 : std::min(kMostRuns, kRunBytes / (real(columns) * std::max(1.0, bytes)));
  return results * bytes * (1 + runs) / seen_bandwidth(device) * 1e6;
}

// Boxes that TMA reads of an operand, a block's share of its cluster's tile, are longer than the operand:
// what lies outside comes more slowly than what is read.
bool boxes_outside(const Contraction& kernel, const ContractionConfig& config) {
  return kernel.m() * std::max<int64_t>(1, config.cluster_n) < config.tile_m ||
         kernel.n() * std::max<int64_t>(1, config.cluster_m) < config.tile_n;
}

// Rows of an operand do not begin with a cache line, so that 128 bytes of a tile's row lie in two.
bool splits_lines(const Contraction& kernel) {
  const auto splits = [](const View& view) {
    const int64_t row = view.stride[k_major(view) ? 1 : 2];
    return row * size_bytes(view.dtype) % 128 != 0;
  };
  return splits(kernel.a) || splits(kernel.b);
}

// Rounds of tiles; the last counts for less when it is not full.
double rounds_of(double tiles, double sms) {
  const double whole = tiles / sms;
  return whole + (std::ceil(whole) - whole) * kLastRound;
}

// Slices of K are matrices of a batch, and what they give is added by a function of its own, out of L2 where
// it fits.
GemmTime sliced_time(const Contraction& kernel, const ContractionConfig& config, const DeviceSpec& device) {
  const Slices slices = slices_of(kernel.k(), config.tile_k, config.split);
  Contraction product = slice_product(kernel);
  for (View* operand : {&product.a, &product.b}) {
    operand->shape[0] *= slices.count;
    operand->shape[2] = slices.tiles * config.tile_k;
  }
  GemmTime out = gemm_time(product, slice_config(config), device);
  out.addition_us = addition_us(kernel, slices.count, device);
  out.total_us += out.addition_us;
  return out;
}

// Of what is computed for every element: what met is computed once a row.
ScalarCost element_cost(const Contraction& kernel) {
  if (!has_rows(kernel.epilogue)) return scalar_cost(kernel.epilogue);
  constexpr size_t kColumns = 2;  // of [L, M, N]
  const std::vector<bool> moves =
      varying(kernel.epilogue, {kernel.batch(), kernel.m(), kernel.n()}, {kColumns});
  Scalar elements = kernel.epilogue;
  for (size_t i = 0; i < moves.size(); ++i) {
    if (!moves[i]) elements.nodes[i] = Node{};
  }
  return scalar_cost(elements);
}

// What meets in rows is gathered once a stage; the tile is gone over once more for what is stored of it.
void add_rows(const Contraction& kernel, const ContractionConfig& config, const DeviceSpec& device,
              GemmTime& time) {
  if (!has_rows(kernel.epilogue)) return;
  const EpilogueRows rows = epilogue_rows(kernel.epilogue);
  const double stages = real(static_cast<int64_t>(rows.stages.size()));
  const double passes = stages + (rows.early.empty() && rows.late.empty() ? 0 : 1);
  time.rows_us = real(config.tile_m * config.tile_n) * passes * kGathered / 128 / device.boost_mhz;
  time.epilogue_us += time.rows_us;
  if (blocks_of_row(kernel, config) > 1) time.meeting_us = stages * kMeetingUs;
}

}  // namespace

double addition_us(const Contraction& kernel, int64_t slices, const DeviceSpec& device) {
  const double result = real(kernel.batch() * kernel.m() * kernel.n());
  const double sums = result * real(slices * size_bytes(kernel.accumulate));
  const double dram = seen_bandwidth(device) / 1e6;
  const double kept = sums < kKeptInL2 * real(device.l2_bytes) ? kSlicesInL2BytesPerUs : dram;
  return kAdditionUs + sums / kept + result * epilogue_bytes(kernel) / dram;
}

namespace {

// Tiles that differ in length, the longest first and the shortest after it: not fitted.
constexpr double kUneven = 1.08;       // of what all of them take, over evenly filled blocks
constexpr double kOperandsHeld = 0.5;  // of a triangular operand, at least

// As if all tiles went over all of K, less what is left out.
double uneven_us(const Contraction& kernel, const ContractionConfig& config, const GemmTime& time,
                 double clusters, double slots) {
  const SkippedWork work = skipped_work(kernel, config);
  const double all = real(kernel.batch()) * work.all * time.step_us + clusters * time.epilogue_us;
  return std::max(work.longest * time.step_us + time.epilogue_us, kUneven * all / slots);
}

// `operands_us`: what operands of a convolution take of the memory's time; without it, those of a product of
// matrices.
GemmTime whole_time(const Contraction& kernel, const ContractionConfig& config, const DeviceSpec& device,
                    std::optional<double> operands_us) {
  GemmTime out;
  const bool windows = operands_us.has_value();
  const int64_t cluster = std::max<int64_t>(1, config.cluster_m * config.cluster_n);
  const int64_t sms = usable_sms(device, cluster);
  const Grid grid = grid_of(kernel, config);
  const int64_t tiles = kernel.batch() * grid.m * grid.n;
  out.rounds = real(up(tiles, sms));

  const double a = real(size_bytes(kernel.a.dtype));
  const double b = real(size_bytes(kernel.b.dtype));
  const double tile_m = real(config.tile_m);
  const double tile_n = real(config.tile_n);
  const double tile_k = real(config.tile_k);
  const double rate =
      std::min(device.calibrated_flops(kernel.math) * kInTile, device.peak_flops(kernel.math)) / device.sms;
  out.tensor_us = 2 * tile_m * tile_n * tile_k / rate * 1e6;
  // Sums of f8 are added up in registers after every 128 products; the tensor core waits for half of that.
  if (kernel.math == Math::f8 && !config.fast_accumulate)
    out.tensor_us += kPromotion * tile_m * tile_n * tile_k / 128 / 128 / device.boost_mhz;
  // Every 64 rows read B again, every instruction along N reads A again; loads are written once.
  const double read =
      tile_k * (tile_m / 64 * tile_n * b + real(config.tile_n / instruction_n(config.tile_n)) * tile_m * a);
  const double loaded = tile_k * (tile_m * a + tile_n * b);
  out.smem_us = (read + loaded) / kSmemBytesPerClock / device.boost_mhz;
  const double from_l2 = tile_k * (tile_m * a / real(config.cluster_n) + tile_n * b / real(config.cluster_m));
  out.l2_us = from_l2 * (splits_lines(kernel) ? kSplitLines : 1) / kL2BytesPerNs / 1e3;
  const int64_t stages =
      config.stages > 0 ? config.stages : stages_that_fit(kernel, config, device.smem_per_block);
  if (windows) out.l2_us *= kWindowsL2;
  out.latency_us = kLatencyUs / real(std::max<int64_t>(1, stages - 1));
  const double slowest = std::max({out.tensor_us, out.smem_us, out.l2_us, out.latency_us});
  out.step_us = slowest + kBeside * (out.tensor_us + out.smem_us + out.l2_us -
                                     std::min(slowest, out.tensor_us + out.smem_us + out.l2_us));
  if (windows) out.step_us *= kWindowsStep;
  if (cluster > 1) out.step_us *= cluster > 2 ? kLargeCluster : kPair;
  if (!windows && boxes_outside(kernel, config)) out.step_us *= kOutside;

  const ScalarCost cost = element_cost(kernel);
  // Special functions run beside the rest of the instructions.
  const double issue = (kInstructionsPerElement + kInstructionsPerFma * cost.fma) / 128;
  const double cycles = tile_m * tile_n * std::max(issue, cost.special / device.special_per_clock_per_sm);
  out.epilogue_us =
      cycles / device.boost_mhz + tile_m * tile_n * epilogue_bytes(kernel) / kL2BytesPerNs / 1e3;
  add_rows(kernel, config, device, out);

  double main_us = out.step_us * real(up(kernel.k(), config.tile_k));
  double rounds = rounds_of(real(tiles), real(sms));
  if (config.scheduler == ContractionConfig::Scheduler::stream_k) {
    main_us += 2 * tile_m * tile_n * 4 / kL2BytesPerNs / 1e3;
    rounds = std::max(real(tiles) / real(sms), 8.0 / real(up(kernel.k(), config.tile_k)));
  }
  // Pingpong: one group multiplies while the other stores, or waits; the last epilogue is not hidden.
  const double behind_us = out.epilogue_us + out.meeting_us;
  double compute =
      config.schedule == Schedule::pingpong
          ? rounds * (std::max(main_us, behind_us) + kPingpongEpilogue * std::min(main_us, out.epilogue_us)) +
                behind_us
          : rounds * (main_us + behind_us);
  double operands = operands_us ? *operands_us : dram_us(kernel, config, grid, sms, device);
  if (config.skip_zeros) {
    compute = uneven_us(kernel, config, out, real(tiles / cluster), real(sms / cluster));
    operands *= std::max(kOperandsHeld, skipped_work(kernel, config).share);
  }
  out.dram_us = operands + results_us(kernel, config, grid, sms, device);
  out.total_us = std::max(compute, out.dram_us) + kBesideDram * std::min(compute, out.dram_us) + kFillUs +
                 kFillUsPerMegabyte * real(stages) * loaded / 1e6 + (cluster > 1 ? kClusterUs : 0);
  return out;
}

Estimate estimate_of(const Contraction& kernel, const ContractionConfig& config, const GemmTime& time,
                     const DeviceSpec& device) {
  Estimate out;
  const Grid grid = grid_of(kernel, config);
  const int64_t slices =
      in_slices(kernel, config) ? slices_of(kernel.k(), config.tile_k, config.split).count : 1;
  out.waves = real(kernel.batch() * slices * grid.m * grid.n) /
              real(usable_sms(device, std::max<int64_t>(1, config.cluster_m * config.cluster_n)));
  out.total_us = time.total_us + device.launch_us;
  out.memory_us = time.dram_us;
  out.compute_us = time.total_us - kFillUs;
  out.efficiency = efficiency(kernel, kernel.math, out.total_us, device);
  return out;
}

}  // namespace

GemmTime gemm_time(const Contraction& kernel, const ContractionConfig& config, const DeviceSpec& device) {
  if (in_slices(kernel, config)) return sliced_time(kernel, config, device);
  return whole_time(kernel, config, device, std::nullopt);
}

GemmTime conv3_time(const Convolution& kernel, const ContractionConfig& config, const DeviceSpec& device) {
  const double operands_us = conv_operand_bytes(kernel) / seen_bandwidth(device) * 1e6;
  return whole_time(conv3_product(kernel), config, device, operands_us);
}

Estimate gemm_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Contraction>(launch.kernel);
  const auto& config = std::get<ContractionConfig>(launch.config);
  return estimate_of(kernel, config, gemm_time(kernel, config, device), device);
}

Estimate conv3_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Convolution>(launch.kernel);
  const auto& config = std::get<ContractionConfig>(launch.config);
  return estimate_of(conv3_product(kernel), config, conv3_time(kernel, config, device), device);
}

}  // namespace uc
