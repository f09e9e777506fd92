// `ucutlass capture`: a PyTorch problem becomes JSON. Python and torch do it, in a process that the problem's
// own code may crash, end or hang.
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <ostream>

#include "cli/options.h"
#include "cli/output.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"
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

constexpr size_t kMostOutput = size_t{1} << 30;
constexpr int64_t kGraceSeconds = 30;  // capture ends itself in time unless the problem hangs in foreign code

/// The command line of python/ucutlass/capture.py; the capture comes on its standard output.
std::vector<std::string> words_of(const std::string& python, const CaptureOptions& given) {
  std::vector<std::string> words = {python, "-m", "ucutlass.capture", "--output", "-"};
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

/// Exit codes that capture.py gives itself; all others come from the problem's code.
bool said(const ProcessEnd& end) {
  return end.kind == ProcessEnd::Kind::exited &&
         (end.code == kDone || end.code == kFindings || end.code == kUsage || end.code == kMissing);
}

int finish(const Context& context, const CaptureOptions& given, const ProcessOutput& done) {
  context.err << done.err;
  if (!said(done.end) || (done.end.ok() && done.out.empty())) {
    const Error error{fmt::format("{} cannot be captured: Python ended without a capture: {}", given.problem,
                                  describe(done.end)),
                      fmt::format("see what it does: python {}", given.problem)};
    return report(context, error, given.json);
  }
  if (done.end.ok() && given.output != "-") {
    const auto written = context.files.write(given.output, done.out);
    return written ? int{kDone} : report(context, written.error(), given.json);
  }
  context.out << done.out;
  return done.end.code;
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
  if (const auto problem = read_given(context.files, given.problem); !problem)
    return report(context, problem.error(), given.json);
  if (const auto spared = spare_inputs(given.output, {&given.problem, 1}); !spared)
    return report(context, spared.error(), given.json);
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
  ProcessSpec spec;
  spec.argv = words_of(python, given);
  spec.env = {{"PYTHONPATH", path}};
  spec.output_limit = kMostOutput;
  spec.deadline = Millis((given.timeout + kGraceSeconds) * 1000);
  const auto done = context.processes.run(spec);
  if (!done) return report(context, done.error(), given.json);
  return finish(context, given, *done);
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
