#include "cli/sweep/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "metrics/metrics.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string times(double factor) { return factor > 0 ? fmt::format("{:.2f}x", factor) : std::string("-"); }

double over(double theirs, double ours) { return theirs > 0 && ours > 0 ? theirs / ours : 0; }

// Speedups of what was solved over one of PyTorch's ways.
std::vector<double> speedups(const std::vector<SweepRow>& rows, double SweepRow::* reference) {
  std::vector<double> out;
  for (const SweepRow& row : rows) {
    if (const double factor = over(row.*reference, row.us); factor > 0) out.push_back(factor);
  }
  return out;
}

metrics::Interval mean_of(const std::vector<double>& values) {
  return metrics::bootstrap(values, [](std::span<const double> drawn) { return metrics::geomean(drawn); });
}

size_t count(const std::vector<SweepRow>& rows, std::string_view state) {
  return static_cast<size_t>(std::ranges::count(rows, state, &SweepRow::state));
}

Json interval(const metrics::Interval& each) {
  return {{"low", each.low}, {"value", each.value}, {"high", each.high}};
}

}  // namespace

Result<SweepRow> row_of_report(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.value("schema", "") == "ucutlass.error/1")
    return fail(json.value("error", "failed, and did not say why"));
  if (!json.is_object() || json.value("schema", "") != "ucutlass.optimize/1")
    return fail("not a report of `ucutlass optimize --json`");
  try {
    SweepRow out;
    out.problem = json.at("problem");
    out.run = json.at("run");
    out.attempts = json.at("attempts").size();
    for (const Json& each : json.at("attempts")) {
      const std::string label = each.at("label");
      if (label != "ok" && label != "minor" && label != "incorrect" && label != "broken") ++out.flagged;
    }
    out.sol_us = json.at("sol").at("calibrated_us");
    out.baseline = json.at("best_baseline");
    for (const Json& each : json.at("baselines")) {
      if (each.at("name") == out.baseline) out.baseline_us = each.at("us");
      if (each.at("name") == "eager") out.eager_us = each.at("us");
    }
    out.state = json.at("best").is_null() ? "nothing right" : "done";
    if (!json.at("best").is_null()) {
      out.us = json.at("best").at("us");
      out.kind = json.at("best").at("kind");
    }
    if (json.at("interrupted") == true) out.state = "interrupted";
    return out;
  } catch (const Json::exception& error) {
    return fail(fmt::format("a report that lacks a field: {}", error.what()));
  }
}

std::string table_head() {
  return fmt::format("{:<10}{:<34}{:>12}{:>12}{:>11}{:>12}{:>8}{:>7}{:>9}\n", "problem", "name", "ours us",
                     "PyTorch us", "over best", "over eager", "of SOL", "tried", "seconds");
}

std::string table_line(const SweepRow& row) {
  if (row.us <= 0)
    return fmt::format("{:<10}{:<34.33} {}{}{}\n", row.name, row.problem, row.state,
                       row.message.empty() ? "" : ": ", row.message);
  return fmt::format("{:<10}{:<34.33}{:>12.2f}{:>12.2f}{:>11}{:>12}{:>8.2f}{:>7}{:>9.1f}  {}{}{}\n", row.name,
                     row.problem, row.us, row.baseline_us, times(over(row.baseline_us, row.us)),
                     times(over(row.eager_us, row.us)), over(row.sol_us, row.us), row.attempts, row.seconds,
                     row.kind, row.flagged > 0 ? fmt::format(", {} flagged", row.flagged) : "",
                     row.from_before ? ", from before" : "");
}

std::string summary_text(const std::vector<SweepRow>& rows) {
  std::string out = fmt::format("{} problems: {} done, {} with nothing right, {} failed\n", rows.size(),
                                count(rows, "done"), count(rows, "nothing right"), count(rows, "failed"));
  const auto line = [&](std::string_view what, double SweepRow::* reference) {
    const auto values = speedups(rows, reference);
    if (values.empty()) return;
    const auto mean = mean_of(values);
    out += fmt::format("{:<26}{:.3f}x [{:.3f}, {:.3f}] geometric mean of {}, faster on {}\n", what,
                       mean.value, mean.low, mean.high, values.size(),
                       std::ranges::count_if(values, [](double x) { return x > 1; }));
  };
  line("over PyTorch's best:", &SweepRow::baseline_us);
  line("over PyTorch eager:", &SweepRow::eager_us);
  if (std::ranges::any_of(rows, [](const SweepRow& row) { return row.kind == "modelled"; }))
    out += "Times of ours that say modelled are not measured.\n";
  return out;
}

std::string sweep_json(const std::vector<SweepRow>& rows, const SweepSchedule& schedule) {
  Json list = Json::array();
  for (const SweepRow& row : rows)
    list.push_back({{"name", row.name},
                    {"problem", row.problem},
                    {"state", row.state},
                    {"message", row.message},
                    {"run", row.run},
                    {"kind", row.kind},
                    {"us", row.us},
                    {"best_baseline", row.baseline},
                    {"best_baseline_us", row.baseline_us},
                    {"eager_us", row.eager_us},
                    {"sol_us", row.sol_us},
                    {"attempts", row.attempts},
                    {"flagged", row.flagged},
                    {"seconds", row.seconds},
                    {"from_before", row.from_before}});
  Json out = {{"schema", "ucutlass.sweep/1"}, {"problems", std::move(list)}};
  if (!schedule.policy.empty()) {
    out["sweep"] = schedule.sweep;
    out["policy"] = schedule.policy;
  }
  out["over_best"] = interval(mean_of(speedups(rows, &SweepRow::baseline_us)));
  out["over_eager"] = interval(mean_of(speedups(rows, &SweepRow::eager_us)));
  return out.dump(2) + "\n";
}

}  // namespace uc::cli
