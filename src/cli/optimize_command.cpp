// `ucutlass optimize`: make a problem faster, with proof.
#include <algorithm>

#include "agent/controllers.h"
#include "cli/optimize/estimate.h"
#include "cli/optimize/flags.h"
#include "cli/optimize/proposer.h"
#include "cli/optimize/session.h"
#include "cli/optimize/settings.h"
#include "cli/options.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass optimize problem.py --precision f16                 # on the GPU if there is one, else "
    "modelled\n"
    "ucutlass optimize examples/mlp_gelu --device model:h200      # no GPU, no torch: times are modelled\n"
    "ucutlass optimize problem.json --source problem.py --device gpu --attempts 20\n"
    "ucutlass optimize problem.json --attempts 40 --dry-run       # what it would take\n"
    "ucutlass optimize --resume 20260301-142301-7f3a              # go on with a run that was interrupted\n"
    "ucutlass optimize problem.json --proposer llm --base-url https://api.openai.com/v1 --model gpt-5-mini "
    "\\\n"
    "    --key-env OPENAI_API_KEY --max-tokens 500000             # a language model proposes\n"
    "ucutlass optimize problem.json --proposer manual              # you propose: prints what is asked\n";

void declare_proposer(Options& options, OptimizeSettings& settings, EndpointFlags& llm) {
  options.choice("--proposer", settings.proposer, proposer_names(),
                 "who proposes: the built-in search, a language model, or you (files)");
  options.choice(
      "--controller", settings.controller, controller_names(),
      "how the loop runs: with all phases, flat (mi), flat with the bounds in the prompt (inprompt), or "
      "in random order");
  options.list("--without", settings.without, "PHASE", "leave out analyze, nominate, triage or summarize");
  options.value("--llm", llm.llm, "FILE", "settings of the language model, JSON (docs/optimizer.md)");
  options.value("--base-url", llm.base_url, "URL", "its endpoint: https://host/v1");
  options.value("--model", llm.model, "NAME", "its name there");
  options.value("--key-env", llm.key_env, "VARIABLE", "the environment variable that holds the key");
  options.value("--price", llm.price, "IN:OUT", "dollars a million tokens of prompts and of answers");
  options.value("--max-tokens", settings.max_tokens, "N", "no more tokens than this in the whole run", 1);
  options.value("--max-usd", settings.max_usd, "X", "no more dollars than this; needs a price", 0);
  options.flag("--raw", settings.raw, "CUDA C++ in place of programs: without the language, on a GPU only");
  options.value(
      "--exchange", settings.exchange, "DIR",
      "where requests and answers of --proposer manual are (default: exchange in the run's folder)");
  options.value("--answer", settings.answer, "FILE", "with --resume: the answer to the request that waits",
                Options::From::command_line);
  options.value("--wait", settings.wait_s, "SECONDS",
                "how long to wait for an answer before the run is saved", 0, 604800);
}

// What of the command line is settled before anything is read.
Result<> settle(OptimizeSettings& settings, const EndpointFlags& llm, const Context& context) {
  for (const std::string& phase : settings.without) {
    const auto names = phase_names();
    if (std::ranges::find(names, phase) == names.end())
      return fail("no phase is named `" + phase + "`", "phases: analyze, nominate, triage, summarize",
                  kUsage);
  }
  const bool said = !(llm.llm + llm.base_url + llm.model + llm.key_env + llm.price).empty();
  const bool resumed = !settings.resume.empty();
  if (said && settings.proposer != "llm" && !resumed)
    return fail("a language model is named, and --proposer is " + settings.proposer, "say --proposer llm",
                kUsage);
  if (said || (settings.proposer == "llm" && !resumed)) {
    auto endpoint = endpoint_of(llm, context.files);
    if (!endpoint) return tl::unexpected(endpoint.error());
    settings.llm = std::move(*endpoint);
  }
  return resumed ? Result<>() : check_proposer(settings);
}

int run_optimize(const Invocation& invocation) {
  OptimizeSettings settings;
  Options options(invocation);
  options.positional("PROBLEM", settings.problem,
                     "a PyTorch problem (.py), a capture (.json), or a folder that holds problem.json",
                     false);
  declare_budget(options, settings);
  EndpointFlags llm;
  declare_proposer(options, settings, llm);
  options.flag("--no-prepack", settings.no_prepack, "do not prepare weights when they are loaded");
  options.value("--source", settings.source, "FILE.py",
                "the Python file of a captured problem, to measure against");
  options.list("--baselines", settings.baselines, "NAME",
               "PyTorch's ways to measure: eager, eager_tf32, eager_autocast, compile, ... (default: all)");
  options.value("--run-dir", settings.run_dir, "FOLDER",
                "where the run's files go (default: ~/.local/share/ucutlass/runs/RUN)");
  options.value("--store", settings.store, "FILE",
                "the database of runs (default: ~/.local/share/ucutlass/runs.db)");
  options.value("--resume", settings.resume, "RUN",
                "go on with a stored run: its id, the beginning of it, or `last`");
  options.flag("--fresh", settings.fresh, "start anew even when the same work was interrupted");
  options.flag("--no-build", settings.no_build, "without a GPU: do not compile the best program");
  options.value("--jobs", settings.jobs, "N", "builds at once (default: as memory and cores allow)", 0, 256);
  options.flag("--json", settings.json, "one JSON object, schema ucutlass.optimize/1");
  if (const auto code = options.parse()) return *code;
  if (settings.problem.empty() == settings.resume.empty()) {
    const std::string said =
        settings.problem.empty() ? "neither a problem nor a run is named" : "a problem and a run are named";
    return report(invocation.context,
                  Error{said, "`ucutlass optimize PROBLEM`, or `ucutlass optimize --resume RUN`", kUsage},
                  settings.json);
  }
  if (auto fine = settle(settings, llm, invocation.context); !fine)
    return report(invocation.context, fine.error(), settings.json);
  if (settings.dry_run) return dry_run(invocation.context, settings, {settings});
  return optimize_problem(invocation.context, std::move(settings));
}

constexpr CommandSpec kRows[] = {
    {"optimize", CommandGroup::search, "make a PyTorch problem faster, with proof", kExamples, run_optimize}};

}  // namespace

std::span<const CommandSpec> optimize_command_rows() { return kRows; }

}  // namespace uc::cli
