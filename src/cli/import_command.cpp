// `ucutlass import`: a PyTorch problem becomes the naive program that everything starts from; results of
// another store or benchmark come into this one.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/problem.h"
#include "cli/import_all.h"
#include "cli/import_results.h"
#include "cli/options.h"
#include "cli/output.h"
#include "import/empty_tensors.h"
#include "import/importer.h"
#include "import/verify.h"
#include "store/foreign.h"
#include "syntax/print.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass import data/kernelbench/level2/76_Gemm_Add_ReLU.json             # a capture: needs no torch\n"
    "ucutlass import problem.py --precision f16 > naive.uc                     # captures first: needs "
    "torch\n"
    "ucutlass import examples/mlp_gelu --json                                  # the program and its check "
    "as JSON\n"
    "ucutlass import --all data/kernelbench                                    # how far every capture of a "
    "folder gets\n"
    "ucutlass import run.jsonl                                                 # results of `ucutlass "
    "export`, "
    "into the store\n"
    "ucutlass import eval_results.json --from kernelbench --level 1            # results of others: never "
    "proven here\n";

std::string summary(const ImportCheck& check) {
  double excess = 0;
  double error = 0;
  for (const CaseCheck& each : check.cases) {
    excess = std::max(excess, each.excess);
    error = std::max(error, each.error);
  }
  return fmt::format(
      "agrees with torch on {} recorded runs at reduced sizes: {:.2g} of the tolerance, relative error "
      "{:.2g}",
      check.cases.size(), excess, error);
}

nlohmann::ordered_json json_of(const ImportCheck& check) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const CaseCheck& each : check.cases) {
    cases.push_back({{"name", each.name},
                     {"passed", each.passed},
                     {"excess", each.excess},
                     {"error", each.error},
                     {"error_bound", each.error_bound},
                     {"why", each.why}});
  }
  return cases;
}

// What the recorded runs say about the import; a problem without any is imported unchecked, and that is said.
Result<std::optional<ImportCheck>> check_import(const Context& context, const CapturedProblem& problem) {
  if (!problem.reduced) return std::nullopt;
  auto check = verify_import(context.catalog, problem);
  if (!check) return tl::unexpected(check.error());
  return std::optional(std::move(*check));
}

struct Settings {
  std::string path;
  std::string precision = "strict";
  std::string target = "sm_90a";
  std::string expect;
  bool json = false;
  bool all = false;
  ImportResults results;
};

void show_program(const Context& context, const Settings& settings, const Problem& problem,
                  const Program& program, const std::optional<ImportCheck>& check) {
  const std::string text = print(context.catalog, program);
  if (!settings.json) {
    context.out << text;
    return;
  }
  nlohmann::ordered_json object = {{"schema", "ucutlass.import/1"},
                                   {"problem", problem.name},
                                   {"program", text},
                                   {"checked", check.has_value()},
                                   {"passed", !check || check->passed()}};
  object["cases"] = check ? json_of(*check) : nlohmann::ordered_json::array();
  context.out << object.dump(2) << "\n";
}

/// What the recorded runs say of the program, on standard error.
int show_check(const Context& context, const Problem& problem, const std::optional<ImportCheck>& check) {
  if (!check) {
    context.err << "not checked: " << problem.captured.reduced_missing << "\n";
    return kDone;
  }
  if (check->passed()) {
    context.err << summary(*check) << "\n";
    return kDone;
  }
  const auto wrong = std::ranges::find_if(check->cases, [](const CaseCheck& each) { return !each.passed; });
  return report(
      context,
      Error{fmt::format("the imported program does not agree with torch: {}: {}", wrong->name, wrong->why),
            "please report this with the problem file; the program must not be used", kFindings});
}

