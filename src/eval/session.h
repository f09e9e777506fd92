#pragma once
// Why: dozens of candidates are evaluated for one problem; a session keeps its judge alive, with PyTorch's
// times and reference outputs measured once, and survives any crash or hang of the judge or of a candidate.
#include <functional>
#include <memory>
#include <string>

#include "eval/eval.h"
#include "platform/lock.h"
#include "platform/process.h"

namespace uc {

/// Where the parts are and whom to tell. Every default is the real thing.
struct EvalEnvironment {
  std::string python;          ///< empty: $UCUTLASS_PYTHON, else python3
  std::string judge_folder;    ///< holds the package ucutlass_judge; empty: found beside the program
  std::string runner;          ///< path of ucutlass-runner; empty: found beside the program
  std::string timing_library;  ///< libucutlass_timing.so; empty: found beside the program
  std::string device =
      "cuda:0";           ///< or "fake": host memory, no torch, the same protocol (docs/evaluation.md)
  std::string transport;  ///< empty: ipc, files when that fails; "file" forces files
  Millis token_patience{600000};                     ///< how long to wait for the GPU's lock
  Processes* processes = nullptr;                    ///< null: real_processes()
  Locks* locks = nullptr;                            ///< null: file_locks()
  std::function<void(const std::string&)> progress;  ///< one line of text now and then; may be empty
  std::function<void(bool)> quiet;  ///< true: times are being taken, pause builds; false: over
};

class EvalSession {
 public:
  /// Starts the judge, loads the problem, measures the baselines. Errors: no python, torch or GPU; a problem
  /// that does not load or run; the GPU held by somebody else.
  static Result<std::unique_ptr<EvalSession>> open(const EvalProblem& problem,
                                                   const EvalEnvironment& environment = {});
  virtual ~EvalSession() = default;

  /// Judges one candidate. Whatever the candidate does is a label in the result; an error means that judging
  /// itself failed (then the judge has been restarted, or will be on the next call).
  virtual Result<EvalResult> evaluate(const EvalRequest& request) = 0;

  /// PyTorch's times for this problem, and which is the best.
  virtual const std::vector<EvalBaseline>& baselines() const = 0;
  virtual const std::string& best_baseline() const = 0;
  /// Facts of the problem: device, inputs, outputs, parameters, seed, baselines, as JSON.
  virtual const std::string& problem_json() const = 0;

  /// Ends the judge in good order. The destructor kills it.
  virtual void close() = 0;
};

}  // namespace uc
