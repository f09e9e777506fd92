// `ucutlass evaluate`: one candidate for a problem, built, checked and timed.
#include <fmt/format.h>
#include <ostream>

#include "agent/gpu_evaluator.h"
#include "agent/interruptible.h"
#include "agent/model_evaluator.h"
#include "agent/problem.h"
#include "agent/shrink.h"
#include "agent/signature.h"
#include "build/builder.h"
#include "cli/evaluate.h"
#include "cli/optimize/judging.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"
#include "import/importer.h"
#include "platform/interrupt.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass evaluate problem.py prog.uc --precision f16\n"
    "ucutlass compile prog.uc -o out --emit cu                  # then edit out/uck_*.cu\n"
    "ucutlass evaluate problem.py out --precision f16           # the folder with the edited kernel\n"
    "ucutlass evaluate problem.json out/uck_0123456789abcdef.cu --source problem.py\n"
    "ucutlass evaluate problem.json prog.uc --device model:h200 --json   # no GPU: checked on the CPU, "
    "modelled\n";

struct EvaluateGiven {
  OptimizeSettings settings;
  std::string candidate;
};

Result<Problem> load(const Context& context, EvaluateGiven& given, bool measured) {
  ProblemPlaces places;
  places.source = given.settings.source;
  auto problem =
      load_problem(given.settings.problem, places, context.files, context.processes, context.environment);
  if (!problem) return problem;
  if (problem->source_path.empty()) problem->source_path = given.settings.source;
  if (measured && problem->source_path.empty())
    return fail(fmt::format("measuring needs the problem's Python file, and none stands beside {}",
                            problem->capture_path),
                "name it: --source FILE.py; or model times: --device model:h200", kUsage);
  if (given.settings.precision.empty())
    given.settings.precision = problem->captured.flags.matmul_tf32 ? "tf32" : "strict";
  return problem;
}

int evaluate_on_gpu(const Context& context, EvaluateGiven given, const Target& target) {
  const bool json = given.settings.json;
  auto problem = load(context, given, true);
  if (!problem) return report(context, problem.error(), json);
  auto toolchain = find_toolchain(context.processes);
  if (const Result<> able = toolchain ? require_build(*toolchain) : tl::unexpected(toolchain.error()); !able)
    return report(context, able.error(), json);
  const Imported imported = import_graph(context.catalog, problem->captured.graph,
                                         {.name = {}, .target = std::string(target.device->arch)});
  if (!imported.ok()) return report(context, import_error(imported, problem->name), json);
  GpuOptions options = judging_options(context, given.settings, target, *problem, imported.program);
  options.environment.progress = [&](const std::string& line) { context.err << line << "\n" << std::flush; };
  InterruptibleProcesses processes(context.processes);
  options.environment.processes = &processes;
  const auto folder = context.files.make_temporary_folder("ucutlass-evaluate");
  if (!folder) return report(context, folder.error(), json);
  Builder builder(std::move(*toolchain),
                  {.cache = {},
                   .jobs = 0,
                   .progress = [&](const std::string& line) { context.err << line << "\n"
                                                                          << std::flush; }},
                  processes, context.files);
  const auto build = [&](const EmittedProgram& program) -> Result<std::string> {
    auto built = builder.program(program.kernels, program.glue, *folder + "/candidate.so");
    if (!built) return tl::unexpected(built.error());
    return std::move(built->library);
  };
  GpuEvaluator judge(context.catalog, std::move(options));
  const int code = evaluate_candidate(context, {*target.device, judge, build}, given.candidate, json);
  (void)context.files.remove(*folder);
  return code;
}

// Without a GPU: meaning by the CPU executor at torch's recorded sizes, time by the cost model.
int evaluate_modelled(const Context& context, EvaluateGiven given, const Target& target) {
  const bool json = given.settings.json;
  auto problem = load(context, given, false);
  if (!problem) return report(context, problem.error(), json);
  const RunOptions run = run_options(given.settings);
  const ImportOptions how{.name = {}, .target = std::string(target.device->arch), .precision = run.precision};
  const Imported full = import_graph(context.catalog, problem->captured.graph, how);
  if (!full.ok()) return report(context, import_error(full, problem->name), json);
  Imported reduced;
  if (problem->captured.reduced)
    reduced = import_graph(context.catalog, problem->captured.reduced->graph, how);
  const bool small = problem->captured.reduced.has_value() && reduced.ok();
  const auto fit = [&](Candidate& candidate) {
    std::string why = signature_fault(candidate.program, full.program,
                                      {.allowed = run.precision, .prepack = true, .escape = false});
    if (why.empty() && small)
      candidate.reduced = shrink(context.catalog, candidate.program, full.program, reduced.program).program;
    return why;
  };
  const MeaningChecker meaning(context.catalog, problem->captured, run.precision, reduced.tensors);
  ModelEvaluator judge(context.catalog, *target.device, problem->captured, full.program, meaning);
  return evaluate_candidate(context, {*target.device, judge, {}, fit}, given.candidate, json);
}

int run_evaluate(const Invocation& invocation) {
  EvaluateGiven given;
  OptimizeSettings& settings = given.settings;
  Options options(invocation);
  options.positional("PROBLEM", settings.problem,
                     "a PyTorch problem (.py), a capture (.json), or a folder that holds problem.json");
  options.positional(
      "CANDIDATE", given.candidate,
      "a program (.uc, `-` is stdin), or a folder of `ucutlass compile --emit cu` with an edited kernel, or "
      "that kernel (.cu)");
  options.value("--device", settings.device, "WHERE", "auto, gpu, cuda:N, or model:NAME");
  options.choice("--precision", settings.precision,
                 {std::begin(kOptimizePrecisions), std::end(kOptimizePrecisions)},
                 "the least accurate form that f32 data may take (default: what the problem itself uses)");
  options.value("--seed", settings.seed, "S", "decides the data of the judge");
  options.value("--source", settings.source, "FILE.py",
                "the Python file of a captured problem, to measure against");
  options.list("--baselines", settings.baselines, "NAME",
               "PyTorch's ways to measure: eager, eager_tf32, eager_autocast, compile, ... (default: all)");
  options.flag("--json", settings.json, "one JSON object, schema ucutlass.evaluate/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto target = target_of(settings, context);
  if (!target) return report(context, target.error(), settings.json);
  if (!target->gpu) return evaluate_modelled(context, std::move(given), *target);
  const InterruptGuard guard;
  return evaluate_on_gpu(context, std::move(given), *target);
}

constexpr CommandSpec kRows[] = {{"evaluate", CommandGroup::search,
                                  "build, check and time one candidate: a program or an edited kernel",
                                  kExamples, run_evaluate}};

}  // namespace

std::span<const CommandSpec> evaluate_command_rows() { return kRows; }

}  // namespace uc::cli
