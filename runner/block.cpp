// Why: the measuring loop itself; see timing.h.
#include <algorithm>
#include <bit>
#include <numeric>
#include <thread>
#include <vector>

#include "backend.h"

namespace {

using uct::Backend;

/// splitmix64: small, and the same everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(next() % n); }

 private:
  uint64_t state_;
};

void wait_until(double deadline_us) {
  for (double left; (left = deadline_us - uct::host_us()) > 0;) {
    if (left > 200) std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(left - 150)));
  }
}

/// Each input's own seed, so that signs do not flip together and cancel in a product. 0 stays 0.
uint32_t input_seed(uint32_t seed, uint32_t input) {
  return std::rotl(seed, static_cast<int>(5 * input % 32));
}

/// Perturb, poison, flush: what stands before each run, in this order, so that the flush evicts the dirty
/// lines.
int prepare(Backend& device, const uct_sets& sets, uint32_t set, uint32_t seed, uint64_t flush_bytes,
            uct_message* m) {
  for (uint32_t i = 0; i < sets.inputs_per_set; ++i) {
    const uct_region& region = sets.inputs[set * sets.inputs_per_set + i];
    if (region.kind == UCT_LEAVE) continue;
    if (const int code = device.perturb(region, input_seed(sets.seeds[set], i), input_seed(seed, i), m))
      return code;
  }
  sets.seeds[set] = seed;
  for (uint32_t i = 0; i < sets.outputs_per_set; ++i) {
    const uct_region& region = sets.outputs[set * sets.outputs_per_set + i];
    if (const int code = device.poison(region.data, region.bytes, m)) return code;
  }
  return device.flush(flush_bytes, m);
}

/// When a set's output is digested, in its last run of the block: when the hold ends, when the run's work has
/// ended by the stream, and when everything has.
enum Moment : uint32_t { kHoldEnd, kRunEnd, kBlockEnd, kMoments };

int digest_outputs(Backend& device, const uct_sets& sets, uint32_t set, Moment moment, uct_message* m) {
  const uint32_t each = sets.outputs_per_set;
  for (uint32_t i = 0; i < each; ++i) {
    const uint32_t slot = (moment * sets.sets + set) * each + i;
    if (const int code = device.digest(sets.outputs[set * each + i], slot, m)) return code;
  }
  return 0;
}

/// The sets in whose last runs a write fell outside of the run, as the stream orders it. last: [sets] the
/// run, or none of the block's.
int find_strays(Backend& device, const uct_sets& sets, const std::vector<uint32_t>& last, uint32_t total,
                uct_block_result* result, uct_message* m) {
  for (uint32_t set = 0; set < sets.sets; ++set) {
    if (const int code = digest_outputs(device, sets, set, kBlockEnd, m)) return code;
  }
  if (const int code = device.sync(m)) return code;
  std::vector<uct::Digest> digests;
  if (const int code = device.read_digests(&digests, m)) return code;
  const uint32_t each = sets.outputs_per_set;
  for (uint32_t set = 0; set < sets.sets; ++set) {
    bool early = false, late = false;
    for (uint32_t i = 0; i < each && last[set] < total; ++i) {
      const auto at = [&](Moment moment) { return digests[(moment * sets.sets + set) * each + i]; };
      early |= at(kHoldEnd).written != 0;
      late |= at(kRunEnd).sum != at(kBlockEnd).sum;
    }
    result->early += early;
    result->late += late;
  }
  return 0;
}

struct Loop {
  uct_context* context;
  const uct_sets* sets;
  const uct_block* block;
  uct_enqueue enqueue;
  void* user;
  std::vector<uint32_t> last;  ///< [sets] the last run on each
  std::vector<double> enqueue_us;
  double last_release = 0;

