#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

#include "sol/bound.h"
#include "sol/levels.h"
#include "sol/roofline.h"
#include "sol/sol.h"
#include "sol/steps.h"
#include "sol/variants.h"

namespace uc {
namespace {

using sol::Bound;
using sol::Ceiling;
using sol::Count;

class Analysis {
 public:
  Analysis(const Catalog& catalog, const Program& program, const DeviceSpec& device,
           const SolOptions& options)
      : device_(device),
        options_(options),
        precision_(options.precision.value_or(program.precision)),
        math_(sol::fastest_math(precision_, device)),
        clock_(options.clock_mhz.value_or(device.boost_mhz)),
        variants_(catalog, program) {}

  SolReport run() {
    SolReport out;
    head(out);
    const Bound& written = variants_.written();
    out.work = written.whole_work(precision_);
    const auto [certified, behind] = fastest(variants_.all(), math_, precision_);
    out.certified = certified;
    out.minimum = behind->whole_work(precision_, Count::least);
    out.rules = behind->rules();
    out.promised = fastest(variants_.promised(), math_, precision_).first;
    out.calibrated = calibrated(math_, precision_);
    rates(out);
    levels(out);
    out.steps = sol::steps_of(variants_.seen(), written, at());
    what_if(out);
    trust(out, *behind);
    if (options_.time_us) out.verdict = sol_verdict(out, *options_.time_us, options_.base_us);
    return out;
  }

 private:
  sol::At at() const { return {device_, clock_, math_, precision_}; }

  void head(SolReport& out) const {
    out.program = variants_.written().program().name;
    out.device = device_.name;
    out.device_name = device_.full_name;
    out.clock_mhz = clock_;
    out.dram_tbps = device_.dram_bytes_per_second() / 1e12;
    out.calibrated_dram_tbps = device_.calibrated_dram_tbps;
    out.precision = precision_;
    out.launch_floor_us = device_.launch_us;
  }

  // The least certified bound of programs that give the same results, and whose it is: of equal ones that
  // with the least work.
  std::pair<SolTime, const Bound*> fastest(const std::vector<const Bound*>& bounds, Math math,
                                           Precision precision) const {
    std::pair<SolTime, const Bound*> out{{}, nullptr};
    for (const Bound* each : bounds) {
      const SolTime time = sol::certified_time(each->whole(Count::least, math, precision), device_, clock_);
      if (out.second == nullptr || time.total_us <= out.first.total_us) out = {time, each};
    }
    return out;
  }

  SolTime calibrated(Math math, Precision precision) const {
    std::optional<SolTime> least;
    for (const Bound* each : variants_.promised()) {
      const SolTime time =
          sol::time_of(each->whole(Count::minimum, math, precision), device_, Ceiling::calibrated, clock_);
      if (!least || time.total_us < least->total_us) least = time;
    }
    return *least;
  }

  void rates(SolReport& out) const {
    const double bytes = out.work.read_bytes + out.work.write_bytes;
    out.intensity = bytes > 0 ? out.work.dense_flops / bytes : 0;
    if (out.certified.tensor_us > 0 && out.minimum.minimum_flops > 0)
      out.ridge =
          out.minimum.minimum_flops / (out.certified.tensor_us * 1e-6) / device_.dram_bytes_per_second();
  }

  void levels(SolReport& out) const {
    const size_t one = variants_.written().running().empty() ? 0 : 1;
    out.levels.push_back({"fused", "everything in one kernel: the bound", one, out.certified.total_us,
                          out.calibrated.total_us});
    for (SolLevel& level : sol::cut_levels(variants_.seen(), variants_.written(), at()))
      out.levels.push_back(level);
  }

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
      SolWhatIf each;
      each.math = name(choice.math);
      each.precision = name(choice.precision);
      each.certified = fastest(variants_.all(), choice.math, choice.precision).first;
      each.calibrated = calibrated(choice.math, choice.precision);
      each.tolerance = choice.tolerance;
      out.what_if.push_back(each);
    }
  }

  void trust(SolReport& out, const Bound& behind) const {
    const Bound& written = variants_.written();
    size_t covered = 0;
    for (const OpId id : written.running()) {
      const sol::OpWork& each = written.work(id);
      if (each.covered) {
        ++covered;
        continue;
      }
      const std::string called = sol::name_of(written.program()[id]);
      if (std::ranges::find(out.uncovered, called) == out.uncovered.end()) out.uncovered.push_back(called);
    }
    const auto count = static_cast<double>(written.running().size());
    out.coverage = count == 0 ? 1 : static_cast<double>(covered) / count;
    for (const std::string& called : out.uncovered)
      out.reasons.push_back(fmt::format("`{}` counts its bytes only", called));
    if (out.certified.total_us < out.promised.total_us)
      out.reasons.emplace_back(
          "the certified bound leans on what was seen in the captured data, some of it at reduced sizes");
    for (const SolRule& rule : out.rules) {
      if (std::ranges::none_of(out.structure, [&](const std::string& line) { return line == rule.where; }))
        out.structure.push_back(fmt::format("{}: {} ({})", rule.where, rule.id, name(rule.holds)));
    }
    for (const OpId id : behind.running()) {
      if (!behind.work(id).contracts) continue;
      const Math math = sol::math_of(behind.program(), id, math_);
      if (device_.peak_flops(math) == 0)
        out.reasons.push_back(fmt::format("{} has no rate for {}", device_.name, name(math)));
    }
    std::ranges::sort(out.reasons);
    out.reasons.erase(std::unique(out.reasons.begin(), out.reasons.end()), out.reasons.end());
    out.confidence = out.reasons.empty() ? "high" : "reduced";
  }

  const DeviceSpec& device_;
  const SolOptions& options_;
  Precision precision_;
  Math math_;
  double clock_;
  sol::Variants variants_;
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
