#include "platform/lock.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "platform/files.h"

namespace uc {
namespace {

class FileLock final : public Lock {
 public:
  FileLock(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~FileLock() override {
    if (held_) ::unlink(path_.c_str());  // a run's lock has a name of its own: they would pile up
    ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  int fd() const { return fd_; }
  /// After flock: false when the holder before has removed the file, so that others lock a new one.
  bool hold() {
    struct stat ours{}, there{};
    held_ = ::fstat(fd_, &ours) == 0 && ::stat(path_.c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
            ours.st_dev == there.st_dev;
    return held_;
  }

 private:
  int fd_;
  std::string path_;
  bool held_ = false;
};

std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
  return safe;
}

/// Another user's lock file in a sticky folder may be opened but not with O_CREAT, so try without it first.
int open_lock_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == EACCES) fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) {
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) (void)::fchmod(fd, 0666);  // despite the umask: other users must be able to lock it
  }
  return fd;
}

void note_holder(int fd) {
  const std::string text = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd, 0) == 0) (void)!::pwrite(fd, text.data(), text.size(), 0);
}

std::string read_holder(int fd) {
  char text[32] = {};
  const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
  std::string holder(text, n > 0 ? static_cast<size_t>(n) : 0);
  while (!holder.empty() && !std::isdigit(static_cast<unsigned char>(holder.back()))) holder.pop_back();
  return holder.empty() ? "another process" : "process " + holder;
}

class FileLocks final : public Locks {
 public:
  FileLocks(std::string folder, Clock& clock) : folder_(std::move(folder)), clock_(clock) {}

  Result<std::unique_ptr<Lock>> acquire(const std::string& name, Millis patience) override {
    const std::string path = fmt::format("{}/ucutlass-{}.lock", folder_, safe_name(name));
    const auto end = clock_.now() + patience;
    for (;;) {
      const int fd = open_lock_file(path);
      if (fd < 0) return tl::unexpected(system_error("open the lock", path, errno));
      auto lock = std::make_unique<FileLock>(fd, path);
      if (auto locked = wait_for(*lock, path, patience, end); !locked) return tl::unexpected(locked.error());
      if (!lock->hold()) continue;
      note_holder(fd);
      return lock;
    }
  }

 private:
  Result<> wait_for(const FileLock& lock, const std::string& path, Millis patience,
                    std::chrono::nanoseconds end) {
    while (::flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return tl::unexpected(system_error("lock", path, errno));
      if (clock_.now() >= end) {
        return fail(fmt::format("{} holds {} (waited {:.1f} s)", read_holder(lock.fd()), path,
                                std::chrono::duration<double>(patience).count()),
                    "wait for it to end, or stop it; only one process may measure on a GPU", 3);
      }
      clock_.sleep(Millis(20));
    }
    return {};
  }

  std::string folder_;
  Clock& clock_;
};

}  // namespace

std::unique_ptr<Locks> file_locks(std::string folder, Clock& clock) {
  if (folder.empty()) {
    const char* chosen = std::getenv("UCUTLASS_LOCK_DIR");
    folder = chosen && *chosen ? chosen : "/tmp";
  }
  return std::make_unique<FileLocks>(std::move(folder), clock);
}

}  // namespace uc
