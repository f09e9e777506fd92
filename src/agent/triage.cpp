// Which hypotheses are worth their attempts, and in which order.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "agent/controller.h"
#include "agent/roi.h"
#include "base/hash.h"

namespace uc {
namespace {

using Tried = std::set<std::string>;

void drop_tried(Hypothesis& hypothesis, const Tried& tried) {
  if (hypothesis.ladder) {
    // Rungs stand on each other: what was tried from the bottom on is stepped over.
    const auto known = [&](const Proposal& proposal) { return tried.contains(proposal.candidate->hash()); };
    if (std::ranges::all_of(hypothesis.proposals, known)) hypothesis.proposals.clear();
    return;
  }
  Tried seen = tried;
  std::erase_if(hypothesis.proposals,
                [&](const Proposal& proposal) { return !seen.insert(proposal.candidate->hash()).second; });
}

// An idea under whose name programs were tried, none of them right.
bool failed_before(const Hypothesis& hypothesis, const std::vector<Outcome>& outcomes) {
  bool tried = false;
  for (const Outcome& each : outcomes) {
    if (each.rewrite != hypothesis.id) continue;
    if (each.judgement.ok()) return false;
    tried = true;
  }
  return tried;
}

void put_in_order(std::vector<Hypothesis>& hypotheses, const TriageOptions& options) {
  if (options.ranking == Ranking::roi)
    std::ranges::stable_sort(hypotheses, std::greater<>{}, &Hypothesis::roi);
  if (options.ranking == Ranking::random) {
    std::ranges::stable_sort(hypotheses, {}, [&](const Hypothesis& each) {
      return content_hash(fmt::format("{}/{}", options.seed, each.id));
    });
  }
}

}  // namespace

void triage(std::vector<Hypothesis>& hypotheses, const std::vector<Outcome>& outcomes,
            const TriageOptions& options) {
  Tried tried;
  for (const Outcome& each : outcomes) tried.insert(each.candidate->hash());
  for (Hypothesis& each : hypotheses) {
    each.roi = roi(each.speedup, options.gap, each.implementation_risk, each.performance_risk);
    drop_tried(each, tried);
  }
  put_in_order(hypotheses, options);
  int chosen = 0;
  for (Hypothesis& each : hypotheses) {
    if (each.open && options.ranking != Ranking::given && failed_before(each, outcomes)) {
      each.verdict = "failed before";
    } else if (!each.open && each.proposals.empty()) {
      each.verdict = "nothing new";
    } else if (chosen < options.beam) {
      each.verdict = "chosen";
      ++chosen;
    } else {
      each.verdict = "below the beam";
    }
  }
  if (chosen > 0) return;
  // Whoever has no other idea may try those once more.
  for (Hypothesis& each : hypotheses) {
    if (chosen == options.beam || each.verdict != "failed before") continue;
    each.verdict = "chosen";
    ++chosen;
  }
}

}  // namespace uc
