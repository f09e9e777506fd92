#include "sol/levels.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace uc::sol {
namespace {

std::vector<Group> one_each(const Bound& bound) {
  std::vector<Group> out;
  for (const OpId id : bound.running()) out.push_back({id});
  return out;
}

std::vector<Group> as_written(const Bound& bound) {
  const Program& program = bound.program();
  std::vector<Group> out;
  for (const OpId id : bound.running()) {
    if (out.empty() || program[out.back().front()].step != program[id].step) out.emplace_back();
    out.back().push_back(id);
  }
  return out;
}

// A pointwise operator joins the latest group that makes one of its operands: its other operands are there
// by then.
std::vector<Group> grouped(const Bound& bound) {
  const Program& program = bound.program();
  std::vector<Group> out;
  std::map<OpId, size_t> group_of;
  for (const OpId id : bound.running()) {
    std::optional<size_t> latest;
    for (const ValueId in : program[id].in) {
      const auto found = group_of.find(program[program[in].root].def);
      if (found != group_of.end() && (!latest || found->second > *latest)) latest = found->second;
    }
    const bool joins = latest && program[id].spec->is_pointwise();
    if (!joins) {
      latest = out.size();
      out.emplace_back();
    }
    out[*latest].push_back(id);
    group_of[id] = *latest;
  }
  return out;
}

double rereads(const Bound& bound, const Group& group, const At& at) {
  double bytes = 0;
  for (const OpId id : group)
    bytes += unavoidable_rereads(bound.program(), id, bound.work(id).minimum_flops / 2, at.device);
  return bytes;
}

// What groups take one after another, at both ceilings.
struct Sum {
  double theoretical = 0, calibrated = 0;
};

// Of each bound and cut once: several levels may cut alike, and nothing observed means one bound for both
// ceilings.
class Sums {
 public:
  explicit Sums(const At& at) : at_(at) {}

  const Sum& of(const Bound& bound, std::vector<Group> groups) {
    for (const Entry& entry : entries_) {
      if (entry.bound == &bound && entry.groups == groups) return entry.sum;
    }
    Entry entry{&bound, std::move(groups), {}};
    for (const Group& group : entry.groups) {
      Demand each = bound.of(group, Count::minimum, at_.f32_math, at_.precision);
      each.read_bytes += rereads(bound, group, at_);
      add(entry.sum, each);
    }
    const Traffic rest = bound.memory().traffic(bound.memory().made_elsewhere(), at_.precision);
    Demand copies;
    copies.read_bytes = rest.read;
    copies.write_bytes = rest.write;
    add(entry.sum, copies);
    return entries_.emplace_back(std::move(entry)).sum;
  }

 private:
  struct Entry {
    const Bound* bound;
    std::vector<Group> groups;
    Sum sum;
  };

  void add(Sum& sum, const Demand& demand) const {
    sum.theoretical += time_of(demand, at_.device, Ceiling::theoretical, at_.clock_mhz).total_us;
    sum.calibrated += time_of(demand, at_.device, Ceiling::calibrated, at_.clock_mhz).total_us;
  }

  const At& at_;
  std::deque<Entry> entries_;  // references to them stay
};

double cached(const Bound& bound, const At& at, Ceiling ceiling) {
  Demand whole = bound.whole(Count::minimum, at.f32_math, at.precision);
  whole.read_bytes += rereads(bound, bound.running(), at);
  return time_of(whole, at.device, ceiling, at.clock_mhz).total_us;
}

}  // namespace

double unavoidable_rereads(const Program& program, OpId id, double macs, const DeviceSpec& device) {
  const Op& op = program[id];
  if (op.spec->lower == nullptr) return 0;
  const auto kernel = op.spec->lower(program, op);
  const auto* product = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
  if (product == nullptr) return 0;
  const auto batch = static_cast<double>(product->batch());
  const auto m = static_cast<double>(product->m());
  const auto n = static_cast<double>(product->n());
  const auto k = static_cast<double>(product->k());
  const auto width = static_cast<double>(size_bytes(program[op.in[0]].dtype));
  const double on_chip = static_cast<double>(device.l2_bytes) +
                         device.sms * (static_cast<double>(device.smem_per_sm) +
                                       4.0 * static_cast<double>(device.registers_per_sm));
  const double held = on_chip / width;
  const double least = 2 * macs / std::sqrt(held) - 2 * held;
  return std::max(0.0, least - batch * (m * k + n * k + m * n)) * width;
}

std::vector<SolLevel> cut_levels(const Bound& seen, const Bound& promised, const At& at) {
  Sums sums(at);
  const auto level = [&](std::string_view name, std::string_view summary, const auto& cut) {
    // Kernels that any inputs need: on those that were seen fewer may do.
    const auto groups = cut(promised);
    return SolLevel{name, summary, groups.size(), sums.of(seen, cut(seen)).theoretical,
                    sums.of(promised, groups).calibrated};
  };
  const size_t one = promised.running().empty() ? 0 : 1;
  return {{"cached", "in one kernel, with the re-reads that its caches cannot avoid", one,
           cached(seen, at, Ceiling::theoretical), cached(promised, at, Ceiling::calibrated)},
          level("grouped", "pointwise operators joined to what they follow", grouped),
          level("written", "one kernel a step, as written", as_written),
          level("unfused", "one kernel an operator", one_each)};
}

}  // namespace uc::sol
