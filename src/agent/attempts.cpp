#include "agent/attempts.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "agent/records.h"

namespace uc {
namespace {

std::string first_error(const DiagSink& diags) {
  for (const Diag& each : diags.sorted()) {
    if (each.severity == Severity::error)
      return fmt::format("{} {}{}", each.id, each.message, each.help.empty() ? "" : "; " + each.help);
  }
  return "rejected";
}

Outcome outcome_of(const Proposal& proposal) {
  Outcome out;
  out.candidate = proposal.candidate;
  out.rewrite = proposal.rewrite;
  out.what = proposal.what;
  out.cause = proposal.cause;
  out.expected_speedup = proposal.expected_speedup;
  return out;
}

Judgement broken(std::string reason, std::string message) {
  Judgement out;
  out.label = "broken";
  out.reason = std::move(reason);
  out.message = std::move(message);
  return out;
}

}  // namespace

size_t best_of(const std::vector<Outcome>& outcomes) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& each = outcomes[i];
    if (!each.judgement.ok() || each.judgement.time_us <= 0 || is_final(each.rewrite)) continue;
    if (best == SIZE_MAX || each.judgement.time_us < outcomes[best].judgement.time_us) best = i;
  }
  return best;
}

Attempts::Attempts(const RunWorld& world, const RunRecord& run, const RunOptions& options,
                   Artefacts& artefacts)
    : world_(world), run_(run), options_(options), artefacts_(artefacts) {
  if (!world_.evaluator.needs_library() || world_.builder == nullptr) return;
  const int jobs = options_.build_jobs > 0 ? options_.build_jobs : default_build_jobs();
  const std::string folder =
      artefacts_.folder().empty() ? "/tmp/ucutlass-" + run_.id : artefacts_.path("builds");
  queue_ = std::make_unique<BuildQueue>(*world_.builder, jobs, folder);
  if (world_.building) world_.building(queue_.get());
}

Attempts::~Attempts() {
  if (queue_ != nullptr && world_.building) world_.building(nullptr);
}

void Attempts::warm(const StartingPoint& start) {
  if (queue_ == nullptr || !stored_.empty()) return;
  Outcome first;
  first.candidate = std::make_shared<const Candidate>(
      make_candidate(world_.catalog, start.program, start.reduced, world_.device));
  if (first.candidate->ok()) queue_->need(first.candidate);
  const std::vector<Outcome> none;
  const SearchState state{world_.catalog,
                          world_.device,
                          options_.precision,
                          options_.prepack,
                          true,
                          options_.seed,
                          0,
                          none,
                          nullptr,
                          &first,
                          1,
                          options_.attempts};
  int left = options_.attempts - 1;
  for (const auto& each : world_.proposer.anticipate(state)) {
    if (left-- > 0 && each->ok()) queue_->expect(each);
  }
}

void Attempts::forget() {
  if (queue_ != nullptr) queue_->forget();
}

Result<> Attempts::load() {
  auto records = world_.store.attempts(run_.id);
  if (!records) return tl::unexpected(records.error());
  for (AttemptRecord& each : *records) stored_.emplace(each.number, std::move(each));
  return {};
}

size_t Attempts::best() const { return best_of(outcomes_); }

Result<> Attempts::first(const StartingPoint& start) {
  Planned planned;
  planned.outcome.number = 1;
  planned.outcome.candidate = std::make_shared<const Candidate>(
      make_candidate(world_.catalog, start.program, start.reduced, world_.device));
  planned.outcome.rewrite = "import";
  planned.outcome.what = "the problem as captured, one step an operator";
  std::vector<Planned> all;
  all.push_back(std::move(planned));
  return run(std::move(all));
}

