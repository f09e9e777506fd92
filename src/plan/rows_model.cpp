#include "plan/rows_model.h"

#include <algorithm>
#include <cmath>

#include "plan/model_parts.h"
#include "plan/rows_phases.h"
#include "plan/rows_stages.h"
#include "plan/scalar_cost.h"

namespace uc {
namespace {

// Fitted to bench/results/h200_rows_grid.json: 25 programs on an H200, up to 12 configurations each.
constexpr double kLatencyNs = 800;    // of a load under load
constexpr double kReadRate = 0.95;    // of the bandwidth that the device has, as rows reach it when they read
constexpr double kWriteRate = 0.87;   // ... and write
constexpr double kCacheGain = 1.5;    // rate of the L2 cache over that of memory
constexpr double kCacheShare = 0.35;  // of the L2 cache that holds what was just read
constexpr double kThreadsPerSm = 2048;
constexpr double kBusyRegisters = 40;
constexpr double kStreamed = 8;  // registers of a thread that streams, loads that are under way
constexpr double kHeldCost =
    0.006;  // a register that holds elements delays reads: its thread waits, and stores
constexpr double kMostHeldCost = 96;   // registers
constexpr double kAlone = 1.1;         // one block an SM does not read while it computes and stores
constexpr double kLargeBlock = 1.2;    // 1024 threads wait for each other
constexpr double kAloneOf16 = 1.5;     // ... and of a cluster of 16 leaves SMs of each group idle
constexpr double kNarrow = 1.1;        // accesses of less than 16 bytes
constexpr double kNarrowStream = 1.3;  // ... of a thread that does not hold them
constexpr double kNearBytes = 65536;   // of a row that the L1 cache serves to all rows of a block
constexpr double kSector = 32;         // bytes that memory moves at least
constexpr double kStageNs = 300;       // until the threads of a block have met
constexpr double kClusterUs =
    0.35;  // an SM's time for each block of a cluster, until they have started and met
constexpr double kCluster16Us = 0.7;  // ... of more than 8

// Bytes that are read once and written once.
struct Traffic {
  double read = 0;
  double written = 0;
  double shared = 0;  // what rows read that others have read: the L2 cache serves it
};

Traffic traffic_of(const Rows& rows) {
  Traffic out;
  for (size_t v = 0; v < rows.body.views.size(); ++v) {
    const View& view = rows.body.views[v];
    const double bytes = touched_bytes(view);
    const bool stored =
        std::ranges::any_of(rows.body.effects, [v](const Effect& effect) { return effect.view == v; });
    (stored ? out.written : out.read) += bytes;
    if (!stored && !view.windowed() && bytes > kNearBytes)
      out.shared += real(numel(rows.domain)) * real(size_bytes(view.dtype)) - bytes;
  }
  return out;
}

// Of a thread's reads along the fastest dimension: bytes next to each other.
double stretch(const RowsPhase& phase) {
  double narrowest = 16;
  for (const View& view : phase.rows.body.views)
    narrowest = std::min(narrowest, real(size_bytes(view.dtype)));
  return narrowest * real(phase.layout.vector);
}

// Threads and vectors that have something to do, of those that there are.
double used(const RowsPhase& phase) {
  const RowsLayout& layout = phase.layout;
  const RowsShape& shape = phase.shape;
  const int64_t vectors = shape.length() / (shape.outer ? 1 : layout.vector);
  const int64_t share = layout.team * layout.cluster * layout.split;
  const int64_t group = layout.rows_per_block(shape.outer);
  return real(vectors) / real(up(vectors, share) * share) * real(shape.count()) /
         real(up(shape.count(), group) * group);
}

// Views that are read, each with a load of its own under way.
int64_t loads_of(const Rows& rows) {
  return std::max<int64_t>(1, std::ssize(rows.body.views) - std::ssize(rows.body.effects));
}

struct Occupancy {
  double blocks = 0;     // of the grid
  double per_sm = 0;     // resident at once
  double in_flight = 0;  // bytes
};

Occupancy occupancy_of(const RowsPhase& phase, const DeviceSpec& device) {
  const RowsLayout& layout = phase.layout;
  const double threads = real(layout.threads());
  const double held = layout.items > 0 ? real(held_registers(phase.rows, phase.shape, layout))
                                       : kStreamed * real(loads_of(phase.rows));
  Occupancy out;
  out.blocks =
      real(up(phase.shape.count(), layout.rows_per_block(phase.shape.outer)) * layout.cluster * layout.split);
  out.per_sm =
      std::max(1.0, std::floor(std::min(kThreadsPerSm / threads, real(device.registers_per_sm) /
                                                                     ((kBusyRegisters + held) * threads))));
  const double resident = std::min(out.blocks, out.per_sm * device.sms);
  out.in_flight = resident * threads * held * 4;
  return out;
}

double phase_us(const RowsPhase& phase, const DeviceSpec& device, Estimate& out) {
  const RowsLayout& layout = phase.layout;
  const double peak = seen_bandwidth(device);
  const Traffic traffic = traffic_of(phase.rows);
  const Occupancy occupancy = occupancy_of(phase, device);
  const double again = layout.items > 0 ? 0 : real(rows_reads(phase.rows, layout.online) - 1);
  const double row_bytes = traffic.read / real(std::max<int64_t>(1, phase.shape.count()));
  const double at_work = std::min(occupancy.blocks, occupancy.per_sm * device.sms) /
                         real(layout.cluster * layout.split) *
                         real(layout.rows_per_block(phase.shape.outer)) * row_bytes;
  const bool cached = layout.split == 1 ? at_work <= kCacheShare * real(device.l2_bytes)
                                        : traffic.read <= kCacheShare * real(device.l2_bytes);
  const double bytes = traffic.read * (1 + again / (cached ? kCacheGain : 1.0)) / kReadRate +
                       traffic.written / kWriteRate + traffic.shared / (2 * kCacheGain);
  const double reached = std::clamp(occupancy.in_flight / (peak * kLatencyNs * 1e-9), 0.02, 1.0);
  double us = bytes / peak * 1e6 / reached / std::max(used(phase), 0.05);
  if (layout.items > 0) {
    us *= 1 + kHeldCost * std::min(kMostHeldCost, real(held_registers(phase.rows, phase.shape, layout)));
    if (occupancy.per_sm < 2) us *= layout.cluster > 8 ? kAloneOf16 : kAlone;
    if (layout.threads() >= 1024) us *= kLargeBlock;
  }
  const double near = stretch(phase);
  if (near < 16) us *= layout.items > 0 || phase.shape.outer ? kNarrow : kNarrowStream;
  const double side = phase.shape.outer ? near * real(layout.lanes) : near * real(layout.team);
  if (side < kSector) us *= kSector / side;
  const double stages = real(static_cast<int64_t>(rows_stages(phase.rows, layout.online).size()));
  const double waves = occupancy.blocks / (occupancy.per_sm * device.sms);
  if (layout.cluster > 1)
    us += occupancy.blocks / device.sms * (layout.cluster > 8 ? kCluster16Us : kClusterUs);
  else if (layout.team > 32)
    us += stages * kStageNs * 1e-3 * std::max(1.0, waves) / std::max(1.0, occupancy.per_sm);
  const ScalarCost cost = scalar_cost(phase.rows.body);
  const double elements = real(numel(phase.rows.domain));
  const double clocks = device.sms * device.boost_mhz;
  const double passes = 1 + again;
  const double compute = std::max(cost.fma * elements * passes / (128.0 * clocks),
                                  cost.special * elements / (device.special_per_clock_per_sm * clocks));
  out.memory_us += (traffic.read + traffic.written) / peak * 1e6;
  out.compute_us += compute;
  out.waves = std::max(out.waves, waves);
  return std::max(us, compute) + kLatencyNs * 1e-3 + device.launch_us * real(phase.functions());
}

bool has_clusters(const DeviceSpec& device) { return device.arch == "sm_90a" || device.arch == "sm_100a"; }

class Candidates {
 public:
  Candidates(const Launch& launch, const DeviceSpec& device)
      : given_(std::get<RowsConfig>(launch.config)),
        rows_(std::get<Rows>(launch.kernel)),
        shape_(rows_shape(rows_)),
        widest_(rows_vector(rows_, shape_, given_.vector)),
        device_(device) {}

