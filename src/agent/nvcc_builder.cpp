#include "agent/nvcc_builder.h"

#include <chrono>
#include <csignal>

#include "compiler/emission.h"
#include "platform/interrupt.h"

namespace uc {

NvccBuilder::NvccBuilder(const Catalog& catalog, const Toolchain& toolchain, Processes& processes,
                         Files& files)
    : catalog_(catalog),
      processes_(processes),
      builder_(toolchain, {.cache = {}, .jobs = 1, .progress = {}}, processes_, files) {}

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

void InterruptibleProcesses::pause(bool quiet) {
  const std::lock_guard lock(mutex_);
  quiet_ = quiet;
  for (const int pid : running_) ::kill(-pid, quiet ? SIGSTOP : SIGCONT);
}

void InterruptibleProcesses::enter(int pid) {
  const std::lock_guard lock(mutex_);
  running_.insert(pid);
  if (quiet_) ::kill(-pid, SIGSTOP);
}

// Before the child is reaped, so that a signal never meets another process of the same number.
void InterruptibleProcesses::leave(int pid) {
  const std::lock_guard lock(mutex_);
  running_.erase(pid);
  ::kill(-pid, SIGCONT);
}

Result<ProcessOutput> InterruptibleProcesses::run(const ProcessSpec& spec) {
  if (!spec.input.empty()) return inner_.run(spec);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (stopped_ || interrupt_requested()) return fail("interrupted", "", 130);
  auto child = inner_.start(spec);
  if (!child) return tl::unexpected(child.error());
  enter((*child)->pid());
  ProcessOutput out;
  bool ended = false;
  bool late = false;
  while (!ended && !late && !stopped_ && !interrupt_requested()) {
    const auto line = (*child)->receive(Millis(200), 1 << 16);
    ended =
        line.kind == ChildProcess::Line::Kind::closed || line.kind == ChildProcess::Line::Kind::out_of_memory;
    late = spec.deadline.count() > 0 && elapsed() * 1e3 > static_cast<double>(spec.deadline.count());
  }
  leave((*child)->pid());
  if (!ended && !late) {
    (*child)->finish(Millis(0));
    return fail("interrupted", "", 130);
  }
  out.end = (*child)->finish(Millis(late ? 0 : 5000));
  if (late) out.end.kind = ProcessEnd::Kind::timed_out;
  out.out = (*child)->out();
  out.err = (*child)->err();
  out.seconds = elapsed();
  return out;
}

}  // namespace uc
