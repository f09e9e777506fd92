#pragma once
// Why: builds are slow and independent, so several run at once while the loop waits for the one it needs
// next; and none begins while times are taken.
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/candidate.h"
#include "base/result.h"

namespace uc {

struct BuildOutcome {
  std::string library;  ///< path of the shared object
  std::vector<std::string> kernel_hashes;
  double seconds = 0;
  bool cached = false;  ///< nothing had to be compiled
  std::string log;      ///< path; may be empty
};

/// Makes a shared object of a candidate. Called from several threads.
class CandidateBuilder {
 public:
  virtual ~CandidateBuilder() = default;
  virtual Result<BuildOutcome> build(const Candidate& candidate, const std::string& output) = 0;
};

/// Builds in the background, `jobs` at once, in the order they were asked for. Destroying it waits for what
/// runs.
class BuildQueue {
 public:
  BuildQueue(CandidateBuilder& builder, int jobs);
  ~BuildQueue();
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;

  void submit(int64_t number, std::shared_ptr<const Candidate> candidate, const std::string& output);
  /// Waits for that one. Only once for each number.
  Result<BuildOutcome> wait(int64_t number);
  /// While true no build begins; those that run go on.
  void pause(bool quiet);
  /// What has not begun fails at once.
  void cancel();

 private:
  struct Job {
    int64_t number;
    std::shared_ptr<const Candidate> candidate;
    std::string output;
  };
  void work();

  CandidateBuilder& builder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> waiting_;
  std::map<int64_t, Result<BuildOutcome>> done_;
  std::vector<std::thread> workers_;
  bool quiet_ = false, stopping_ = false;
};

/// Builds at once that fit: a compiler of an SM90 kernel takes up to 4 GB and one and a half cores.
int default_build_jobs();

}  // namespace uc
