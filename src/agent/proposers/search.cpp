#include "agent/proposers/search.h"

#include <algorithm>
#include <fmt/format.h>

#include "agent/roi.h"
#include "base/hash.h"

namespace uc {
namespace {

constexpr double kSweepError = 0.08;  // relative error of the model between configurations
constexpr double kTuneError = 0.04;   // between neighbours
constexpr double kLeastShare = 0.1;   // of the time, for a launch to be worth configuring
constexpr double kTie = 0.01;         // modelled times this near are in an order that the seed decides

struct Knobs {
  std::string_view rewrite;
  double sigma;
  std::string_view why;
};
constexpr Knobs kSweep{
    "set-config", kSweepError,
    "the model ranks configurations to within some percent; measuring the first few finds the best"};
constexpr Knobs kTune{"tune-config", kTuneError,
                      "the best of a neighbourhood is rarely where the model puts it"};

const RewriteSpec* find_row(const Catalog& catalog, std::string_view id) {
  const auto found = std::ranges::find(catalog.rewrites(), id, &RewriteSpec::id);
  return found == catalog.rewrites().end() ? nullptr : *found;
}

// What measuring a few more is expected to bring, given how many were measured.
double further_gain(int before, double sigma) {
  return expected_sweep_gain(before + 4, sigma) / expected_sweep_gain(before, sigma);
}

class ConfigHypotheses {
 public:
  ConfigHypotheses(const SearchState& state, const Outcome& best) : state_(state), best_(best) {}

  void add(const Knobs& knobs, std::vector<Hypothesis>& out) {
    const RewriteSpec* row = find_row(state_.catalog, knobs.rewrite);
    if (row == nullptr || !best_.candidate->ok()) return;
    const RewriteContext context{state_.catalog, state_.device, state_.allowed};
    const std::vector<Site> sites = row->find(best_.candidate->program, context);
    for (const LaunchCost& cost : costs_of(state_.catalog, *best_.candidate->compiled, state_.device)) {
      const double share = cost.estimate.total_us / best_.candidate->modelled_us;
      if (share < kLeastShare) continue;
      Hypothesis each = hypothesis(*row, knobs, cost, share);
      for (const Site& site : sites) {
        if (site.step == cost.step) propose(each, *row, site, context);
      }
      finish(each, knobs, share);
      if (!each.proposals.empty()) out.push_back(std::move(each));
    }
  }

 private:
  Hypothesis hypothesis(const RewriteSpec& row, const Knobs& knobs, const LaunchCost& cost,
                        double share) const {
    const Step& step = best_.candidate->program[cost.step];
    Hypothesis out;
    out.id = fmt::format("{} {}", knobs.rewrite, best_.candidate->program[step.results.back()].name);
    out.what = fmt::format("{} of `{}`", row.summary, cost.summary);
    out.why = fmt::format("it holds {:.0f} % of the modelled time; {}", 100 * share, knobs.why);
    out.implementation_risk = row.implementation_risk;
    out.performance_risk = row.performance_risk;
    return out;
  }

  bool known(const Candidate& candidate) const {
    return std::ranges::any_of(
        state_.outcomes, [&](const Outcome& each) { return each.candidate->hash() == candidate.hash(); });
  }

  void propose(Hypothesis& to, const RewriteSpec& row, const Site& site,
               const RewriteContext& context) const {
    auto candidate = std::make_shared<const Candidate>(apply_rewrite(row, site, *best_.candidate, context));
    if (!candidate->ok() || known(*candidate)) return;
    Proposal proposal;
    proposal.expected_speedup = best_.candidate->modelled_us / candidate->modelled_us;
    proposal.candidate = std::move(candidate);
    proposal.rewrite = row.id;
    proposal.what = site.what;
    proposal.cause = row.cause;
    to.proposals.push_back(std::move(proposal));
  }

  // Near 1, by seed and program: orders what the model cannot tell apart.
  double jitter(const Candidate& candidate) const {
    const std::string digits = content_hash(fmt::format("{}/{}", state_.seed, candidate.hash())).substr(0, 8);
    return 1 + kTie * (2 * static_cast<double>(std::stoul(digits, nullptr, 16)) / 4294967295.0 - 1);
  }

  // Best modelled first; the more of it was measured already, the less the rest is expected to bring.
  void finish(Hypothesis& to, const Knobs& knobs, double share) {
    std::vector<std::pair<double, Proposal>> keyed;
    for (Proposal& each : to.proposals)
      keyed.emplace_back(each.candidate->modelled_us * jitter(*each.candidate), std::move(each));
    std::ranges::stable_sort(keyed, {}, [](const auto& each) { return each.first; });
    to.proposals.clear();
    for (auto& [key, proposal] : keyed) to.proposals.push_back(std::move(proposal));
    if (to.proposals.empty()) return;
    const auto measured =
        static_cast<int>(std::ranges::count(state_.outcomes, knobs.rewrite, &Outcome::rewrite));
    const double part =
        further_gain(measured + 1, knobs.sigma) * std::min(1.0, to.proposals.front().expected_speedup);
    to.speedup = 1 / (1 - share + share / part);  // Amdahl: only this launch gets faster
  }

  const SearchState& state_;
  const Outcome& best_;
};

}  // namespace

Result<std::vector<Hypothesis>> SearchProposer::nominate(const SearchState& state) {
  std::vector<Hypothesis> out;
  const Outcome* from = state.best != nullptr ? state.best : state.start;
  if (from == nullptr) return out;
  if (Hypothesis structure = search::ladder(state, from->candidate); !structure.proposals.empty())
    out.push_back(std::move(structure));
  if (state.best == nullptr || !state.measured) return out;
  ConfigHypotheses configs(state, *state.best);
  configs.add(kSweep, out);
  configs.add(kTune, out);
  return out;
}

std::vector<std::shared_ptr<const Candidate>> SearchProposer::anticipate(const SearchState& state) {
  constexpr size_t kConfigs = 6;
  std::vector<std::shared_ptr<const Candidate>> out;
  if (state.start == nullptr) return out;
  Outcome last;
  last.candidate = state.start->candidate;
  for (const Proposal& each : search::ladder(state, state.start->candidate).proposals) {
    out.push_back(each.candidate);
    last.candidate = each.candidate;
  }
  if (!state.measured) return out;
  std::vector<Hypothesis> configs;
  ConfigHypotheses(state, last).add(kSweep, configs);
  for (const Hypothesis& each : configs) {
    for (size_t i = 0; i < std::min(kConfigs, each.proposals.size()); ++i)
      out.push_back(each.proposals[i].candidate);
  }
  return out;
}

}  // namespace uc