int import_one(const Context& context, const Settings& settings) {
  const ProblemPlaces places;
  const auto problem =
      load_problem(settings.path, places, context.files, context.processes, context.environment);
  if (!problem) {
    Error error = problem.error();
    if (const std::string hint = foreign_hint(context, settings.path); !hint.empty()) error.help = hint;
    return report(context, error, settings.json);
  }
  if (const auto fine = refuse_empty_tensors(problem->captured.graph); !fine)
    return report(context, fine.error(), settings.json);
  const Imported imported =
      import_graph(context.catalog, problem->captured.graph,
                   {.name = {},
                    .target = settings.target,
                    .precision = parse_precision(settings.precision).value_or(Precision::strict)});
  if (!imported.ok()) return report(context, import_error(imported, problem->name), settings.json);
  const auto check = check_import(context, problem->captured);
  if (!check) return report(context, check.error(), settings.json);
  show_program(context, settings, *problem, imported.program, *check);
  if (!imported.not_updated.empty())
    context.err << fmt::format("the program does not update {}: it gives results only\n",
                               fmt::join(imported.not_updated, ", "));
  return show_check(context, *problem, *check);
}

void declare_results(Options& options, ImportResults& results) {
  std::vector<std::string> formats;
  for (const results::ForeignFormat& each : results::foreign_formats()) formats.emplace_back(each.name);
  options.choice("--from", results.format, std::move(formats),
                 "results of another benchmark: KernelBench's eval_results.json, SOL-ExecBench's traces",
                 Options::From::command_line);
  options.choice("--level", results.level, {"1", "2", "3", "4"},
                 "with --from kernelbench: the level that the file is of", Options::From::command_line);
  options.value("--corpus", results.corpus, "FOLDER",
                "with --from kernelbench: captures that tell the names of its problems",
                Options::From::command_line);
  options.flag("--trust", results.trust,
               "results of ours are from a machine of yours: count them as proven (else they never are)",
               Options::From::command_line);
  options.flag("--replace", results.replace, "take the file's where a run is stored with other contents",
               Options::From::command_line);
  options.value("--store", results.store, "FILE",
                "the database that results go into (default: ~/.local/share/ucutlass/runs.db)");
}

// Results, if that is what is given.
std::optional<int> run_results(const Context& context, Settings& settings) {
  ImportResults& results = settings.results;
  const bool ours =
      results.format.empty() && !settings.all && !settings.path.empty() &&
      (settings.path == "-" || results.trust || results.replace || holds_results(context, settings.path));
  if (results.format.empty() && !ours) {
    if (results.level.empty()) return std::nullopt;
    return report(context, Error{"--level goes with --from kernelbench", {}, kUsage}, settings.json);
  }
  if (settings.all || settings.path.empty())
    return report(context,
                  Error{"a file of results is missing", "`ucutlass import FILE --from FORMAT`", kUsage},
                  settings.json);
  results.path = settings.path;
  results.json = settings.json;
  return import_results(context, results);
}

int run_import(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.positional(
      "PROBLEM", settings.path,
      "a capture (.json), a PyTorch problem (.py), or a folder that holds problem.json; with --all "
      "a folder of captures (default: data/kernelbench); or results (.jsonl of `ucutlass export`)",
      false);
  options.choice("--precision", settings.precision, {"strict", "tf32", "f16", "bf16", "f8"},
                 "the program's `precision` header");
  options.value("--target", settings.target, "ARCH", "the program's `target` header");
  options.flag("--json", settings.json, "one JSON object: program, check");
  options.flag("--all", settings.all,
               "how far every capture in a folder gets: imported, checked, executed, emittable",
               Options::From::command_line);
  options.value("--expect", settings.expect, "FILE",
                "with --all: fail when a problem gets less far than this earlier --json says",
                Options::From::command_line);
  declare_results(options, settings.results);
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (const auto code = run_results(context, settings)) return *code;
  const std::string& path = settings.path;
  if (settings.all)
    return import_all(context, path.empty() ? "data/kernelbench" : path, settings.expect, settings.json);
  if (!path.empty() && settings.expect.empty()) return import_one(context, settings);
  return report(
      context,
      Error{path.empty() ? "PROBLEM is missing" : "--expect goes with --all",
            "`ucutlass import PROBLEM`, or `ucutlass import --all [FOLDER] [--expect FILE]`", kUsage},
      settings.json);
}

constexpr CommandSpec kRows[] = {
    {"import", CommandGroup::program,
     "turn a PyTorch problem into a naive program, checked against torch's recorded runs; or take in results",
     kExamples, run_import}};

}  // namespace

std::span<const CommandSpec> import_command_rows() { return kRows; }

}  // namespace uc::cli
