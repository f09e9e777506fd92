// `ucutlass capture`: a PyTorch problem becomes JSON. Python and torch do it; this hands over to them.
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "cli/options.h"
#include "cli/output.h"
#include "platform/environment.h"
#include "platform/replace.h"
#include "platform/toolchain.h"

namespace uc::cli {
namespace {

struct CaptureOptions {
  std::string problem;
  std::string output = "-";
  std::optional<std::string> name, suite;
  bool no_reduced = false, json = false;
  double facts_limit = 2, memory_limit = 8;
  int64_t timeout = 600;
};

/// The command line of python/ucutlass/capture.py.
std::vector<std::string> words_of(const std::string& python, const CaptureOptions& given) {
  std::vector<std::string> words = {python, "-m", "ucutlass.capture", "--output", given.output};
  if (given.name) words.insert(words.end(), {"--name", *given.name});
  if (given.suite) words.insert(words.end(), {"--suite", *given.suite});
  if (given.no_reduced) words.emplace_back("--no-reduced");
  if (given.json) words.emplace_back("--json");
  words.insert(words.end(),
               {"--facts-limit", fmt::format("{}", given.facts_limit), "--memory-limit",
                fmt::format("{}", given.memory_limit), "--timeout", std::to_string(given.timeout)});
  words.insert(words.end(), {"--", given.problem});
  return words;
}

int run_capture(const Invocation& call) {
  CaptureOptions given;
  Options options(call);
  options.positional("PROBLEM.py", given.problem, "a file with Model, get_inputs and get_init_inputs");
  options.value("-o,--output", given.output, "FILE", "where to write; - is standard output");
  options.value("--name", given.name, "NAME", "the problem's name (default: from the file)");
  options.value("--suite", given.suite, "NAME", "the suite it belongs to (KernelBench is recognised)");
  options.flag("--no-reduced", given.no_reduced, "leave out the scaled-down run with recorded answers");
  options.value("--facts-limit", given.facts_limit, "GIB",
                "look at the data of full-size inputs up to this size");
  options.value("--memory-limit", given.memory_limit, "GIB", "memory that the problem's own code may take");
  options.value("--timeout", given.timeout, "S", "give up after this many seconds", 1);
  options.flag("--json", given.json, "report an error as one JSON object on standard output");
  if (const auto code = options.parse()) return *code;
  const Context& context = call.context;
  const std::string python = find_python(context.environment);
  if (python.empty()) {
    const Error error{"there is no python3",
                      "install Python 3.11 or newer with torch, or set UCUTLASS_PYTHON", kMissing};
    return report(context, error, given.json);
  }
  const auto package = find_python_package(context.files);
  if (!package) return report(context, package.error(), given.json);
  const std::string old_path = context.environment.get("PYTHONPATH").value_or("");
  const std::string path = old_path.empty() ? *package : *package + ":" + old_path;
  return report(context, replace_process(words_of(python, given), {{"PYTHONPATH", path}}), given.json);
}

constexpr CommandSpec kRows[] = {{
    "capture",
    CommandGroup::search,
    "capture a PyTorch problem as JSON, with recorded answers (needs torch)",
    R"(
ucutlass capture problem.py -o problem.json
UCUTLASS_PYTHON=~/torch/bin/python ucutlass capture problem.py    # the Python that has torch)",
    run_capture,
}};

}  // namespace

std::span<const CommandSpec> capture_command_rows() { return kRows; }

}  // namespace uc::cli