Result<> Attempts::again(const Outcome& parent, const std::string& rewrite, const std::string& what,
                         std::shared_ptr<const Candidate> candidate) {
  Planned planned;
  planned.outcome.number = static_cast<int64_t>(outcomes_.size()) + 1;
  planned.outcome.parent = parent.number;
  planned.outcome.candidate = std::move(candidate);
  planned.outcome.rewrite = rewrite;
  planned.outcome.what = what;
  planned.outcome.cause = rewrite == "confirm" ? Cause::kernel : Cause::prepack;
  planned.outcome.expected_speedup = 1;
  planned.effort = Effort::confirm;
  std::vector<Planned> all;
  all.push_back(std::move(planned));
  return run(std::move(all));
}

Result<> Attempts::implement(const std::vector<Hypothesis>& chosen, const Outcome* best, int left) {
  return run(plan(chosen, best, left));
}

int64_t Attempts::number_of(const Candidate& candidate) const {
  const std::string hash = candidate.hash();
  const auto found =
      std::ranges::find_if(outcomes_, [&](const Outcome& each) { return each.candidate->hash() == hash; });
  return found == outcomes_.end() ? 0 : found->number;
}

Result<> Attempts::one(const Proposal& proposal, int64_t parent) {
  Planned planned;
  planned.outcome = outcome_of(proposal);
  planned.outcome.number = static_cast<int64_t>(outcomes_.size()) + 1;
  planned.outcome.parent = parent;
  if (!proposal.fault.empty()) {
    planned.outcome.judgement = broken(proposal.fault, proposal.fault_message);
    planned.settled = true;
  } else if (const int64_t before = number_of(*proposal.candidate); before != 0) {
    planned.outcome.judgement = broken("repeated", fmt::format("the same program as attempt {}", before));
    planned.settled = true;
  }
  std::vector<Planned> all;
  all.push_back(std::move(planned));
  return run(std::move(all));
}

std::vector<Attempts::Planned> Attempts::plan(const std::vector<Hypothesis>& chosen, const Outcome* best,
                                              int left) const {
  std::vector<Planned> out;
  const int64_t base = best == nullptr ? outcomes_.front().number : best->number;
  const auto known = [&](const Candidate& candidate) -> int64_t {
    if (const int64_t before = number_of(candidate); before != 0) return before;
    for (const Planned& each : out) {
      if (each.outcome.candidate->hash() == candidate.hash()) return each.outcome.number;
    }
    return 0;
  };
  for (const Hypothesis& hypothesis : chosen) {
    std::vector<int64_t> numbers;  // of each proposal, for those that build upon it
    int count = 0;
    for (const Proposal& proposal : hypothesis.proposals) {
      const int64_t before = known(*proposal.candidate);
      numbers.push_back(before != 0 ? before : static_cast<int64_t>(outcomes_.size() + out.size()) + 1);
      if (before != 0) continue;
      if (static_cast<int>(out.size()) >= left || (!hypothesis.ladder && count >= options_.per_hypothesis))
        break;
      Planned planned;
      planned.outcome = outcome_of(proposal);
      planned.outcome.number = numbers.back();
      planned.outcome.parent = proposal.on < 0 ? base : numbers[static_cast<size_t>(proposal.on)];
      out.push_back(std::move(planned));
      ++count;
    }
  }
  return out;
}

bool Attempts::replay(Planned& planned) const {
  const auto found = stored_.find(planned.outcome.number);
  if (found == stored_.end() || found->second.program != planned.outcome.candidate->source ||
      found->second.rewrite != planned.outcome.rewrite)
    return false;
  planned.outcome.judgement = judgement_of(found->second);
  planned.outcome.started = found->second.started;
  planned.outcome.ended = found->second.ended;
  planned.outcome.build_log = found->second.build_log;
  planned.outcome.replayed = true;
  planned.settled = true;
  return true;
}

void Attempts::examine(Planned& planned) {
  Outcome& outcome = planned.outcome;
  outcome.started = world_.clock.wall_seconds();
  if (planned.settled) return;
  Judgement& judgement = outcome.judgement;
  if (!outcome.candidate->ok()) {
    judgement = broken("rejected", first_error(outcome.candidate->compiled->diags));
    planned.settled = true;
    return;
  }
  const MeaningCheck meaning = world_.meaning.check(*outcome.candidate);
  if (!meaning.checked || meaning.passed) return;
  judgement.label = "incorrect";
  judgement.reason = "wrong_result";
  judgement.message = "at reduced sizes on the CPU: " + meaning.why;
  judgement.correctness = cases_json(meaning.cases);
  planned.settled = true;
}

