#pragma once
// Why: suites of problems are worked on with all cores, each result in its own place.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace uc {

/// Calls work(i) once for every i below `count`, in no order, on as many threads as there are cores, at most
/// `most`; the caller's is one of them. Returns when all calls have. `work` must not throw.
template <class Work>
void parallel_for(size_t count, Work work, size_t most = SIZE_MAX) {
  std::atomic<size_t> next = 0;
  const auto loop = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;  // joined at the end
  const size_t threads = std::min<size_t>({most, std::thread::hardware_concurrency(), count});
  for (size_t i = 1; i < threads; ++i) others.emplace_back(loop);
  loop();
}

}  // namespace uc
