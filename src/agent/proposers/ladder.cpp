// The structural path: what to apply, and in which order.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "agent/proposers/search.h"

namespace uc::search {
namespace {

constexpr std::array kCauses{Cause::precision, Cause::prepack, Cause::kernel, Cause::algebra};
constexpr double kUnbuildable = 10;  // speedup of a program that can be built over one that cannot
constexpr int kMostRungs = 6;

using Shared = std::shared_ptr<const Candidate>;
using Banned = std::set<std::string, std::less<>>;

// True when `next` may stand in for `now`: it can be built, and the model sees no loss. Arithmetic that an
// epilogue hides costs nothing in the model, so equal is good enough.
bool no_worse(const Candidate& next, const Candidate& now) {
  if (!next.ok()) return false;
  return !now.ok() || next.modelled_us <= now.modelled_us * 1.0001;
}

// The first site of the row that can be taken, or nothing.
Shared take_one(const RewriteSpec& row, const Shared& from, const RewriteContext& context,
                std::string& what) {
  for (const Site& site : row.find(from->program, context)) {
    auto next = std::make_shared<const Candidate>(apply_rewrite(row, site, *from, context));
    // Half of a change may not be buildable yet: three of four operands, one of two fusions.
    const bool open = !from->ok() && !next->ok();
    if (next->source == from->source || (!open && !no_worse(*next, *from))) continue;
    what += (what.empty() ? "" : "; ") + site.what;
    return next;
  }
  return nullptr;
}

double gain(const Candidate& from, const Candidate& to) {
  if (!to.ok()) return 0;
  return from.ok() ? from.modelled_us / std::max(to.modelled_us, 1e-9) : kUnbuildable;
}

struct Option {
  Cause cause;
  Rung rung;
  double gain = 0;     // of the rung itself
  double promise = 0;  // with what it makes possible
};

// Converted weights cost a launch in each call until they are prepacked, so precision is judged with prepack
// in view.
double promise_of(const Rung& rung, Cause cause, const Candidate& from, const SearchState& state,
                  const RewriteContext& context, const Banned& banned) {
  const double own = gain(from, *rung.candidate);
  if (cause != Cause::precision || !state.prepack_allowed) return own;
  return std::max(own, gain(from, *exhaust(rung.candidate, Cause::prepack, context, banned).candidate));
}

// What the checks of earlier attempts refused, or found wrong, is not tried again.
Banned banned_by(const SearchState& state) {
  Banned out;
  for (const Outcome& outcome : state.outcomes) {
    if (outcome.judgement.label != "incorrect") continue;
    const auto parent = std::ranges::find(state.outcomes, outcome.parent, &Outcome::number);
    if (parent != state.outcomes.end() && parent->judgement.ok()) out.insert(outcome.rewrite);
  }
  return out;
}

std::string_view reason(Cause cause) {
  switch (cause) {
    case Cause::precision: return "a faster multiplier";
    case Cause::prepack: return "weights are prepared once";
    case Cause::algebra: return "less arithmetic";
    case Cause::kernel: return "fewer launches and less traffic";
  }
  return {};
}

std::optional<Option> best_option(const SearchState& state, const Shared& from, const RewriteContext& context,
                                  const Banned& banned) {
  std::optional<Option> best;
  for (const Cause cause : kCauses) {
    if (cause == Cause::prepack && !state.prepack_allowed) continue;
    Option option{cause, exhaust(from, cause, context, banned), 0, 0};
    if (option.rung.candidate->source == from->source || !option.rung.candidate->ok() ||
        banned.contains(option.rung.rewrites))
      continue;
    option.gain = gain(*from, *option.rung.candidate);
    option.promise = promise_of(option.rung, cause, *from, state, context, banned);
    if (option.promise >= 0.9999 && (!best || option.promise > best->promise * 1.001))
      best = std::move(option);
  }
  return best;
}

}  // namespace

Rung exhaust(const Shared& from, Cause cause, const RewriteContext& context, const Banned& banned) {
  Rung out{from, "", ""};
  std::vector<std::string_view> used;
  for (int round = 0; round < 64; ++round) {
    Shared next;
    for (const RewriteSpec* row : context.catalog.rewrites()) {
      if (row->cause != cause || row->knobs_only || row->holds != Holds::always || banned.contains(row->id))
        continue;
      next = take_one(*row, out.candidate, context, out.what);
      if (next == nullptr) continue;
      if (std::ranges::find(used, row->id) == used.end()) used.push_back(row->id);
      break;
    }
    if (next == nullptr) break;
    out.candidate = next;
  }
  out.rewrites = fmt::format("{}", fmt::join(used, ", "));
  return out;
}

Hypothesis ladder(const SearchState& state, const Shared& from) {
  const RewriteContext context{state.catalog, state.device, state.allowed};
  const Banned banned = banned_by(state);
  Hypothesis out;
  out.id = "structure";
  out.ladder = true;
  std::vector<std::string> reasons;
  Shared at = from;
  for (int i = 0; i < kMostRungs; ++i) {
    auto option = best_option(state, at, context, banned);
    if (!option) break;
    Proposal proposal;
    proposal.candidate = option->rung.candidate;
    proposal.rewrite = option->rung.rewrites;
    proposal.what = option->rung.what;
    proposal.cause = option->cause;
    proposal.expected_speedup = option->gain;
    proposal.on = i - 1;
    reasons.emplace_back(reason(option->cause));
    out.what += (out.what.empty() ? "" : " -> ") + option->rung.rewrites;
    at = option->rung.candidate;
    out.proposals.push_back(std::move(proposal));
  }
  out.why = fmt::format("{}", fmt::join(reasons, ", "));
  if (!out.proposals.empty()) out.speedup = gain(*from, *at);
  return out;
}

}  // namespace uc::search
