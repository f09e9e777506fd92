// Lets g++ compile emitted kernels that are plain CUDA, to be run by fake_cuda.cpp: each thread of a cluster
// is a fiber, and gives way wherever the device would wait for others.
#ifndef UC_EMULATE_H
#define UC_EMULATE_H
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>
#include <string.h>

namespace uc_emulate {

struct Index {
  unsigned x, y, z;
};
// Of the fiber that runs.
extern Index thread, block, block_extent, grid_extent;

void give_way();  // to other threads, in a loop that waits for them
void sync_block();
void sync_cluster();
unsigned rank();  // of the block in its cluster
// Shared memory of a block of the running cluster.
char* shared(unsigned rank);
// What lane `lane ^ mask` of the warp gave.
void exchange(const void* give, void* get, unsigned bytes, unsigned mask);
// What lane `from` gave.
void take(const void* give, void* get, unsigned bytes, unsigned from);

}  // namespace uc_emulate

#define threadIdx uc_emulate::thread
#define blockIdx uc_emulate::block
#define blockDim uc_emulate::block_extent
#define gridDim uc_emulate::grid_extent
#undef __global__
#undef __launch_bounds__
#undef __grid_constant__
#define __global__
#define __launch_bounds__(...)
#define __grid_constant__
#define __syncthreads uc_emulate::sync_block
#define UC_SHARED(name, bytes) char* name = uc_emulate::shared(uc_emulate::rank())

namespace uc_rows {

template <class T>
T exchange(const T& x, int mask) {
  T out;
  uc_emulate::exchange(&x, &out, sizeof x, unsigned(mask));
  return out;
}
inline uint32_t cluster_rank() { return uc_emulate::rank(); }
inline void cluster_sync() { uc_emulate::sync_cluster(); }
template <class T>
T of_block(const T* here, uint32_t rank) {
  T out;
  const auto at = reinterpret_cast<const char*>(here) - uc_emulate::shared(uc_emulate::rank());
  memcpy(&out, uc_emulate::shared(rank) + at, sizeof out);
  return out;
}

}  // namespace uc_rows

namespace uc_attention {

template <class T>
T from_lane(T x, int lane) {
  T out;
  uc_emulate::take(&x, &out, sizeof x, unsigned(lane));
  return out;
}

}  // namespace uc_attention
#endif
