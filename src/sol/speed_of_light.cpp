#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "sol/graph.h"
#include "sol/roofline.h"
#include "sol/sol.h"
#include "sol/work.h"

namespace uc {
namespace {

using sol::Ceiling;
using sol::Demand;
using Group = std::vector<OpId>;

class Analysis {
 public:
  Analysis(const Catalog& catalog, const Program& program, const DeviceSpec& device,
           const SolOptions& options)
      : program_(program),
        device_(device),
        options_(options),
        precision_(options.precision.value_or(program.precision)),
        clock_(options.clock_mhz.value_or(device.boost_mhz)),
        running_(sol::running_ops(program)),
        memory_(program, running_, precision_) {
    work_.resize(program.ops.size());
    for (const Step& step : program.steps) {
      for (const OpId id : ops_of(step)) {
        if (!program[id].spec->is_view()) work_[id.index()] = sol::work_of(catalog, program, id);
      }
    }
  }

  SolReport run() {
    SolReport out;
    head(out);
    const Demand whole = demand(running_, sol::fastest_math(precision_), memory_.whole());
    out.work = work(running_, memory_.whole());
    out.certified =
        sol::certified_time(minimum(whole, running_, sol::fastest_math(precision_)), device_, clock_);
    out.promised = out.certified;
    out.minimum = out.work;
    out.calibrated = sol::time_of(whole, device_, Ceiling::calibrated, clock_);
    const double bytes = out.work.read_bytes + out.work.write_bytes;
    out.intensity = bytes > 0 ? out.work.dense_flops / bytes : 0;
    if (out.certified.tensor_us > 0 && out.work.minimum_flops > 0) {
      out.ridge = out.work.minimum_flops / (out.certified.tensor_us * 1e-6) / device_.dram_bytes_per_second();
    }
    levels(out);
    steps(out);
    what_if(out);
    trust(out);
    if (options_.time_us) out.verdict = sol_verdict(out, *options_.time_us, options_.base_us);
    return out;
  }

 private:
  void head(SolReport& out) const {
    out.program = program_.name;
    out.device = device_.name;
    out.device_name = device_.full_name;
    out.clock_mhz = clock_;
    out.dram_tbps = device_.dram_bytes_per_second() / 1e12;
    out.calibrated_dram_tbps = device_.calibrated_dram_tbps;
    out.precision = precision_;
    out.launch_floor_us = device_.launch_us;
  }

  Demand demand(const Group& group, Math f32_math, const sol::Traffic& traffic) const {
    Demand out;
    for (const OpId id : group) {
      const sol::OpWork& each = work_[id.index()];
      if (each.contracts) out.flops[sol::math_of(program_, id, f32_math)] += each.dense_flops;
      out.fma_ops += each.fma_ops;
      out.special_ops += each.special_ops;
    }
    out.read_bytes = traffic.read;
    out.write_bytes = traffic.write;
    return out;
  }

  // The same with the FLOPs that structure leaves.
  Demand minimum(Demand whole, const Group& group, Math f32_math) const {
    whole.flops.clear();
    for (const OpId id : group) {
      const sol::OpWork& each = work_[id.index()];
      if (each.contracts) whole.flops[sol::math_of(program_, id, f32_math)] += each.minimum_flops;
    }
    return whole;
  }

  SolWork work(const Group& group, const sol::Traffic& traffic) const {
    SolWork out;
    for (const OpId id : group) {
      const sol::OpWork& each = work_[id.index()];
      out.dense_flops += each.dense_flops;
      out.minimum_flops += each.minimum_flops;
      out.fma_ops += each.fma_ops;
      out.special_ops += each.special_ops;
    }
    out.read_bytes = traffic.read;
    out.write_bytes = traffic.write;
    return out;
  }

  // ---- levels

  std::vector<Group> one_each() const {
    std::vector<Group> out;
    for (const OpId id : running_) out.push_back({id});
    return out;
  }

  std::vector<Group> as_written() const {
    std::vector<Group> out;
    for (const OpId id : running_) {
      if (out.empty() || program_[out.back().front()].step != program_[id].step) out.emplace_back();
      out.back().push_back(id);
    }
    return out;
  }

