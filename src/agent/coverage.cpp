#include "agent/coverage.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/parallel.h"
#include "compiler/pipeline.h"
#include "import/captures.h"
#include "import/importer.h"
#include "import/verify.h"
#include "syntax/print.h"

namespace uc {
namespace {

// Under the least licence that lets products of f32 use tensor cores: no back end multiplies them exactly.
void emit(const Catalog& catalog, Program program, ProblemCoverage& out) {
  program.precision = Precision::tf32;
  const Compiled compiled = check_program(catalog, program, {.device = {}, .language_only = true});
  out.emittable = compiled.ok() && compiled.emittable;
  std::set<std::string> said;
  for (const Diag& diag : compiled.diags.sorted()) {
    const bool hinders = diag.severity == Severity::error || diag.id.starts_with("UC19");
    if (hinders && said.insert(diag.message).second) out.obstacles.push_back({"emit", diag.id, diag.message});
  }
}

void import_full(const Catalog& catalog, const CapturedProblem& problem, ProblemCoverage& out) {
  for (const GraphOp& op : problem.graph.ops) out.targets.insert(op.target);
  Imported imported = import_graph(catalog, problem.graph);
  for (const Unsupported& each : imported.unsupported) {
    out.refused.insert(each.what);
    out.obstacles.push_back({"import", each.what, each.why});
  }
  for (const Diag& diag : imported.diags.sorted()) out.obstacles.push_back({"import", diag.id, diag.message});
  out.imported = imported.ok();
  if (!out.imported) return;
  for (const Op& op : imported.program.ops) out.ops.insert(std::string(op.spec->name));
  const std::string text = print(catalog, imported.program);
  const Compiled meant = resolve_source(catalog, text);
  out.checked = meant.ok();
  for (const Diag& diag : meant.diags.sorted()) {
    if (diag.severity == Severity::error) out.obstacles.push_back({"check", diag.id, diag.message});
  }
  if (out.checked) emit(catalog, std::move(imported.program), out);
}

void execute_reduced(const Catalog& catalog, const CapturedProblem& problem, ProblemCoverage& out) {
  if (!problem.reduced) {
    out.obstacles.push_back({"execute", "no recorded run", problem.reduced_missing});
    return;
  }
  const auto check = verify_import(catalog, problem);
  if (!check) {
    out.obstacles.push_back({"execute", "the reduced graph", check.error().message});
    return;
  }
  out.cases = check->cases.size();
  out.executed = check->passed();
  for (const CaseCheck& each : check->cases) {
    if (!each.passed) out.obstacles.push_back({"execute", each.name, each.why});
  }
}

Result<ProblemCoverage> cover_file(const Catalog& catalog, Files& files, const std::string& folder,
                                   const std::string& path) {
  const auto text = files.read(folder + "/" + path);
  if (!text) return tl::unexpected(text.error());
  const auto problem = read_problem(*text);
  if (!problem) {
    Error error = problem.error();
    error.message = fmt::format("{}/{}: {}", folder, path, error.message);
    return tl::unexpected(std::move(error));
  }
  return cover(catalog, *problem, path.substr(0, path.size() - std::string_view(".json").size()));
}

}  // namespace

ProblemCoverage cover(const Catalog& catalog, const CapturedProblem& problem, std::string name) {
  ProblemCoverage out;
  out.name = std::move(name);
  out.level = problem.source.level.value_or(0);
  out.id = problem.source.id.value_or(0);
  import_full(catalog, problem, out);
  if (out.imported) execute_reduced(catalog, problem, out);
  return out;
}

Result<std::vector<ProblemCoverage>> cover_all(const Catalog& catalog, const std::string& folder,
                                               Files& files) {
  const auto paths = find_captures(files, folder);
  if (!paths) return tl::unexpected(paths.error());
  std::vector<std::optional<Result<ProblemCoverage>>> done(paths->size());
  parallel_for(paths->size(),
               [&](size_t i) { done[i].emplace(cover_file(catalog, files, folder, (*paths)[i])); });
  std::vector<ProblemCoverage> out;
  for (auto& each : done) {
    if (!*each) return tl::unexpected(each->error());
    out.push_back(std::move(**each));
  }
  return out;
}

size_t CoverageGroup::count(const CoverageStage& stage) const {
  return static_cast<size_t>(
      std::ranges::count_if(problems, [&](const ProblemCoverage* each) { return each->*stage.reached; }));
}

}  // namespace uc
