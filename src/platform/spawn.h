#pragma once
// Why: between fork and exec only async-signal-safe calls are allowed; that code is kept small and alone.
#include <string>

#include "base/result.h"
#include "platform/process.h"

namespace uc::detail {

/// An owned file descriptor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);
  int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

/// A started child and our ends of its descriptors.
struct Spawned {
  int pid = -1;
  Fd in, out, err;  ///< stdin (write), stdout and stderr (read, non-blocking)
  Fd control;       ///< our end of the channel; empty without one
};

/// Starts the program in its own process group. With `with_input` stdin is a pipe, else /dev/null.
Result<Spawned> spawn(const ProcessSpec& spec, bool with_input, bool with_control);

}  // namespace uc::detail
