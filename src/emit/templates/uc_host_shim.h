// Lets a plain host compiler read CUTLASS 3.x headers: the host half of a kernel needs their types
// (parameters, grid, shared memory), never their device bodies. What those bodies name is declared here and
// never called.
#ifndef UC_HOST_SHIM_H
#define UC_HOST_SHIM_H
#include <cuda_runtime.h>
#include <stdint.h>

#define CUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL 1

static dim3 threadIdx, blockIdx, blockDim, gridDim;
inline void __syncthreads() {}
inline int __syncthreads_and(int v) { return v; }
inline int __syncthreads_or(int v) { return v; }
inline void __syncwarp(unsigned = 0) {}
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) {}
template <class T>
T __shfl_sync(unsigned, T v, int, int = 32) {
  return v;
}
template <class T>
T __shfl_up_sync(unsigned, T v, int, int = 32) {
  return v;
}
template <class T>
T __shfl_down_sync(unsigned, T v, int, int = 32) {
  return v;
}
template <class T>
T __shfl_xor_sync(unsigned, T v, int, int = 32) {
  return v;
}
inline unsigned __activemask() { return ~0u; }
inline unsigned __ballot_sync(unsigned, int) { return 0; }
inline int __any_sync(unsigned, int) { return 0; }
inline int __all_sync(unsigned, int) { return 0; }
inline unsigned __reduce_max_sync(unsigned, unsigned v) { return v; }
inline int __ffs(int v) { return v; }
inline int __popc(unsigned v) { return int(v); }
inline int __dp4a(int, int, int c) { return c; }
inline int __dp4a(unsigned, unsigned, unsigned c) { return int(c); }
inline unsigned __byte_perm(unsigned a, unsigned, unsigned) { return a; }
inline unsigned __funnelshift_r(unsigned a, unsigned, unsigned) { return a; }
inline int __float_as_int(float v) { return int(v); }
inline float __int_as_float(int v) { return float(v); }
template <class T>
T __ldg(T const* p) {
  return *p;
}
template <class T>
T __hfma2(T a, T, T) {
  return a;
}
template <class T>
T __hadd2(T a, T) {
  return a;
}
template <class T>
T __hsub2(T a, T) {
  return a;
}
template <class T>
T __hmul2(T a, T) {
  return a;
}
template <class T, class U>
T atomicAdd(T* p, U) {
  return *p;
}
template <class T, class U>
T atomicExch(T* p, U) {
  return *p;
}
template <class T, class U>
T atomicMax(T* p, U) {
  return *p;
}
template <class T, class U>
T atomicMin(T* p, U) {
  return *p;
}
template <class T, class U, class V>
T atomicCAS(T* p, U, V) {
  return *p;
}
namespace cutlass {
namespace arch {
inline int SmId() { return 0; }
inline int LaneId() { return 0; }
}  // namespace arch
}  // namespace cutlass

// Before the compiler's version is claimed: it would ask for nvcuda's fragments.
#include "cutlass/arch/wmma.h"
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#endif
