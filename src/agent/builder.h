#pragma once
// Why: builds are slow and independent, so several run at once while the loop waits for the one it needs
// next; and none begins while times are taken.
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
  /// While true what compiles stands still.
  virtual void pause(bool) {}
  /// Ends what compiles; builds that run fail, and later ones too.
  virtual void stop() {}
};

/// Builds in the background, `jobs` at once; each program once, however often it is asked for. What is needed
/// goes before what is only likely to be needed. Destroying it ends what runs.
class BuildQueue {
 public:
  /// Shared objects go to `folder`, named by program hash.
  BuildQueue(CandidateBuilder& builder, int jobs, std::string folder);
  ~BuildQueue();
  BuildQueue(const BuildQueue&) = delete;
  BuildQueue& operator=(const BuildQueue&) = delete;

  void need(const std::shared_ptr<const Candidate>& candidate) { add(candidate, true); }
  void expect(const std::shared_ptr<const Candidate>& candidate) { add(candidate, false); }
  /// Waits for a program that was asked for. Errors: it does not build; the queue was ended (exit code 130).
  Result<BuildOutcome> wait(const Candidate& candidate);
  /// While true no build begins and none goes on.
  void pause(bool quiet);
  /// What is only expected and has not begun is forgotten.
  void forget();
  /// What has not begun never will.
  void cancel();

 private:
  struct Job {
    std::shared_ptr<const Candidate> candidate;
    bool needed = false;
  };
  void add(const std::shared_ptr<const Candidate>& candidate, bool needed);
  void work();

  CandidateBuilder& builder_;
  std::string folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Job> waiting_;
  std::set<std::string> begun_;                       ///< hashes of what runs or is done
  std::map<std::string, Result<BuildOutcome>> done_;  ///< by program hash
  std::vector<std::thread> workers_;
  bool quiet_ = false, stopping_ = false;
};

/// Builds at once that fit: a compiler of an SM90 kernel takes up to 4 GB and one and a half cores.
int default_build_jobs();

}  // namespace uc
