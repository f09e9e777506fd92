#include "platform/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/bounded_text.h"
#include "platform/files.h"
#include "platform/guardian.h"
#include "platform/spawn.h"

namespace uc {
namespace {

using detail::BoundedText;
using detail::Fd;
constexpr Millis kTick{50};
constexpr Millis kUnkillable{60000};

/// Appends what is there; false once the writer has closed.
bool drain(Fd& fd, BoundedText& text) {
  char buffer[16384];
  for (int round = 0; fd && round < 64; ++round) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      text.append(buffer, static_cast<size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n == 0 || errno != EAGAIN) fd.reset();
      break;
    }
  }
  return static_cast<bool>(fd);
}

uint64_t resident_bytes(int pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  uint64_t total = 0, resident = 0, shared = 0;
  file >> total >> resident >> shared;  // pages of mapped files can be dropped, so they do not count
  return (resident - std::min(resident, shared)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// One child: its descriptors, its end. Shared by run() and the line channel.
class Child {
 public:
  Child(const ProcessSpec& spec, detail::Spawned spawned)
      : fds_(std::move(spawned)),
        out_(spec.output_limit),
        err_(spec.output_limit),
        resident_limit_(spec.resident_limit) {}
  ~Child() { kill_and_reap(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  detail::Spawned& fds() { return fds_; }
  std::string out() const { return out_.text(); }
  std::string err() const { return err_.text(); }

  /// Waits up to `patience` for output, input room or `extra`; collects output. Returns extra's events.
  short wait(Millis patience, int extra_fd = -1, short extra_events = 0) {
    pollfd polled[4] = {{fds_.out.get(), POLLIN, 0},
                        {fds_.err.get(), POLLIN, 0},
                        {fds_.in.get(), POLLOUT, 0},
                        {extra_fd, extra_events, 0}};
    const int ready = ::poll(polled, 4, static_cast<int>(patience.count()));
    drain(fds_.out, out_);
    drain(fds_.err, err_);
    return ready > 0 ? polled[3].revents : short{0};
  }

  bool over_memory() {
    if (resident_limit_ && !reaped_ && resident_bytes(fds_.pid) > resident_limit_) over_memory_ = true;
    return over_memory_;
  }

  /// True once the child has been reaped.
  bool reap(int options) {
    if (reaped_) return true;
    int status = 0;
    int pid;
    do pid = ::waitpid(fds_.pid, &status, options);
    while (pid < 0 && errno == EINTR);
    if (pid == 0) return false;
    reaped_ = true;
    if (pid > 0 && WIFSIGNALED(status)) end_ = {ProcessEnd::Kind::signalled, WTERMSIG(status)};
    if (pid > 0 && WIFEXITED(status)) end_ = {ProcessEnd::Kind::exited, WEXITSTATUS(status)};
    ::kill(-fds_.pid, SIGKILL);  // what the child left behind in its group
    detail::forget_group(fds_.pid);
    return true;
  }

  /// A process that the kernel cannot end (stuck in a driver) is left behind after a while rather than waited
  /// for.
  void kill_and_reap() {
    if (!reaped_) ::kill(-fds_.pid, SIGKILL);
    const auto end = real_clock().now() + kUnkillable;
    while (!reap(WNOHANG) && real_clock().now() < end) wait(Millis(5));
    if (!reaped_) end_ = {ProcessEnd::Kind::signalled, SIGKILL};
    wait(Millis(0));
  }

  ProcessEnd end() const {
    return over_memory_ && end_.kind == ProcessEnd::Kind::signalled
               ? ProcessEnd{ProcessEnd::Kind::out_of_memory, end_.code}
               : end_;
  }

 private:
  detail::Spawned fds_;
  BoundedText out_, err_;
  uint64_t resident_limit_;
  bool reaped_ = false, over_memory_ = false;
  ProcessEnd end_;
};

class RealChild final : public ChildProcess {
 public:
  RealChild(const ProcessSpec& spec, detail::Spawned spawned) : child_(spec, std::move(spawned)) {}

  int pid() const override { return const_cast<RealChild*>(this)->child_.fds().pid; }
  std::string out() const override { return child_.out(); }
  std::string err() const override { return child_.err(); }

  Result<> send(const std::string& text, Millis patience) override {
    const std::string line = text + "\n";
    const auto end = real_clock().now() + patience;
    const int fd = child_.fds().control.get();
    for (size_t sent = 0; sent < line.size();) {
      const ssize_t n = ::send(fd, line.data() + sent, line.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) {
        sent += static_cast<size_t>(n);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (real_clock().now() >= end) return fail("the child process does not read its messages");
        child_.wait(kTick, fd, POLLOUT);
      } else if (errno != EINTR) {
        return fail("the child process has closed its channel");
      }
    }
    return {};
  }

  Line receive(Millis patience, size_t limit) override {
    const auto end = real_clock().now() + patience;
    for (;;) {
      if (const size_t newline = pending_.find('\n', scanned_); newline != std::string::npos) {
        Line line{Line::Kind::line, pending_.substr(0, newline)};
        pending_.erase(0, newline + 1);
        scanned_ = 0;
        if (line.text.size() > limit) return {Line::Kind::too_long, {}};
        return line;
      }
      scanned_ = pending_.size();
      if (pending_.size() > limit) return {Line::Kind::too_long, {}};
      const auto left = std::chrono::duration_cast<Millis>(end - real_clock().now());
      if (left.count() <= 0) return {Line::Kind::timed_out, {}};
      if (child_.over_memory()) return {Line::Kind::out_of_memory, {}};
      if (child_.wait(std::min(left, kTick), child_.fds().control.get(), POLLIN) && !read_more()) {
        return {Line::Kind::closed, {}};
      }
    }
  }

  ProcessEnd finish(Millis grace) override {
    const auto end = real_clock().now() + grace;
    ::shutdown(child_.fds().control.get(), SHUT_WR);  // a well-behaved child ends when its channel closes
    while (!child_.reap(WNOHANG) && real_clock().now() < end) child_.wait(Millis(5));
    child_.kill_and_reap();
    return child_.end();
  }

 private:
  bool read_more() {
    char buffer[65536];
    const ssize_t n = ::recv(child_.fds().control.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) pending_.append(buffer, static_cast<size_t>(n));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  Child child_;
  std::string pending_;
  size_t scanned_ = 0;
};

/// Writes what the pipe takes of `input`; closes it at the end or when the child does not want it.
void feed(Fd& in, const std::string& input, size_t& fed) {
  while (in && fed < input.size()) {
    const ssize_t n = ::write(in.get(), input.data() + fed, input.size() - fed);
    if (n > 0) {
      fed += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      break;
    }
  }
  in.reset();
}

/// Blocks SIGPIPE for this thread while a child's stdin is written, and swallows one that came.
class PipeGuard {
 public:
  PipeGuard() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeGuard() {
    if (!::sigismember(&before_, SIGPIPE)) {
      const timespec none{0, 0};
      while (::sigtimedwait(&pipe_, nullptr, &none) > 0) {
      }
      ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
  }
  PipeGuard(const PipeGuard&) = delete;
  PipeGuard& operator=(const PipeGuard&) = delete;

 private:
  sigset_t pipe_, before_;
};

class RealProcesses final : public Processes {
 public:
  Result<ProcessOutput> run(const ProcessSpec& spec) override {
    const auto begin = real_clock().now();
    auto spawned = detail::spawn(spec, !spec.input.empty(), false);
    if (!spawned) return tl::unexpected(spawned.error());
    PipeGuard guard;
    Child child(spec, std::move(*spawned));
    size_t fed = 0;
    bool timed_out = false;
    while (!child.reap(WNOHANG)) {
      feed(child.fds().in, spec.input, fed);
      timed_out = spec.deadline.count() > 0 && real_clock().now() - begin >= spec.deadline;
      if (timed_out || child.over_memory()) break;
      const bool quiet = !child.fds().out && !child.fds().err;
      child.wait(quiet ? Millis(5) : kTick);
    }
    child.kill_and_reap();
    ProcessOutput output{child.end(), child.out(), child.err(),
                         std::chrono::duration<double>(real_clock().now() - begin).count()};
    if (timed_out && output.end.kind == ProcessEnd::Kind::signalled)
      output.end.kind = ProcessEnd::Kind::timed_out;
    return output;
  }

  Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) override {
    auto spawned = detail::spawn(spec, false, true);
    if (!spawned) return tl::unexpected(spawned.error());
    return std::make_unique<RealChild>(spec, std::move(*spawned));
  }
};

}  // namespace

std::string describe(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::exited: return fmt::format("exit code {}", end.code);
    case ProcessEnd::Kind::timed_out: return "timed out and was killed";
    case ProcessEnd::Kind::out_of_memory: return "used more memory than allowed and was killed";
    case ProcessEnd::Kind::signalled: break;
  }
  const char* name = ::sigabbrev_np(end.code);
  const char* words = ::sigdescr_np(end.code);
  return fmt::format("killed by SIG{} ({})", name ? name : std::to_string(end.code),
                     words ? words : "unknown signal");
}

Processes& real_processes() {
  static RealProcesses processes;
  return processes;
}

std::string find_program(const std::string& name) {
  const auto runnable = [](const std::string& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runnable(name) ? name : std::string();
  const char* path = std::getenv("PATH");
  for (const auto folder : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':')) {
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (runnable(candidate)) return candidate;
  }
  return {};
}

std::string executable_folder() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, n > 0 ? static_cast<size_t>(n) : 0);
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace uc
