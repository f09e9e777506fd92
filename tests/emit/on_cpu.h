#pragma once
// Device code on the CPU: a thread a thread, blocks one after the other. To be included before the device
// code, which sees CUDA's names for what is here.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <memory>
#include <thread>
#include <vector>

namespace on_cpu {
constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
struct Index {
  unsigned x;
};
inline thread_local Index thread, block;
inline Index grid;
inline std::unique_ptr<std::barrier<>> all;
inline std::vector<std::unique_ptr<std::barrier<>>> warps;
inline uint32_t lanes[kThreads];

inline void wait_for_block() { all->arrive_and_wait(); }

inline uint32_t largest_of_warp(unsigned, uint32_t value) {
  const unsigned first = thread.x / kWarp * kWarp;
  lanes[thread.x] = value;
  warps[thread.x / kWarp]->arrive_and_wait();
  const uint32_t out = *std::max_element(lanes + first, lanes + first + kWarp);
  warps[thread.x / kWarp]->arrive_and_wait();
  return out;
}

template <class Body>
void launch(unsigned blocks, Body body) {
  grid.x = blocks;
  for (unsigned b = 0; b < blocks; ++b) {
    all = std::make_unique<std::barrier<>>(kThreads);
    warps.clear();
    for (unsigned w = 0; w < kThreads / kWarp; ++w) warps.push_back(std::make_unique<std::barrier<>>(kWarp));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([b, t, &body] {
        thread.x = t;
        block.x = b;
        body();
        all->arrive_and_drop();
      });
    }
    for (std::thread& each : threads) each.join();
  }
}
}  // namespace on_cpu

using std::max;
using std::min;
#define UC_HOST_HALF
#define UC_ON_CPU
#define threadIdx on_cpu::thread
#define blockIdx on_cpu::block
#define gridDim on_cpu::grid
#define __syncthreads on_cpu::wait_for_block
#define __reduce_max_sync on_cpu::largest_of_warp
#undef __ldcs
#undef __ldg
#define __ldcs *
#define __ldg *
#undef __shared__
#define __shared__ static
#undef __device__
#define __device__
#undef __forceinline__
#define __forceinline__ inline
