#include "random_programs.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "draft.h"
#include "trial.h"

namespace uc::oracle {
namespace {

constexpr int kTries = 400;  // drafts for one program; after half of them its layout and schedule are free
constexpr int kMoreTries = 4000;  // ... where none was accepted: any of its form will do

// What the checker makes of a draft: fine, refused by the rule book alone (its first rule), or no program at
// all.
struct Opinion {
  bool accepted = false;
  std::string rule;
};

class Generator {
 public:
  Generator(const Catalog& catalog, const RandomOptions& options)
      : catalog_(catalog),
        options_(options),
        sampler_(catalog, options.seed),
        schedules_(sampler_.words("schedule")) {}

  std::vector<RandomProgram> run() {
    for (size_t i = 0; i < options_.accepted; ++i) add_accepted(i);
    for (size_t i = 0; i < options_.rejected; ++i) add_rejected(i);
    return std::move(programs_);
  }

 private:
  Opinion opinion(const Draft& draft) const {
    const std::vector<std::string> errors = errors_of(catalog_, text(draft));
    Opinion out;
    out.accepted = errors.empty();
    const bool ruled = !errors.empty() && std::ranges::all_of(errors, [&](const std::string& id) {
      return catalog_.rule(id) != nullptr;
    });
    if (ruled) out.rule = errors.front();
    return out;
  }

  // The turn's form, layouts and schedule; after many vain tries only the form.
  Draft draw(size_t turn, int tries) {
    const auto& forms = sampler_.forms();
    const size_t round = turn / forms.size();
    Draft draft = sampler_.draw(forms[turn % forms.size()]);
    if (tries < kTries / 2) {
      draft.a.column = round % 2 != 0;
      draft.b.column = round / 2 % 2 != 0;
      if (!schedules_.empty()) draft.knobs["schedule"] = schedules_[round / 4 % schedules_.size()];
    }
    return draft;
  }

  // A rejected neighbour whose rule was met least often so far.
  std::optional<Draft> neighbour(const Draft& draft, std::string& rule) {
    std::optional<Draft> out;
    for (int i = 0; i < 40; ++i) {
      Draft other = sampler_.one_step(draft);
      const Opinion there = opinion(other);
      if (there.rule.empty() || (out && met_[there.rule] >= met_[rule])) continue;
      rule = there.rule;
      out = std::move(other);
    }
    return out;
  }

  void add(std::string name, const Draft& draft, const std::string& remark) {
    programs_.push_back(
        {std::move(name), fmt::format("# seed {}{}\n{}", options_.seed, remark, text(draft))});
  }

  void add_accepted(size_t turn) {
    const bool at_boundary = turn % 4 == 3;
    std::optional<Draft> best;
    std::string rule;
    int wanted = at_boundary ? 12 : 1;  // drafts to choose among: rules that few reach shall be reached
    for (int tries = 0; tries < kTries && wanted > 0; ++tries) {
      const Draft draft = draw(turn, tries);
      if (!opinion(draft).accepted) continue;
      --wanted;
      std::string near;
      if (at_boundary && !neighbour(draft, near)) continue;
      if (best && at_boundary && met_[near] >= met_[rule]) continue;
      best = draft;
      rule = near;
    }
    for (int tries = 0; tries < kMoreTries && !best; ++tries) {
      const Draft draft = draw(turn, kTries);
      if (opinion(draft).accepted) best = draft;
    }
    if (!best) return;
    if (!rule.empty()) ++met_[rule];
    add(fmt::format("r{:03}", turn), *best, rule.empty() ? "" : ", one step from " + rule);
  }

  void add_rejected(size_t turn) {
    std::optional<Draft> best;
    std::string rule;
    int wanted = 12;
    for (int tries = 0; tries < kTries && wanted > 0; ++tries) {
      const Draft draft = draw(turn + static_cast<size_t>(tries), kTries);
      if (!opinion(draft).accepted) continue;
      std::string near;
      auto other = neighbour(draft, near);
      if (!other) continue;
      if (!make_trial(catalog_, "", text(*other)).no_source.empty())
        continue;  // there would be nothing to try
      best = std::move(other);
      rule = near;
    }
    if (!best) return;
    ++refused_[rule];
    met_[rule] += 4;  // the next neighbours lead elsewhere
    add(fmt::format("x{:03}", turn), *best, ", refused by " + rule);
  }

  const Catalog& catalog_;
  RandomOptions options_;
  Sampler sampler_;
  std::vector<std::string> schedules_;
  std::vector<RandomProgram> programs_;
  std::map<std::string, int> met_;      // boundary programs a rule
  std::map<std::string, int> refused_;  // rejected programs a rule
};

}  // namespace

std::vector<RandomProgram> random_programs(const Catalog& catalog, const RandomOptions& options) {
  return Generator(catalog, options).run();
}

}  // namespace uc::oracle