  int one(uint32_t run, uint32_t set, uint32_t seed, uct_message* m) {
    Backend& device = *context->backend;
    const bool timed = run >= block->warm_runs;
    const uint32_t mark = timed ? 2 * (run - block->warm_runs) : 0;
    const bool checked = last[set] == run;
    const uint32_t limit = block->hold_us ? block->hold_us : 20000;
    if (const int code = prepare(device, *sets, set, seed, block->flush_bytes, m)) return code;
    const uint32_t ticket = ++context->ticket;
    if (const int code = device.hold(ticket, limit, block->settle_us, timed ? 1 : 0, m)) return code;
    if (checked) {
      if (const int code = digest_outputs(device, *sets, set, kHoldEnd, m)) return code;
    }
    if (timed) {
      if (const int code = device.mark(mark, m)) return code;
    }
    const double begin = uct::host_us();
    const int status = enqueue(user, set, device.stream());
    const double end = uct::host_us();
    if (status == 0 && timed) {
      if (const int code = device.mark(mark + 1, m)) return code;
      enqueue_us.push_back(end - begin);
    }
    if (status == 0 && checked) {
      if (const int code = digest_outputs(device, *sets, set, kRunEnd, m)) return code;
    }
    if (block->period_us && last_release > 0) wait_until(last_release + block->period_us);
    last_release = uct::host_us();
    device.release(ticket);
    return status ? uct::report(m, status, "run", "the run was refused") : 0;
  }
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

extern "C" void uct_plan(uint64_t seed, uint32_t total, uint32_t sets, uint32_t* set_of_run,
                         uint32_t* seed_of_run) {
  Random random(seed ^ 0x7563746C61737321ULL);
  std::vector<uint32_t> alive(sets), retires(sets, total);
  std::iota(alive.begin(), alive.end(), 0U);
  for (uint32_t i = sets; i > 1; --i) std::swap(alive[i - 1], alive[random.below(i)]);
  const std::vector<uint32_t> order = alive;
  for (uint32_t i = 2; i < sets; ++i)
    retires[order[i]] = total / 4 + random.below(std::max(1U, total - total / 4));
  for (uint32_t run = 0; run < total; ++run) {
    std::erase_if(alive, [&](uint32_t set) { return run >= sets && retires[set] <= run; });
    // At first each set once; the two that stay also come last, so that their outputs are those of the end.
    uint32_t set = run < sets ? order[run] : alive[random.below(static_cast<uint32_t>(alive.size()))];
    if (sets >= 2 && run >= sets && run + 2 >= total) set = order[run + 2 - total];
    set_of_run[run] = set;
    seed_of_run[run] = static_cast<uint32_t>(random.next()) | 1U;
  }
}

extern "C" int uct_run_block(uct_context* context, const uct_sets* sets, const uct_block* block,
                             uct_enqueue enqueue, void* user, double* times_us, uct_block_result* result,
                             uct_message* m) {
  Backend& device = *context->backend;
  const uint32_t total = block->warm_runs + block->runs;
  std::vector<uint32_t> set_of_run(total), seed_of_run(total);
  uct_plan(block->seed, total, sets->sets, set_of_run.data(), seed_of_run.data());
  if (const int code = device.reserve_marks(2 * block->runs, m)) return code;
  if (const int code = device.reset_persistence(m)) return code;
  if (const int code = device.reset_expired(m)) return code;
  if (const int code = device.reserve_digests(kMoments * sets->sets * sets->outputs_per_set, m)) return code;
  Loop loop{context, sets, block, enqueue, user, std::vector<uint32_t>(sets->sets, total), {}};
  for (uint32_t run = 0; run < total; ++run) loop.last[set_of_run[run]] = run;
  const double begin = uct::host_us();
  double timed_begin = begin;
  for (uint32_t run = 0; run < total; ++run) {
    if (run == block->warm_runs) {
      if (const int code = device.sync(m)) return code;
      timed_begin = uct::host_us();
    }
    const int code = loop.one(run, set_of_run[run], seed_of_run[run], m);
    if (code) {
      (void)device.sync(nullptr);
      return code;
    }
  }
  if (const int code = device.sync(m)) return code;
  const double end = uct::host_us();
  for (uint32_t run = 0; run < block->runs; ++run) {
    if (const int code = device.between(2 * run, 2 * run + 1, &times_us[run], m)) return code;
  }
  *result = {
      end - begin, block->runs ? (end - timed_begin) / block->runs : 0, median(loop.enqueue_us), 0, 0, 0, 0};
  if (const int code = device.read_expired(1, &result->unheld, m)) return code;
  return find_strays(device, *sets, loop.last, total, result, m);
}

extern "C" int uct_run_batch(uct_context* context, uint32_t sets, uint32_t runs, uct_enqueue enqueue,
                             void* user, uct_batch_result* result, uct_message* m) {
  Backend& device = *context->backend;
  if (const int code = device.reserve_marks(2, m)) return code;
  if (const int code = device.sync(m)) return code;
  const double begin = uct::host_us();
  if (const int code = device.mark(0, m)) return code;
  for (uint32_t run = 0; run < runs; ++run) {
    if (const int status = enqueue(user, run % sets, device.stream())) {
      (void)device.sync(nullptr);
      return uct::report(m, status, "run", "the run was refused");
    }
  }
  if (const int code = device.mark(1, m)) return code;
  if (const int code = device.sync(m)) return code;
  *result = {0, uct::host_us() - begin, runs, 0};
  return device.between(0, 1, &result->event_us, m);
}

extern "C" int uct_capture(uct_context* context, uint32_t sets, uint32_t nodes, uct_enqueue enqueue,
                           void* user, uct_message* m) {
  Backend& device = *context->backend;
  context->graph_nodes = 0;
  if (const int code = device.sync(m)) return code;
  if (const int code = device.begin_capture(m)) return code;
  int status = 0;
  for (uint32_t run = 0; run < nodes && !status; ++run) status = enqueue(user, run % sets, device.stream());
  const int code = device.end_capture(m);
  if (status) return uct::report(m, status, "run", "the run was refused while it was captured");
  if (code) return code;
  if (const int failed = device.replay(m)) return failed;
  if (const int failed = device.sync(m)) return failed;
  context->graph_nodes = nodes;
  return 0;
}

extern "C" int uct_run_graph(uct_context* context, uint32_t runs, uct_batch_result* result, uct_message* m) {
  Backend& device = *context->backend;
  if (context->graph_nodes == 0) return uct::report(m, -1, "graph", "nothing has been captured");
  const uint32_t replays = (runs + context->graph_nodes - 1) / context->graph_nodes;
  if (const int code = device.reserve_marks(2, m)) return code;
  if (const int code = device.sync(m)) return code;
  const double begin = uct::host_us();
  if (const int code = device.mark(0, m)) return code;
  for (uint32_t i = 0; i < replays; ++i) {
    if (const int code = device.replay(m)) return code;
  }
  if (const int code = device.mark(1, m)) return code;
  if (const int code = device.sync(m)) return code;
  *result = {0, uct::host_us() - begin, replays * context->graph_nodes, 0};
  return device.between(0, 1, &result->event_us, m);
}