  // A pointwise operator joins the latest group that makes one of its operands: its other operands are there
  // by then.
  std::vector<Group> grouped() const {
    std::vector<Group> out;
    std::map<OpId, size_t> group_of;
    for (const OpId id : running_) {
      std::optional<size_t> latest;
      for (const ValueId in : program_[id].in) {
        const auto found = group_of.find(program_[program_[in].root].def);
        if (found != group_of.end() && (!latest || found->second > *latest)) latest = found->second;
      }
      const bool joins = latest && program_[id].spec->is_pointwise();
      if (!joins) {
        latest = out.size();
        out.emplace_back();
      }
      out[*latest].push_back(id);
      group_of[id] = *latest;
    }
    return out;
  }

  SolLevel level(std::string_view name, std::string_view summary, const std::vector<Group>& groups) const {
    SolLevel out{name, summary, groups.size(), 0, 0};
    for (const Group& group : groups) {
      const Demand each = demand(group, sol::fastest_math(precision_), memory_.traffic(group));
      out.theoretical_us += sol::time_of(each, device_, Ceiling::theoretical, clock_).total_us;
      out.calibrated_us += sol::time_of(each, device_, Ceiling::calibrated, clock_).total_us;
    }
    return out;
  }

  void levels(SolReport& out) const {
    out.levels.push_back({"fused", "everything in one kernel: the bound", running_.empty() ? 0UL : 1UL,
                          out.certified.total_us, out.calibrated.total_us});
    out.levels.push_back(level("grouped", "pointwise operators joined to what they follow", grouped()));
    out.levels.push_back(level("written", "one kernel a step, as written", as_written()));
    out.levels.push_back(level("unfused", "one kernel an operator", one_each()));
  }

  // ---- steps

  std::string names_of(const Step& step) const {
    std::string out;
    for (const ValueId id : step.results) {
      const std::string& name = program_[id].name;
      out += fmt::format("{}{}", out.empty() ? "" : ", ", name.empty() ? "(prepared)" : name);
    }
    return out;
  }

  std::string shapes_of(const Op& op) const {
    std::string out;
    for (const ValueId id : op.in) {
      const Value& value = program_[id];
      if (value.kind == ValueKind::literal) continue;
      out += fmt::format("{}{}{}", out.empty() ? "" : " ", name(value.dtype), to_text(value.shape));
    }
    return op.out.empty() ? out
                          : fmt::format("{} -> {}{}", out, name(program_[op.out[0]].dtype),
                                        to_text(program_[op.out[0]].shape));
  }

  void steps(SolReport& out) const {
    double total = 0;
    for (const Step& step : program_.steps) {
      if (!step.main || program_[step.main].spec->is_view()) continue;
      SolStep each;
      Group group;
      each.names = names_of(step);
      each.at_load = step.phase == Phase::load || program_[program_[step.main].out[0]].params_only;
      for (const OpId id : ops_of(step)) {
        if (program_[id].spec->is_view()) continue;
        each.what += fmt::format("{}{}", each.what.empty() ? "" : " ", program_[id].spec->name);
        if (each.at_load || std::ranges::find(running_, id) != running_.end()) group.push_back(id);
        if (work_[id.index()].contracts)
          each.math = name(sol::math_of(program_, id, sol::fastest_math(precision_)));
      }
      if (group.empty()) continue;
      each.shapes = shapes_of(program_[step.main]);
      const sol::Traffic traffic = memory_.traffic(group);
      each.work = work(group, traffic);
      each.calibrated = sol::time_of(demand(group, sol::fastest_math(precision_), traffic), device_,
                                     Ceiling::calibrated, clock_);
      if (!each.at_load) total += each.calibrated.total_us;
      out.steps.push_back(std::move(each));
    }
    for (SolStep& step : out.steps)
      step.share = step.at_load || total == 0 ? 0 : step.calibrated.total_us / total;
  }

  // ---- what if

