#include "platform/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "platform/file_limits.h"

namespace uc {
namespace {

namespace fs = std::filesystem;

std::string help_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some space there, or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS: return "choose a place that you may write to, or change its permissions";
    case ENOENT: return "check the path";
    case EISDIR: return "name a file, not a folder";
    case ENOTDIR: return "a part of the path is a file, not a folder";
    case EMFILE:
    case ENFILE: return "too many open files: raise `ulimit -n`";
    default: return {};
  }
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

/// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

/// Where a chain of links ends: the file need not exist. `descriptor` is set when it leads to a file that
/// this process has open (/dev/stdout), which is written as it is: its other writers go on behind.
struct Destination {
  fs::path path;
  std::optional<int> descriptor;
};

std::optional<int> open_descriptor(const fs::path& path) {
  const std::string folder = path.parent_path().string();
  const std::string number = path.filename().string();
  const bool own =
      folder == "/proc/self/fd" || folder == "/dev/fd" || folder == fmt::format("/proc/{}/fd", ::getpid());
  if (!own || number.empty() || number.size() > 6) return std::nullopt;
  if (!std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return std::atoi(number.c_str());
}

Destination follow(const std::string& path) {
  Destination out{path, std::nullopt};
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(out.path, error)); ++links) {
    out.descriptor = open_descriptor(out.path);
    if (out.descriptor) return out;
    const fs::path next = fs::read_symlink(out.path, error);
    if (error) return out;
    out.path = next.is_absolute() ? next : out.path.parent_path() / next;
  }
  return out;
}

class RealFiles final : public Files {
 public:
  Result<std::string> read(const std::string& path) override {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return tl::unexpected(system_error("read", path, errno));
    std::string text;
    char buffer[65536];
    for (;;) {
      const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return tl::unexpected(system_error("read", path, errno));
      if (n == 0) return text;
      if (text.size() + static_cast<size_t>(n) > kMostRead)
        return fail(fmt::format("cannot read {}: it is larger than {} MB", path, kMostRead >> 20U),
                    "check that this is the file that was meant");
      text.append(buffer, static_cast<size_t>(n));
    }
  }

  Result<> write(const std::string& path, std::string_view bytes, int mode) override {
    const Destination to = follow(path);
    if (to.descriptor) return write_into(path, ::fcntl(*to.descriptor, F_DUPFD_CLOEXEC, 0), bytes);
    struct stat info{};
    const bool there = ::stat(to.path.c_str(), &info) == 0;
    if (!there && errno != ENOENT) return tl::unexpected(system_error("write", path, errno));
    if ((there && S_ISDIR(info.st_mode)) || path.ends_with('/'))
      return tl::unexpected(system_error("write", path, EISDIR));
    if (there && !S_ISREG(info.st_mode))
      return write_into(path, ::open(to.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY), bytes);
    return write_beside(path, to.path.string(), bytes, mode);
  }

  Result<> replace(const std::string& path, std::string_view bytes) override {
    std::error_code error;
    const std::string target = fs::canonical(path, error).string();
    if (error) return tl::unexpected(system_error("write", path, error.value()));
    struct stat info{};
    if (::stat(target.c_str(), &info) != 0) return tl::unexpected(system_error("write", path, errno));
    if (!S_ISREG(info.st_mode)) return fail("cannot write " + path + ": it is no regular file");
    // A rename needs the folder's permission only.
    if (::access(target.c_str(), W_OK) != 0) return tl::unexpected(system_error("write", path, errno));
    return write(target, bytes, static_cast<int>(info.st_mode & 07777U));
  }

  bool exists(const std::string& path) override {
    std::error_code ignored;
    return fs::exists(path, ignored);
  }

  Result<> make_folder(const std::string& path) override {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return tl::unexpected(system_error("create the folder", path, error.value()));
    if (!fs::is_directory(path, error))
      return tl::unexpected(system_error("create the folder", path, ENOTDIR));
    return {};
  }

  Result<std::string> make_temporary_folder(std::string_view prefix) override {
    const char* base = std::getenv("TMPDIR");
    std::string path = fmt::format("{}/{}XXXXXX", base && *base ? base : "/tmp", prefix);
    if (!::mkdtemp(path.data())) {
      Error error = system_error("create a folder like", path, errno);
      if (base && *base)
        error.help = "TMPDIR names a place for temporary files that cannot be used; set another";
      return tl::unexpected(error);
    }
    return path;
  }

  Result<> remove(const std::string& path) override {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return tl::unexpected(system_error("remove", path, error.value()));
    return {};
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::error_code error;
    std::vector<std::string> names;
    fs::directory_iterator it(folder, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    if (error) return tl::unexpected(system_error("list", folder, error.value()));
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  // A device, a pipe or a terminal is written into: replacing it would take it away from all others.
  static Result<> write_into(const std::string& path, int opened, std::string_view bytes) {
    Fd fd(opened);
    int error = fd.get() < 0 ? errno : write_all(fd.get(), bytes);
    if (fd.close() != 0 && !error) error = errno;
    if (error) return tl::unexpected(system_error("write", path, error));
    return {};
  }

  static Result<> write_beside(const std::string& path, const std::string& target, std::string_view bytes,
                               int mode) {
    std::string temporary = target + ".XXXXXX";
    Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (fd.get() < 0) return tl::unexpected(system_error("write", path, errno));
    int error = write_all(fd.get(), bytes);
    if (!error && ::fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) error = errno;
    if (!error && ::fsync(fd.get()) != 0 && errno != EINVAL) error = errno;
    if (fd.close() != 0 && !error) error = errno;
    if (!error && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
    if (!error) return {};
    ::unlink(temporary.c_str());
    return tl::unexpected(system_error("write", path, error));
  }
};

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Result<std::string> read_given(Files& files, const std::string& path) {
  auto text = files.read(path);
  if (!text) text.error().exit_code = 2;
  return text;
}

Error system_error(std::string_view doing, const std::string& path, int errno_value) {
  std::string why = std::strerror(errno_value);
  if (!why.empty()) why[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(why[0])));
  return Error{fmt::format("cannot {} {}: {}", doing, path, why), help_for(errno_value), 1};
}

Files& real_files() {
  static RealFiles files;
  return files;
}

}  // namespace uc