Result<> Attempts::judge(Planned& planned) {
  Outcome& outcome = planned.outcome;
  if (planned.building) {
    auto built = queue_->wait(*outcome.candidate);
    if (!built && built.error().exit_code == 130) return tl::unexpected(built.error());
    if (!built) {
      outcome.judgement = broken("build_failed", built.error().message);
      outcome.build_log = built.error().help;
      return {};
    }
    outcome.library = built->library;
    outcome.kernel_hashes = built->kernel_hashes;
    outcome.build_log = built->log;
  }
  const std::string id = fmt::format("attempt-{}", outcome.number);
  auto judgement = world_.evaluator.judge(*outcome.candidate, id, outcome.library, planned.effort);
  // A judge that died is started again by the next call: one more try tells a bad moment from a bad machine.
  if (!judgement && !stopped())
    judgement = world_.evaluator.judge(*outcome.candidate, id, outcome.library, planned.effort);
  if (!judgement) return tl::unexpected(judgement.error());
  outcome.judgement = std::move(*judgement);
  return {};
}

Result<> Attempts::keep(Planned& planned) {
  Outcome& outcome = planned.outcome;
  const Spent now = world_.proposer.spent();
  outcome.spent = now.since(counted_);
  counted_ = now;
  if (!outcome.replayed) {
    outcome.ended = world_.clock.wall_seconds();
    const AttemptRecord record = record_of(outcome, run_.id, world_.proposer.name());
    if (auto stored = world_.store.record(record); !stored) return stored;
    const std::string name = fmt::format("attempts/{:03}-{}", outcome.number,
                                         outcome.rewrite.substr(0, outcome.rewrite.find(',')));
    artefacts_.write(name + (outcome.candidate->raw ? ".cu" : ".uc"), outcome.candidate->text());
    artefacts_.write(name + ".json", record.timing + "\n");
  }
  outcomes_.push_back(std::move(outcome));
  say(outcomes_.back());
  return {};
}

void Attempts::say(const Outcome& outcome) const {
  const Judgement& judgement = outcome.judgement;
  std::string text = fmt::format("[{}/{}] {}", outcome.number, options_.attempts, outcome.rewrite);
  if (judgement.ok()) {
    const size_t best = this->best();
    text += fmt::format(": {:.2f} us {}", judgement.time_us, name(judgement.kind));
    if (best + 1 == outcomes_.size()) text += ", best so far";
  } else {
    text += fmt::format(": {} ({}): {}", judgement.label, judgement.reason, judgement.message);
  }
  world_.progress(text + (outcome.replayed ? " [stored]" : ""));
}

bool Attempts::granted(const Planned& planned) {
  if (world_.turn == nullptr || is_final(planned.outcome.rewrite)) return true;
  enough_ = enough_ || !world_.turn->next();
  return !enough_ && (planned.outcome.replayed || !stopped());
}

Result<> Attempts::run(std::vector<Planned> planned) {
  for (Planned& each : planned) {
    if (replay(each)) continue;
    examine(each);
    if (each.settled || queue_ == nullptr) continue;
    each.building = true;
    queue_->need(each.outcome.candidate);
  }
  Result<> done;
  for (Planned& each : planned) {
    if (!each.outcome.replayed && stopped()) break;
    if (!granted(each)) break;
    if (!each.settled) done = judge(each);
    if (done) done = keep(each);
    if (!done) break;
    const Outcome& last = outcomes_.back();
    if (world_.turn != nullptr && !is_final(last.rewrite))
      world_.turn->done(last.judgement.ok() ? last.judgement.time_us : 0);
  }
  return done;
}

}  // namespace uc
