#include <algorithm>
#include <set>

#include "agent/controller.h"
#include "agent/roi.h"

namespace uc {

void triage(std::vector<Hypothesis>& hypotheses, const std::vector<Outcome>& outcomes, double gap, int beam) {
  std::set<std::string> tried;
  for (const Outcome& each : outcomes) tried.insert(each.candidate->hash());
  for (Hypothesis& each : hypotheses) {
    each.roi = roi(each.speedup, gap, each.implementation_risk, each.performance_risk);
    if (each.ladder) {
      // Rungs stand on each other: what was tried from the bottom on is stepped over.
      const auto known = [&](const Proposal& proposal) { return tried.contains(proposal.candidate->hash()); };
      if (std::ranges::all_of(each.proposals, known)) each.proposals.clear();
    } else {
      std::set<std::string> seen = tried;
      std::erase_if(each.proposals, [&](const Proposal& proposal) {
        return !seen.insert(proposal.candidate->hash()).second;
      });
    }
  }
  std::ranges::stable_sort(hypotheses, std::greater<>{}, &Hypothesis::roi);
  int chosen = 0;
  for (Hypothesis& each : hypotheses) {
    if (each.proposals.empty()) {
      each.verdict = "nothing new";
    } else if (chosen < beam) {
      each.verdict = "chosen";
      ++chosen;
    } else {
      each.verdict = "below the beam";
    }
  }
}

}  // namespace uc
