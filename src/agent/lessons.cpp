#include "agent/lessons.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace uc {
namespace {

constexpr size_t kMost = 200;
constexpr size_t kMostTold = 12;
constexpr double kLeast = 1 / 1.2, kLargest = 1.2;

// "linear f16 [1024, 8192] x [8192, 8192]" of each contraction, else the shape of the first result.
std::string conditions_of(const Candidate& candidate) {
  std::string out;
  for (const Step& step : candidate.program.steps) {
    if (!step.main || candidate.program[step.main].spec->family != "contraction") continue;
    const Op& op = candidate.program[step.main];
    const Value& a = candidate.program[op.in[0]];
    const Value& b = candidate.program[op.in[1]];
    out += fmt::format("{}{} {} {} x {}", out.empty() ? "" : ", ", op.spec->name, name(a.dtype),
                       to_text(a.shape), to_text(b.shape));
  }
  if (out.empty() && !candidate.program.results.empty())
    out = "pointwise " + to_text(candidate.program[candidate.program.results[0]].shape);
  return out;
}

}  // namespace

Result<Lessons> Lessons::load(Store& store, std::string_view device, TimeKind kind, double before) {
  auto stored = store.lessons("", kMost);
  if (!stored) return tl::unexpected(stored.error());
  Lessons out;
  for (LessonRecord& each : *stored) {
    if (each.device != device || each.created >= before) continue;
    const bool timed = each.kind == kind && each.observed > 0 && each.expected > 0;
    // A change that failed has no time of any kind.
    if (timed || each.kind == TimeKind::none) out.told_.push_back(each);
    if (timed) out.known_.push_back(std::move(each));
  }
  return out;
}

void Lessons::adjust(std::vector<Hypothesis>& hypotheses) const {
  for (Hypothesis& each : hypotheses) {
    if (each.ladder || each.proposals.empty()) continue;
    double sum = 0;
    int count = 0;
    for (const LessonRecord& lesson : known_) {
      if (lesson.rewrite != each.proposals.front().rewrite) continue;
      sum += std::log(lesson.observed / lesson.expected);
      ++count;
    }
    if (count > 0) each.speedup *= std::clamp(std::exp(sum / count), kLeast, kLargest);
  }
}

std::vector<std::string> Lessons::lines() const {
  std::vector<std::string> out;
  for (const LessonRecord& each : told_) {
    if (out.size() == kMostTold) break;
    out.push_back(fmt::format("on {}: {}", each.problem, each.text));
  }
  std::ranges::reverse(out);
  return out;
}

LessonRecord lesson_of(const Outcome& outcome, const std::vector<Outcome>& all, const RunRecord& run,
                       const DeviceSpec& device) {
  LessonRecord out;
  out.run = run.id;
  out.problem = run.problem;
  out.rewrite = outcome.rewrite;
  out.device = device.name;
  out.kind = outcome.judgement.kind;
  out.expected = std::isfinite(outcome.expected_speedup) ? outcome.expected_speedup : 0;
  out.conditions = conditions_of(*outcome.candidate);
  const auto parent = std::ranges::find(all, outcome.parent, &Outcome::number);
  const bool both = parent != all.end() && parent->judgement.ok() && outcome.judgement.ok() &&
                    outcome.judgement.time_us > 0;
  out.observed = both ? parent->judgement.time_us / outcome.judgement.time_us : 0;
  const std::string head =
      fmt::format("attempt {} ({}), {}", outcome.number, outcome.rewrite, out.conditions);
  if (both) {
    out.text =
        fmt::format("{}: expected {:.2f}x, {} {:.2f}x", head, out.expected, name(out.kind), out.observed);
  } else if (outcome.judgement.ok()) {
    out.text = fmt::format("{}: the first program that is right, {:.2f} us {}", head,
                           outcome.judgement.time_us, name(out.kind));
  } else {
    out.text = fmt::format("{}: {} ({}): {}", head, outcome.judgement.label, outcome.judgement.reason,
                           outcome.judgement.message);
  }
  return out;
}

}  // namespace uc
