#include "platform/spawn.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "platform/files.h"
#include "platform/guardian.h"

extern char** environ;

namespace uc::detail {
namespace {

struct Pipe {
  Fd read, write;
};

Result<Pipe> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return tl::unexpected(system_error("open a pipe for", "a child process", errno));
  return Pipe{Fd(fds[0]), Fd(fds[1])};
}

std::vector<std::string> make_environment(const ProcessSpec& spec) {
  std::vector<std::string> result;
  const auto replaced = [&](std::string_view name) {
    for (const auto& [key, value] : spec.env) {
      if (key == name) return true;
    }
    for (const auto& key : spec.unset_env) {
      if (key == name) return true;
    }
    return false;
  };
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (!replaced(text.substr(0, text.find('=')))) result.emplace_back(text);
  }
  for (const auto& [key, value] : spec.env) result.push_back(key + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// All that the child needs, prepared before fork.
struct ChildPlan {
  const char* program;
  char** argv;
  char** envp;
  const char* folder;
  int in, out, err, control, report, guardian;
  uint64_t address_space_limit;
};

/// Moves a descriptor out of the way of 0..3, which are about to be overwritten.
int lift(int fd) { return fd < 0 ? fd : ::fcntl(fd, F_DUPFD_CLOEXEC, 10); }

[[noreturn]] void run_child(const ChildPlan& plan) {
  ::setpgid(0, 0);
  const int group = ::getpid();
  if (plan.guardian >= 0) (void)!::write(plan.guardian, &group, sizeof group);
  const int report = lift(plan.report), in = lift(plan.in), out = lift(plan.out), err = lift(plan.err);
  const int control = lift(plan.control);
  const auto give_up = [&] {
    const int error = errno;
    (void)!::write(report, &error, sizeof error);
    ::_exit(127);
  };
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) give_up();
  if (control >= 0 && ::dup2(control, ChildProcess::kControlFd) < 0) give_up();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int sig : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(sig, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (plan.address_space_limit) {
    const rlimit limit{plan.address_space_limit, plan.address_space_limit};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) give_up();
  }
  if (plan.folder && ::chdir(plan.folder) != 0) give_up();
  ::execve(plan.program, plan.argv, plan.envp);
  give_up();
  ::_exit(127);
}

/// Waits for exec: the report pipe closes on success and carries errno on failure.
int exec_error(int report) {
  int error = 0;
  ssize_t n;
  do n = ::read(report, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

// Absolute: the child looks for it after it has gone to its folder.
static std::string program_of(const ProcessSpec& spec) {
  const std::string& name = spec.argv[0];
  if (name.find('/') == std::string::npos) return find_program(name);
  return find_program((std::filesystem::absolute(spec.folder.empty() ? "." : spec.folder) / name).string());
}

Result<Spawned> spawn(const ProcessSpec& spec, bool with_input, bool with_control) {
  if (spec.argv.empty() || spec.argv[0].empty()) return fail("no program to run was named");
  const std::string program = program_of(spec);
  if (program.empty()) {
    return fail(fmt::format("the program {} was not found", spec.argv[0]),
                "install it, or put its folder on PATH", 3);
  }
  auto out = make_pipe(), err = make_pipe(), report = make_pipe();
  for (auto* pipe : {&out, &err, &report}) {
    if (!*pipe) return tl::unexpected(pipe->error());
  }
  Pipe in;
  if (with_input) {
    auto made = make_pipe();
    if (!made) return tl::unexpected(made.error());
    in = std::move(*made);
  } else {
    in.read.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  Fd ours, theirs;
  if (with_control) {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
      return tl::unexpected(system_error("open a channel to", spec.argv[0], errno));
    }
    ours.reset(fds[0]);
    theirs.reset(fds[1]);
  }
  std::vector<std::string> arguments = spec.argv;
  std::vector<std::string> environment = make_environment(spec);
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(environment);
  const ChildPlan plan{program.c_str(),
                       argv.data(),
                       envp.data(),
                       spec.folder.empty() ? nullptr : spec.folder.c_str(),
                       in.read.get(),
                       out->write.get(),
                       err->write.get(),
                       theirs.get(),
                       report->write.get(),
                       guardian_fd(),
                       spec.address_space_limit};
  const int pid = ::fork();
  if (pid < 0) return tl::unexpected(system_error("start", spec.argv[0], errno));
  if (pid == 0) run_child(plan);
  ::setpgid(pid, pid);  // also here: whoever is first, a kill of the group cannot miss
  report->write.reset();
  if (const int error = exec_error(report->read.get())) {
    ::waitpid(pid, nullptr, 0);
    forget_group(pid);
    return tl::unexpected(
        system_error("start", spec.folder.empty() ? program : program + " in " + spec.folder, error));
  }
  ::fcntl(out->read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(err->read.get(), F_SETFL, O_NONBLOCK);
  if (in.write) ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  return Spawned{pid, std::move(in.write), std::move(out->read), std::move(err->read), std::move(ours)};
}

}  // namespace uc::detail
