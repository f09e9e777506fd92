#pragma once
// Why: two processes with work queued on one GPU time-slice it and spoil each other's times, so measuring
// needs a machine-wide token per GPU.
#include <memory>
#include <string>

#include "base/result.h"
#include "platform/clock.h"

namespace uc {

/// Holds a lock until destroyed. Also released by the kernel when the process dies.
class Lock {
 public:
  virtual ~Lock() = default;
};

/// Named machine-wide locks between processes that agree on the names.
class Locks {
 public:
  virtual ~Locks() = default;
  /// Waits until the lock is free or `patience` is over (then an error that names the holder).
  virtual Result<std::unique_ptr<Lock>> acquire(const std::string& name, Millis patience) = 0;
};

/// flock(2) on `<folder>/ucutlass-<name>.lock`. The folder is $UCUTLASS_LOCK_DIR or /tmp: not
/// $XDG_RUNTIME_DIR, which differs between users and between a login and a batch job, while the GPU is the
/// same.
std::unique_ptr<Locks> file_locks(std::string folder = {}, Clock& clock = real_clock());

}  // namespace uc
