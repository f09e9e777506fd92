#include "agent/builder.h"

#include <algorithm>
#include <unistd.h>

namespace uc {

BuildQueue::BuildQueue(CandidateBuilder& builder, int jobs, std::string folder)
    : builder_(builder), folder_(std::move(folder)) {
  for (int i = 0; i < std::max(jobs, 1); ++i) workers_.emplace_back([this] { work(); });
}

BuildQueue::~BuildQueue() {
  cancel();
  builder_.pause(false);
  builder_.stop();
  for (std::thread& worker : workers_) worker.join();
}

void BuildQueue::add(const std::shared_ptr<const Candidate>& candidate, bool needed) {
  const std::string hash = candidate->hash();
  const std::lock_guard lock(mutex_);
  if (begun_.contains(hash)) return;
  const auto same =
      std::ranges::find_if(waiting_, [&](const Job& job) { return job.candidate->hash() == hash; });
  if (same == waiting_.end()) {
    waiting_.push_back({candidate, needed});
  } else {
    same->needed = same->needed || needed;
  }
  changed_.notify_all();
}

Result<BuildOutcome> BuildQueue::wait(const Candidate& candidate) {
  const std::string hash = candidate.hash();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_.contains(hash) || stopping_; });
  const auto found = done_.find(hash);
  if (found == done_.end()) return fail("the build was cancelled", "", 130);
  return found->second;
}

void BuildQueue::pause(bool quiet) {
  const std::lock_guard lock(mutex_);
  quiet_ = quiet;
  builder_.pause(quiet);
  changed_.notify_all();
}

void BuildQueue::forget() {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [](const Job& job) { return !job.needed; });
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
    auto next = std::ranges::find_if(waiting_, &Job::needed);
    if (next == waiting_.end()) next = waiting_.begin();
    const std::shared_ptr<const Candidate> candidate = next->candidate;
    waiting_.erase(next);
    const std::string hash = candidate->hash();
    begun_.insert(hash);
    lock.unlock();
    Result<BuildOutcome> outcome = builder_.build(*candidate, folder_ + "/" + hash + ".so");
    lock.lock();
    done_.emplace(hash, std::move(outcome));
    changed_.notify_all();
  }
}

int default_build_jobs() {
  const auto bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto by_memory = static_cast<int>(bytes / 6e9);
  const auto by_cores = static_cast<int>(std::thread::hardware_concurrency()) / 2;
  return std::clamp(std::min(by_memory, by_cores), 1, 16);
}

}  // namespace uc
