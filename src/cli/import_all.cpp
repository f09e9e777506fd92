#include "cli/import_all.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "agent/coverage.h"
#include "cli/output.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

void show_groups(std::ostream& out, const std::vector<CoverageGroup>& groups) {
  out << fmt::format("{:<10}{:>9}", "", "problems");
  for (const CoverageStage& stage : kCoverageStages) out << fmt::format("{:>16}", stage.name);
  out << "\n";
  for (const CoverageGroup& group : groups) {
    out << fmt::format("{:<10}{:>9}", group.name, group.problems.size());
    for (const CoverageStage& stage : kCoverageStages) {
      const size_t count = group.count(stage);
      const double share = 100.0 * static_cast<double>(count) / static_cast<double>(group.problems.size());
      out << fmt::format("{:>16}", fmt::format("{} ({:.1f} %)", count, share));
    }
    out << "\n";
  }
}

// Operators in which something is missing; the others are counted.
void show_operators(std::ostream& out, const Catalog& catalog, const std::vector<ProblemCoverage>& problems) {
  const auto aten = aten_coverage(problems);
  const auto whole = std::ranges::count_if(aten, [](const auto& row) { return row.good == row.problems; });
  out << fmt::format("\noperators of PyTorch: {} of {} are imported wherever they are used\n", whole,
                     aten.size());
  for (const OperatorCoverage& row : aten) {
    if (row.good != row.problems)
      out << fmt::format("  {:<40} imported in {} of {} problems\n", row.name, row.good, row.problems);
  }
  const auto ops = op_coverage(catalog, problems);
  const auto used = std::ranges::count_if(ops, [](const auto& row) { return row.problems > 0; });
  const auto kernels =
      std::ranges::count_if(ops, [](const auto& row) { return row.problems > 0 && row.kernel; });
  out << fmt::format("operators of the language: {} are used, {} of them have kernels; without one:\n", used,
                     kernels);
  for (const OperatorCoverage& row : ops) {
    if (row.problems > 0 && !row.kernel)
      out << fmt::format("  {:<40} in {} problems, {} of them equal to torch\n", row.name, row.problems,
                         row.good);
  }
}

void show_problems(std::ostream& out, const std::vector<ProblemCoverage>& problems) {
  out << "\nproblems that are not yet executed as torch does, and why:\n";
  for (const ProblemCoverage& problem : problems) {
    if (problem.executed && problem.checked) continue;
    out << "  " << problem.name << "\n";
    for (const Obstacle& each : problem.obstacles) {
      if (each.stage != "emit") out << fmt::format("    {}: {}: {}\n", each.stage, each.what, each.why);
    }
  }
}

// What has kernels only and yet cannot be compiled.
void show_refused(std::ostream& out, const std::vector<ProblemCoverage>& problems) {
  out << "\nproblems that the rule book keeps from the kernels that there are (`precision tf32`):\n";
  for (const ProblemCoverage& problem : problems) {
    for (const Obstacle& each : problem.obstacles) {
      if (each.stage == "emit" && !each.what.starts_with("UC19"))
        out << fmt::format("  {}: {}: {}\n", problem.name, each.what, each.why);
    }
  }
}

// Whether nothing is lost.
Result<bool> hold_against(const Context& context, const std::vector<ProblemCoverage>& problems,
                          const std::string& expected) {
  const auto text = read_given(context.files, expected);
  if (!text) return tl::unexpected(text.error());
  const auto change = compare_coverage(problems, *text);
  if (!change) return tl::unexpected(change.error());
  for (const std::string& each : change->lost) context.err << "lost: " << each << "\n";
  if (!change->gained.empty())
    context.err << fmt::format(
        "{} stages are reached that {} does not have, from {}; write it anew with --json\n",
        change->gained.size(), expected, change->gained.front());
  return change->lost.empty();
}

}  // namespace

int import_all(const Context& context, const std::string& folder, const std::string& expected, bool json) {
  const auto problems = cover_all(context.catalog, folder, context.files);
  if (!problems) return report(context, problems.error(), json);
  std::string list;
  const std::string beside = folder + "/../kb59.json";
  if (context.files.exists(beside)) {
    auto text = context.files.read(beside);
    if (!text) return report(context, text.error(), json);
    list = std::move(*text);
  }
  const auto groups = coverage_groups(*problems, list);
  if (!groups) return report(context, groups.error(), json);
  if (json) {
    context.out << coverage_json(context.catalog, *problems, *groups);
  } else {
    show_groups(context.out, *groups);
    show_operators(context.out, context.catalog, *problems);
    show_problems(context.out, *problems);
    show_refused(context.out, *problems);
  }
  if (expected.empty()) return kDone;
  const auto held = hold_against(context, *problems, expected);
  if (!held) return report(context, held.error());
  return *held ? kDone : kFindings;
}

}  // namespace uc::cli
