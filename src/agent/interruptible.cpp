#include "agent/interruptible.h"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "platform/interrupt.h"

namespace uc {
namespace {

constexpr Millis kSlice{200};  // how long an interrupt may go unseen

class WatchedChild final : public ChildProcess {
 public:
  explicit WatchedChild(std::unique_ptr<ChildProcess> inner) : inner_(std::move(inner)) {}
  int pid() const override { return inner_->pid(); }
  Result<> send(const std::string& text, Millis patience) override { return inner_->send(text, patience); }
  Line receive(Millis patience, size_t limit) override {
    Line line;
    do {
      if (interrupt_requested()) return {Line::Kind::closed, {}};
      line = inner_->receive(std::min(patience, kSlice), limit);
      patience -= kSlice;
    } while (patience.count() > 0 && line.kind == Line::Kind::timed_out);
    return line;
  }
  ProcessEnd finish(Millis grace) override { return inner_->finish(grace); }
  std::string out() const override { return inner_->out(); }
  std::string err() const override { return inner_->err(); }

 private:
  std::unique_ptr<ChildProcess> inner_;
};

}  // namespace

Result<std::unique_ptr<ChildProcess>> InterruptibleProcesses::start(const ProcessSpec& spec) {
  auto child = inner_.start(spec);
  if (!child) return child;
  return std::make_unique<WatchedChild>(std::move(*child));
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
