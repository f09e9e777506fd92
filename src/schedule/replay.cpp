#include "schedule/replay.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include "metrics/metrics.h"
#include "schedule/scheduler.h"

namespace uc::schedule {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::array<double, 20> kEps{kNever, 0,   0.02, 0.05, 0.1,  0.15, 0.2, 0.25, 0.35, 0.5,
                                      0.75,   1.0, 1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  4.0,  5.0};
constexpr std::array<int, 20> kPatience{1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        12, 14, 16, 18, 20, 24, 28, 32, 36, std::numeric_limits<int>::max()};

double cost_of(const LoggedAttempt& attempt, Cost cost) {
  switch (cost) {
    case Cost::tokens: return attempt.tokens;
    case Cost::seconds: return attempt.seconds;
    case Cost::attempts: break;
  }
  return 1;
}

double whole_cost(const AttemptLog& log, Cost cost) {
  double out = 0;
  for (const LoggedProblem& problem : log) {
    for (const LoggedAttempt& each : problem.attempts) out += cost_of(each, cost);
  }
  return out;
}

std::vector<Progress> starts(const AttemptLog& log) {
  std::vector<Progress> out;
  for (const LoggedProblem& problem : log) {
    Progress at;
    at.reference_us = problem.reference_us;
    at.sol_us = problem.sol_us;
    at.most_attempts = static_cast<int>(problem.attempts.size());
    out.push_back(at);
  }
  return out;
}

// `made`, if given, is told which problem each attempt went to.
Replayed played(const AttemptLog& log, const Policy& policy, const ReplayOptions& options, double whole,
                std::vector<size_t>* made = nullptr) {
  Scheduler scheduler(policy, starts(log));
  Replayed out;
  out.policy = policy;
  while (out.cost < options.budget * whole || whole == 0) {
    const auto at = scheduler.next();
    if (!at) break;
    const LoggedAttempt& attempt = log[*at].attempts[static_cast<size_t>(scheduler.problems()[*at].attempts)];
    const double cost = cost_of(attempt, options.cost);
    out.cost += cost;
    if (made != nullptr) made->push_back(*at);
    scheduler.record(*at, attempt.accepted ? attempt.time_us : 0, cost);
  }
  for (const Progress& each : scheduler.problems()) {
    out.speedups.push_back(each.best_us > 0 ? each.reference_us / each.best_us : options.unsolved);
    out.attempts.push_back(each.attempts);
  }
  out.geomean = metrics::geomean(out.speedups);
  out.cost_share = whole > 0 ? out.cost / whole : 0;
  return out;
}

void compare_with(const Replayed& fixed, Replayed& out) {
  out.retention = fixed.geomean > 0 ? out.geomean / fixed.geomean : 0;
  out.gain = out.cost > 0 ? out.retention * fixed.cost / out.cost : 0;
}

// Everything that the log holds, whatever the budget.
Result<Replayed> all_attempts(const AttemptLog& log, ReplayOptions options) {
  if (log.empty()) return fail("the log has no problem", "name a log with attempts", 1);
  options.budget = 1;
  Replayed out = played(log, Policy{}, options, whole_cost(log, options.cost));
  compare_with(out, out);
  return out;
}

std::vector<size_t> efficient(const std::vector<Replayed>& all) {
  std::vector<size_t> order(all.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return all[a].cost != all[b].cost ? all[a].cost < all[b].cost : all[a].retention > all[b].retention;
  });
  std::vector<size_t> out;
  for (const size_t each : order) {
    if (out.empty() || all[each].retention > all[out.back()].retention) out.push_back(each);
  }
  return out;
}

}  // namespace

std::string_view name(Cost cost) {
  switch (cost) {
    case Cost::tokens: return "tokens";
    case Cost::attempts: return "attempts";
    case Cost::seconds: return "seconds";
  }
  return "";
}

std::span<const double> default_eps() { return kEps; }
std::span<const int> default_patience() { return kPatience; }

Result<std::vector<size_t>> decisions(const AttemptLog& log, const Policy& policy,
                                      const ReplayOptions& options) {
  if (log.empty()) return fail("the log has no problem", "name a log with attempts", 1);
  std::vector<size_t> out;
  (void)played(log, policy, options, whole_cost(log, options.cost), &out);
  return out;
}

Result<Replayed> replay(const AttemptLog& log, const Policy& policy, const ReplayOptions& options) {
  const auto fixed = all_attempts(log, options);
  if (!fixed) return fixed;
  Replayed out = played(log, policy, options, fixed->cost);
  compare_with(*fixed, out);
  return out;
}

Result<Frontier> frontier(const AttemptLog& log, Policy::Kind kind, std::span<const double> eps,
                          std::span<const int> patience, double retain, const ReplayOptions& options) {
  auto fixed = all_attempts(log, options);
  if (!fixed) return tl::unexpected(fixed.error());
  Frontier out;
  out.fixed = std::move(*fixed);
  for (const double near : eps) {
    for (const int stall : patience) {
      out.all.push_back(played(log, {kind, near, stall}, options, out.fixed.cost));
      compare_with(out.fixed, out.all.back());
    }
  }
  out.efficient = efficient(out.all);
  const auto enough =
      std::ranges::find_if(out.efficient, [&](size_t each) { return out.all[each].retention >= retain; });
  if (enough != out.efficient.end()) out.best = *enough;
  return out;
}

}  // namespace uc::schedule
