#include "agent/causes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace uc {
namespace {

constexpr std::array<std::string_view, 4> kOrder{"precision", "prepack", "algebra", "kernel"};

// Attempts from the imported one to the best; each builds upon the one before.
std::vector<const Outcome*> path_to(const RunResult& result, const Outcome& best) {
  std::vector<const Outcome*> path{&best};
  while (path.back()->parent != 0 && path.size() <= result.outcomes.size()) {
    const auto parent = std::ranges::find(result.outcomes, path.back()->parent, &Outcome::number);
    if (parent == result.outcomes.end()) break;
    path.push_back(&*parent);
  }
  std::ranges::reverse(path);
  return path;
}

std::string joined(const std::vector<std::string>& causes) {
  std::string out;
  for (const std::string_view each : kOrder) {
    if (std::ranges::find(causes, each) != causes.end())
      out += fmt::format("{}{}", out.empty() ? "" : " + ", each);
  }
  return out;
}

bool prepares_weights(const Program& program) {
  return std::ranges::any_of(program.steps, [](const Step& step) { return step.phase == Phase::load; });
}

// What a step of the path changed: what its rewrite says, and what can be seen in the programs, since whoever
// writes them whole changes several things at once. CUDA may have changed anything but when weights are
// prepared.
std::vector<std::string> causes_at(const Outcome& at, const Outcome* before) {
  if (at.candidate->raw) return {"precision", "algebra", "kernel"};
  std::vector<std::string> out{at.rewrite == "import" ? "kernel" : std::string(name(at.cause))};
  if (before == nullptr || !at.judgement.ok()) return out;
  const Program& ours = at.candidate->program;
  const Program& theirs = before->candidate->program;
  if (ours.precision != theirs.precision) out.emplace_back("precision");
  if (prepares_weights(ours) != prepares_weights(theirs)) out.emplace_back("prepack");
  return out;
}

class Telling {
 public:
  explicit Telling(std::string from, double us) : from_(std::move(from)), us_(us) {}

  void step(const Outcome& at, const std::vector<std::string>& causes) {
    pending_.insert(pending_.end(), causes.begin(), causes.end());
    if (!at.judgement.ok() || at.judgement.time_us <= 0) return;
    const std::string to = fmt::format("attempt {}", at.number);
    add(joined(pending_), us_ / at.judgement.time_us, at.judgement.kind, fmt::format("{} to {}", from_, to));
    pending_.clear();
    from_ = to;
    us_ = at.judgement.time_us;
  }

  std::vector<CauseShare> take() { return std::move(shares_); }

 private:
  void add(const std::string& cause, double factor, TimeKind kind, const std::string& how) {
    const auto same = std::ranges::find(shares_, cause, &CauseShare::cause);
    if (same == shares_.end()) {
      shares_.push_back({cause, factor, kind, how});
      return;
    }
    same->factor *= factor;
    same->how += ", " + how;
  }

  std::string from_;
  double us_;
  std::vector<std::string> pending_;
  std::vector<CauseShare> shares_;
};

}  // namespace

std::string reference_baseline(const Baselines& baselines) {
  for (const char* name : {"eager_tf32", "eager"}) {
    const Baseline* found = baselines.find(name);
    if (found != nullptr && found->us > 0) return name;
  }
  return baselines.best;
}

Causes causes_of(const RunResult& result, const std::string& baseline) {
  Causes out;
  out.baseline = baseline;
  const Baseline* base = result.baselines.find(baseline);
  if (!result.has_best() || base == nullptr || base->us <= 0) return out;
  const Outcome& best = result.outcomes[result.best];
  Telling telling("PyTorch's " + baseline, base->us);
  const Outcome* before = nullptr;
  for (const Outcome* each : path_to(result, best)) {
    telling.step(*each, causes_at(*each, before));
    if (each->judgement.ok()) before = each;  // programs between that have no time take no share
  }
  out.shares = telling.take();
  out.total = base->us / best.judgement.time_us;
  return out;
}

}  // namespace uc
