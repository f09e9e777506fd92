#pragma once
// Why: compilers, judges and candidates run as child processes that may crash, hang, flood their output or
// eat the memory; each has its own process group, a deadline and limits, and never takes this process down.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "platform/clock.h"

namespace uc {

struct ProcessSpec {
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH when it has no '/', else from `folder`
  std::vector<std::pair<std::string, std::string>> env = {};  ///< added to or replacing what is inherited
  std::vector<std::string> unset_env = {};                    ///< removed from what is inherited
  std::string folder = {};                                    ///< working directory; empty: inherited
  std::string input = {};            ///< text on stdin (run only); children get /dev/null otherwise
  Millis deadline{0};                ///< 0: none. Past it the whole process group is killed
  uint64_t address_space_limit = 0;  ///< bytes, RLIMIT_AS; 0: none. Not for CUDA, which reserves far more
  uint64_t resident_limit = 0;       ///< bytes of the child's own resident memory, watched; 0: none
  size_t output_limit = size_t{4} << 20;  ///< bytes kept of stdout and of stderr each: first and last half
};

/// How a process ended.
struct ProcessEnd {
  enum class Kind : uint8_t { exited, signalled, timed_out, out_of_memory };
  Kind kind = Kind::exited;
  int code = 0;  ///< exit code or signal number
  bool ok() const { return kind == Kind::exited && code == 0; }
};

/// "exit code 2", "killed by SIGSEGV (segmentation fault)", "timed out", "used more memory than allowed".
std::string describe(const ProcessEnd& end);

struct ProcessOutput {
  ProcessEnd end;
  std::string out, err;  ///< what was kept; a cut middle is marked
  double seconds = 0;    ///< wall time
};

/// A running child with a line channel: a socket that it inherits as descriptor ChildProcess::kControlFd, so
/// that whatever it prints to stdout is not taken for the protocol. Killed with its group when destroyed.
class ChildProcess {
 public:
  static constexpr int kControlFd = 3;
  struct Line {
    enum class Kind : uint8_t { line, closed, timed_out, too_long, out_of_memory };
    Kind kind = Kind::closed;
    std::string text;  ///< without the newline
  };
  virtual ~ChildProcess() = default;
  virtual int pid() const = 0;
  /// Sends `text` and a newline. An error when the child has closed the channel or takes longer than
  /// `patience`.
  virtual Result<> send(const std::string& text, Millis patience) = 0;
  /// The next line of the channel, at most `limit` bytes long. Drains stdout and stderr while it waits.
  virtual Line receive(Millis patience, size_t limit) = 0;
  /// Kills the group (when `grace` is over or at once when 0), reaps the child and says how it ended.
  virtual ProcessEnd finish(Millis grace) = 0;
  /// What is kept of stdout and stderr so far.
  virtual std::string out() const = 0;
  virtual std::string err() const = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;
  /// Runs to the end, or to the deadline. An error only when it cannot be started at all.
  virtual Result<ProcessOutput> run(const ProcessSpec& spec) = 0;
  /// Starts a child with a line channel.
  virtual Result<std::unique_ptr<ChildProcess>> start(const ProcessSpec& spec) = 0;
};

Processes& real_processes();

/// The path of a program as the shell would find it, or empty.
std::string find_program(const std::string& name);

/// The folder of the running executable.
std::string executable_folder();

}  // namespace uc
