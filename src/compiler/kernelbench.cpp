#include "compiler/kernelbench.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "platform/toolchain.h"

namespace uc {
namespace {

constexpr size_t kMostOutput = size_t{1} << 30;
constexpr Millis kDeadline{120'000};

/// What python/ucutlass/kernelbench.py reads.
std::string request(const Compiled& compiled, const EmittedProgram& emitted, const KernelBenchGiven& given) {
  nlohmann::ordered_json json;
  json["template"] = emit_kernelbench_frame(compiled);
  json["sources"] = nlohmann::ordered_json::object();
  for (const EmittedKernel& kernel : emitted.kernels)
    json["sources"]["uck_" + kernel.hash + ".cu"] = kernel.device_source;
  json["library"] = given.library;
  json["model"] = given.problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(given.problem);
  return json.dump();
}

}  // namespace

Result<std::string> emit_kernelbench(const Compiled& compiled, const EmittedProgram& emitted,
                                     const KernelBenchGiven& given, const Environment& environment,
                                     Files& files, Processes& processes, std::string& notes) {
  const std::string python = find_python(environment);
  if (python.empty())
    return fail("there is no python3", "install Python 3.11 or newer, or set UCUTLASS_PYTHON", 3);
  const auto package = find_python_package(files);
  if (!package) return tl::unexpected(package.error());
  const std::string old_path = environment.get("PYTHONPATH").value_or("");
  ProcessSpec spec;
  spec.argv = {python, "-m", "ucutlass.kernelbench"};
  spec.env = {{"PYTHONPATH", old_path.empty() ? *package : *package + ":" + old_path}};
  spec.input = request(compiled, emitted, given);
  spec.output_limit = kMostOutput;
  spec.deadline = kDeadline;
  const auto done = processes.run(spec);
  if (!done) return tl::unexpected(done.error());
  if (done->end.ok()) {
    notes = done->err;
    return done->out;
  }
  const bool usage = done->end.kind == ProcessEnd::Kind::exited && done->end.code == 2;
  return fail("no KernelBench file: " + std::string(trim(done->err)),
              "the problem must be the file that the program was made from", usage ? 2 : 1);
}

}  // namespace uc
