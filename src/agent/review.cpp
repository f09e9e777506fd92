#include "agent/review.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/records.h"
#include "schedule/labels.h"

namespace uc {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kClocks = 1.05;  // docs/evaluation.md: the judge's clock and the events may differ by that
constexpr double kLeap = 3;       // over the parent, and over what was expected: worth a look

double number_in(const Json& from, const char* key) {
  return from.is_object() && from.contains(key) && from[key].is_number() ? from[key].get<double>() : 0;
}

std::vector<std::string> texts_in(const Json& from, const char* key) {
  std::vector<std::string> out;
  if (!from.is_object() || !from.contains(key) || !from[key].is_array()) return out;
  for (const Json& each : from[key]) {
    if (each.is_string()) out.push_back(each.get<std::string>());
  }
  return out;
}

class Reviewer {
 public:
  Reviewer(const std::vector<AttemptRecord>& attempts, const Bounds& bounds) : bounds_(bounds) {
    for (const AttemptRecord& each : attempts) {
      by_number_.emplace(each.number, &each);
      if (schedule::is_flag(each.label) && !each.program_hash.empty())
        flagged_programs_.emplace(each.program_hash, each.number);
    }
  }

  Reviewed look_at(const AttemptRecord& attempt) {
    out_ = {};
    out_.attempt = attempt;
    label();
    ancestors();
    same_program();
    light();
    leap();
    record();
    out_.flagged = std::ranges::any_of(out_.evidence, &Evidence::flag);
    return std::move(out_);
  }

 private:
  void say(std::string_view what, std::string text, bool flag) {
    out_.evidence.push_back({std::string(what), std::move(text), flag});
  }

  bool accepted() const { return out_.attempt.label == "ok" || out_.attempt.label == "minor"; }

  void label() {
    const AttemptRecord& at = out_.attempt;
    if (!schedule::is_flag(at.label)) return;
    say("label",
        fmt::format("{}{}{}{}{}", at.label, at.reason.empty() ? "" : ", ", at.reason,
                    at.message.empty() ? "" : ": ", at.message),
        true);
  }

  // A flag is inherited until somebody shows that it does not apply; a rewrite of a cheat is its child.
  void ancestors() {
    int64_t at = out_.attempt.parent;
    for (size_t steps = 0; at != 0 && steps < by_number_.size(); ++steps) {
      const auto parent = by_number_.find(at);
      if (parent == by_number_.end()) return;
      if (schedule::is_flag(parent->second->label))
        return say("inherits",
                   fmt::format("descends from attempt {}, labelled {}", at, parent->second->label),
                   accepted());
      at = parent->second->parent;
    }
  }

  void same_program() {
    const auto same = flagged_programs_.find(out_.attempt.program_hash);
    if (same == flagged_programs_.end() || same->second == out_.attempt.number) return;
    say("same_program", fmt::format("the same program as attempt {}, which is flagged", same->second), true);
  }

  void light() {
    const AttemptRecord& at = out_.attempt;
    if (at.time_us <= 0 || bounds_.certified_us <= 0) return;
    out_.sol_ratio = at.time_us / bounds_.certified_us;
    if (out_.sol_ratio < 1)
      return say(
          "below_certified",
          fmt::format("{:.2f} us is {:.2f} of the certified bound, {:.2f} us: no right program is so fast",
                      at.time_us, out_.sol_ratio, bounds_.certified_us),
          true);
    if (at.time_kind == TimeKind::modelled || at.time_us >= bounds_.calibrated_us) return;
    say("below_calibrated",
        fmt::format("{:.2f} us is less than the best rates seen allow, {:.2f} us", at.time_us,
                    bounds_.calibrated_us),
        false);
  }

  void leap() {
    const AttemptRecord& at = out_.attempt;
    const auto parent = by_number_.find(at.parent);
    if (!accepted() || is_final(at.rewrite) || at.time_us <= 0 || parent == by_number_.end()) return;
    const double before = parent->second->time_us;
    const double speedup = before / at.time_us;
    if (before <= 0 || speedup < kLeap || speedup < kLeap * std::max(at.expected_speedup, 1.0)) return;
    say("leap",
        fmt::format("{:.1f} times as fast as attempt {}, where {:.1f} was expected", speedup, at.parent,
                    at.expected_speedup),
        false);
  }

  // What the judge wrote down beside its label.
  void record() {
    const Json timing = Json::parse(out_.attempt.timing, nullptr, false);
    if (!timing.is_object() || !timing.contains("record")) return;
    const Json& record = timing["record"];
    for (const std::string& each : texts_in(record, "libraries"))
      say("libraries", fmt::format("{} was loaded while it ran", each), false);
    const bool timed = record.is_object() && record.contains("time");
    const double gpu = timed ? number_in(record["time"], "gpu_us") : 0;
    const double graph = timed ? number_in(record["time"], "graph_us") : 0;
    if (gpu > 0 && graph > kClocks * gpu)
      say("clocks", fmt::format("{:.2f} us by its events, {:.2f} us a run by the judge's clock", gpu, graph),
          false);
    if (!schedule::is_flag(out_.attempt.label)) return;
    for (const std::string& each : texts_in(record, "notes")) say("notes", each, false);
  }

  const Bounds& bounds_;
  std::map<int64_t, const AttemptRecord*> by_number_;
  std::map<std::string, int64_t> flagged_programs_;  ///< hash to the first attempt that has it
  Reviewed out_;
};

}  // namespace

std::vector<Reviewed> review(const std::vector<AttemptRecord>& attempts, const Bounds& bounds) {
  Reviewer reviewer(attempts, bounds);
  std::vector<Reviewed> out;
  for (const AttemptRecord& each : attempts) {
    Reviewed reviewed = reviewer.look_at(each);
    if (!reviewed.evidence.empty()) out.push_back(std::move(reviewed));
  }
  return out;
}

}  // namespace uc
