#include "agent/nvcc_builder.h"

#include <chrono>

#include "compiler/emission.h"
#include "platform/interrupt.h"

namespace uc {

NvccBuilder::NvccBuilder(const Catalog& catalog, const Toolchain& toolchain, Processes& processes,
                         Files& files)
    : catalog_(catalog), builder_(toolchain, {.cache = {}, .jobs = 1, .progress = {}}, processes, files) {}

Result<BuildOutcome> NvccBuilder::build(const Candidate& candidate, const std::string& output) {
  const EmittedProgram emitted = emit_program(catalog_, *candidate.compiled);
  auto built = builder_.program(emitted.kernels, emitted.glue, output);
  if (!built) return tl::unexpected(built.error());
  BuildOutcome out;
  out.library = built->library;
  out.seconds = built->seconds;
  out.cached = true;
  for (const BuiltKernel& kernel : built->kernels) {
    out.kernel_hashes.push_back(kernel.hash);
    out.cached = out.cached && kernel.cached;
  }
  if (!built->kernels.empty()) out.log = built->kernels.back().folder;
  return out;
}

Result<ProcessOutput> InterruptibleProcesses::run(const ProcessSpec& spec) {
  if (!spec.input.empty()) return inner_.run(spec);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  auto child = inner_.start(spec);
  if (!child) return tl::unexpected(child.error());
  ProcessOutput out;
  while (true) {
    const auto line = (*child)->receive(Millis(200), 1 << 16);
    if (line.kind == ChildProcess::Line::Kind::closed || line.kind == ChildProcess::Line::Kind::out_of_memory)
      break;
    if (interrupt_requested()) {
      (*child)->finish(Millis(0));
      return fail("interrupted", "", 130);
    }
    if (spec.deadline.count() > 0 && elapsed() * 1e3 > static_cast<double>(spec.deadline.count())) {
      (*child)->finish(Millis(0));
      out.end.kind = ProcessEnd::Kind::timed_out;
      out.seconds = elapsed();
      return out;
    }
  }
  out.end = (*child)->finish(Millis(5000));
  out.out = (*child)->out();
  out.err = (*child)->err();
  out.seconds = elapsed();
  return out;
}

}  // namespace uc