  std::vector<Config> run() {
    if (rows_windowed(rows_)) return windowed();
    const bool again = rows_reads(rows_, true) > 1;
    for (const int64_t passes :
         choices(given_.passes, again ? std::vector<int64_t>{1, 2, 3} : std::vector<int64_t>{1})) {
      const bool holds = passes == 1 && again;
      for (const int64_t threads : choices(given_.threads, {256, 128, 512, 1024})) {
        for (const int64_t lanes : lanes_of(threads)) {
          for (const int64_t cluster : clusters(lanes, holds)) {
            for (const int64_t split : splits(lanes, cluster, holds))
              add(passes, threads, lanes, cluster, split);
          }
        }
      }
    }
    return std::move(out_);
  }

 private:
  std::vector<Config> windowed() const {
    std::vector<Config> out;
    for (const int64_t threads : choices(given_.threads, {256, 128, 512})) {
      RowsConfig config = given_;
      config.threads = threads;
      out.emplace_back(config);
    }
    return out;
  }

  static std::vector<int64_t> choices(int64_t given, std::vector<int64_t> among) {
    return given != 0 ? std::vector<int64_t>{given} : std::move(among);
  }

  int64_t vectors() const { return shape_.length() / (shape_.outer ? 1 : widest_); }

  // Rows of a block, in teams: no more threads a row than it has vectors, no fewer than a 4,096th of them.
  std::vector<int64_t> lanes_of(int64_t threads) const {
    if (given_.rows_per_block != 0) return {given_.rows_per_block};
    if (shape_.outer) {
      std::vector<int64_t> out;
      for (const int64_t lanes : {32, 64, 128, 256, 16, 8}) {
        if (lanes <= threads) out.push_back(lanes * widest_);
      }
      return out;
    }
    std::vector<int64_t> out;
    for (int64_t lanes = 1; lanes <= threads && lanes <= 256; lanes *= 2) {
      const int64_t team = threads / lanes;
      const bool idle = team > 32 && team >= 4 * vectors();
      if (!idle && vectors() / team <= 4096) out.push_back(lanes);
    }
    if (out.empty()) out.push_back(1);
    return out;
  }