  void what_if(SolReport& out) const {
    struct Choice {
      Math math;
      Precision precision;
      std::string_view tolerance;
    };
    // Relative errors of GEMMs at K of some thousands: f32 1e-6, tf32x3 and f16x3 1e-5, tf32 3e-4, f16 and
    // bf16 up to 4e-3.
    constexpr std::array<Choice, 7> kChoices{{{Math::f32, Precision::strict, "1e-4"},
                                              {Math::tf32x3, Precision::strict, "1e-4"},
                                              {Math::f16x3, Precision::strict, "1e-4"},
                                              {Math::tf32, Precision::tf32, "1e-2"},
                                              {Math::f16, Precision::f16, "1e-2"},
                                              {Math::bf16, Precision::bf16, "1e-2"},
                                              {Math::f8, Precision::f8, ""}}};
    for (const Choice& choice : kChoices) {
      const sol::Memory memory(program_, running_, choice.precision);
      const Demand whole = demand(running_, choice.math, memory.whole());
      SolWhatIf each;
      each.math = name(choice.math);
      each.precision = name(choice.precision);
      each.certified = sol::certified_time(minimum(whole, running_, choice.math), device_, clock_);
      each.calibrated = sol::time_of(whole, device_, Ceiling::calibrated, clock_);
      each.tolerance = choice.tolerance;
      out.what_if.push_back(each);
    }
  }

  // ---- how far to trust it

  // A contraction that another one feeds through views and at most scaling could be multiplied in another
  // order.
  bool chained(OpId id) const {
    for (const ValueId in : program_[id].in) {
      const OpId maker = program_[program_[in].root].def;
      if (maker && !program_[in].params_only && work_[maker.index()].contracts) return true;
    }
    return false;
  }

  void trust(SolReport& out) const {
    size_t covered = 0;
    for (const OpId id : running_) {
      const sol::OpWork& each = work_[id.index()];
      if (each.covered) {
        ++covered;
      } else {
        out.reasons.push_back(fmt::format("`{}` counts its bytes only", program_[id].spec->name));
      }
      if (!each.structure.empty())
        out.structure.push_back(fmt::format("{}: {}", program_[id].spec->name, each.structure));
      if (!each.contracts) continue;
      if (chained(id)) out.reasons.emplace_back("a product of products could be multiplied in another order");
      const Math math = sol::math_of(program_, id, sol::fastest_math(precision_));
      if (device_.peak_flops(math) == 0)
        out.reasons.push_back(fmt::format("{} has no rate for {}", device_.name, name(math)));
    }
    out.coverage = running_.empty() ? 1 : static_cast<double>(covered) / static_cast<double>(running_.size());
    std::ranges::sort(out.reasons);
    out.reasons.erase(std::unique(out.reasons.begin(), out.reasons.end()), out.reasons.end());
    out.confidence = out.reasons.empty() ? "high" : "reduced";
  }

  const Program& program_;
  const DeviceSpec& device_;
  const SolOptions& options_;
  Precision precision_;
  double clock_;
  Group running_;
  sol::Memory memory_;
  std::vector<sol::OpWork> work_;
};

}  // namespace

SolReport speed_of_light(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                         const SolOptions& options) {
  return Analysis(catalog, program, device, options).run();
}

double sol_score(double time_us, double sol_us, double base_us) {
  if (time_us <= sol_us) return 1;
  if (base_us <= sol_us) return std::clamp(sol_us / time_us, 0.0, 1.0);
  return std::clamp(1 / (1 + (time_us - sol_us) / (base_us - sol_us)), 0.0, 1.0);
}

SolVerdict sol_verdict(const SolReport& report, double time_us, std::optional<double> base_us) {
  SolVerdict out;
  out.time_us = time_us;
  out.over_certified = report.certified.total_us > 0 ? time_us / report.certified.total_us : 0;
  out.over_calibrated = report.calibrated.total_us > 0 ? time_us / report.calibrated.total_us : 0;
  out.word = time_us < 0.9 * report.certified.total_us ? "impossible"
             : time_us < report.calibrated.total_us    ? "review"
                                                       : "plausible";
  if (base_us) out.score = sol_score(time_us, report.certified.total_us, *base_us);
  return out;
}

}  // namespace uc
