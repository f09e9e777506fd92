#include "agent/builder.h"

#include <algorithm>
#include <unistd.h>

namespace uc {

BuildQueue::BuildQueue(CandidateBuilder& builder, int jobs) : builder_(builder) {
  for (int i = 0; i < std::max(jobs, 1); ++i) workers_.emplace_back([this] { work(); });
}

BuildQueue::~BuildQueue() {
  cancel();
  for (std::thread& worker : workers_) worker.join();
}

void BuildQueue::submit(int64_t number, std::shared_ptr<const Candidate> candidate,
                        const std::string& output) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({number, std::move(candidate), output});
  changed_.notify_all();
}

Result<BuildOutcome> BuildQueue::wait(int64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_.contains(number) || stopping_; });
  const auto found = done_.find(number);
  if (found == done_.end()) return fail("the build was cancelled", "", 130);
  Result<BuildOutcome> outcome = std::move(found->second);
  done_.erase(found);
  return outcome;
}

void BuildQueue::pause(bool quiet) {
  const std::lock_guard lock(mutex_);
  quiet_ = quiet;
  changed_.notify_all();
}

void BuildQueue::cancel() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void BuildQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || (!waiting_.empty() && !quiet_); });
    if (stopping_) return;
    const Job job = waiting_.front();
    waiting_.erase(waiting_.begin());
    lock.unlock();
    Result<BuildOutcome> outcome = builder_.build(*job.candidate, job.output);
    lock.lock();
    done_.emplace(job.number, std::move(outcome));
    changed_.notify_all();
  }
}

int default_build_jobs() {
  const auto bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto by_memory = static_cast<int>(bytes / 6e9);
  const auto by_cores = static_cast<int>(std::thread::hardware_concurrency()) * 2 / 3;
  return std::clamp(std::min(by_memory, by_cores), 1, 16);
}

}  // namespace uc