  std::vector<int64_t> clusters(int64_t lanes, bool holds) const {
    const bool useful = holds && lanes == 1 && !shape_.outer && has_clusters(device_);
    return choices(given_.cluster, useful ? std::vector<int64_t>{1, 2, 4, 8, 16} : std::vector<int64_t>{1});
  }

  // Only where rows are too few for the device.
  std::vector<int64_t> splits(int64_t lanes, int64_t cluster, bool holds) const {
    std::vector<int64_t> out{1};
    const int64_t blocks = up(shape_.count(), shape_.outer ? lanes : std::max<int64_t>(1, lanes));
    for (int64_t split = 2; split <= 1024 && !holds && cluster == 1; split *= 2) {
      if (blocks * split <= 16 * int64_t{device_.sms} && split <= vectors()) out.push_back(split);
    }
    return choices(given_.split, std::move(out));
  }

  void add(int64_t passes, int64_t threads, int64_t lanes, int64_t cluster, int64_t split) {
    RowsConfig config = given_;
    config.passes = passes;
    config.threads = threads;
    config.rows_per_block = lanes;
    config.cluster = cluster;
    config.split = split;
    config.vector = given_.vector == 0 ? widest_ : given_.vector;
    out_.emplace_back(config);
  }

  const RowsConfig& given_;
  const Rows& rows_;
  RowsShape shape_;
  int64_t widest_;
  const DeviceSpec& device_;
  std::vector<Config> out_;
};

}  // namespace

std::vector<Config> rows_configs(const Launch& launch, const DeviceSpec& device) {
  return Candidates(launch, device).run();
}

Estimate rows_model(const Launch& launch, const DeviceSpec& device) {
  const auto& config = std::get<RowsConfig>(launch.config);
  Estimate out;
  for (const RowsPhase& phase : rows_phases(std::get<Rows>(launch.kernel), config))
    out.total_us += phase_us(phase, device, out);
  out.efficiency = out.total_us > 0 ? out.memory_us / out.total_us : 0;
  return out;
}

}  // namespace uc
