#include "platform/guardian.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace uc::detail {
namespace {

constexpr int kMostGroups = 4096;

/// Only async-signal-safe calls: this is a fork of a process that may have threads.
[[noreturn]] void stand_guard(int pipe) {
  ::setsid();  // not of the parent's group, which a terminal or a shell may kill at once
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  // Nobody who waits for the end of the parent's streams or pipes shall wait for this process.
  ::dup2(pipe, 0);
  ::close_range(1, ~0U, 0);
  static int groups[kMostGroups];
  int count = 0;
  for (int message = 0;;) {
    const ssize_t n = ::read(0, &message, sizeof message);
    if (n < 0 && errno == EINTR) continue;
    if (n != static_cast<ssize_t>(sizeof message)) break;
    if (message > 0 && count < kMostGroups) groups[count++] = message;
    if (message < 0)
      count = static_cast<int>(std::distance(groups, std::remove(groups, groups + count, -message)));
  }
  for (int i = 0; i < count; ++i) ::kill(-groups[i], SIGKILL);
  ::_exit(0);
}

int start_guardian() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return -1;
  const int pid = ::fork();
  if (pid == 0) stand_guard(fds[0]);
  ::close(fds[0]);
  if (pid > 0) return fds[1];
  ::close(fds[1]);
  return -1;
}

}  // namespace

int guardian_fd() {
  static const int fd = start_guardian();
  return fd;
}

void forget_group(int group) {
  const int message = -group;
  if (guardian_fd() >= 0) (void)!::write(guardian_fd(), &message, sizeof message);
}

}  // namespace uc::detail
