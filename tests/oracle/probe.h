// Why: one emitted kernel, asked what CUTLASS and the CUDA driver would say of it, without a GPU: its types
// are instantiated by a plain C++ compiler, its own preparation of a launch runs against a driver that checks
// what the documentation of cuTensorMapEncodeTiled and cuLaunchKernelEx asks for. C++17, as emitted sources
// are.
#ifndef UC_ORACLE_PROBE_H
#define UC_ORACLE_PROBE_H
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <string>
#include <type_traits>

#include "uc_kernel_args.h"

namespace uc_oracle {

inline std::string complaints;  // of the driver and of CUTLASS, about the launch at hand

__attribute__((format(printf, 1, 2))) inline void complain(const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (complaints.find(text) != std::string::npos) return;
  if (!complaints.empty()) complaints += "; ";
  complaints += text;
}

// What a kernel's type says of itself. Unknown facts are -1: back ends differ in what they name.
template <class Kernel, class = void>
struct Stages {
  static constexpr int value = -1;
};
template <class Kernel>
struct Stages<Kernel, std::void_t<decltype(Kernel::CollectiveMainloop::DispatchPolicy::Stages)>> {
  static constexpr int value = Kernel::CollectiveMainloop::DispatchPolicy::Stages;
};
template <class Kernel>
struct Stages<Kernel, std::void_t<decltype(Kernel::Mma::kStages)>> {
  static constexpr int value = Kernel::Mma::kStages;
};
template <class Kernel, class = void>
struct SharedBytes {
  static constexpr int value = -1;
};
template <class Kernel>
struct SharedBytes<Kernel, std::void_t<decltype(Kernel::SharedStorageSize)>> {
  static constexpr int value = Kernel::SharedStorageSize;
};

struct Facts {
  int stages = -1, smem = -1;
};
template <class Kernel>
constexpr Facts facts() {
  return {Stages<Kernel>::value, SharedBytes<Kernel>::value};
}
// A model's numbers are those of CUTLASS, as far as the kernel's type says.
constexpr bool same(Facts seen, Facts model) {
  return (seen.stages < 0 || seen.stages == model.stages) && (seen.smem < 0 || seen.smem == model.smem);
}

inline int can_implement = -1;  // CUTLASS's own verdict on the arguments at hand; -1: not asked

// Emitted host halves do not ask; the batch redefines to_underlying_arguments so that they pass by here.
template <class Kernel, class Arguments>
const Arguments& seen(const Arguments& arguments) {
  can_implement = static_cast<int>(Kernel::can_implement(arguments));
  return arguments;
}

inline constexpr unsigned kPortableCluster = 8;  // blocks

inline void check_geometry(const uck_geometry& geometry, unsigned shared_bytes) {
  const unsigned cluster = geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2];
  if (geometry.smem > shared_bytes)
    complain("%u bytes of shared memory, a block has %u", geometry.smem, shared_bytes);
  if (cluster > kPortableCluster)
    complain("a cluster of %u blocks, %u are portable", cluster, kPortableCluster);
  if (geometry.block[0] * geometry.block[1] * geometry.block[2] > 1024) complain("more than 1024 threads");
  const unsigned most[3] = {0x7fffffffU, 65535U, 65535U};
  for (int i = 0; i < 3; ++i) {
    if (geometry.grid[i] == 0 || geometry.grid[i] > most[i]) complain("grid[%d] is %u", i, geometry.grid[i]);
    if (geometry.cluster[i] != 0 && geometry.grid[i] % geometry.cluster[i] != 0)
      complain("grid[%d] is %u, not whole clusters of %u", i, geometry.grid[i], geometry.cluster[i]);
  }
}

struct Probe {
  const char* name;
  Facts facts;
  int parts;
  unsigned shared_bytes;  // that a block of the device has
  int64_t (*scratch)(const uck_gemm*);
  int (*params_bytes)(int);
  void (*shape)(int, uck_geometry*);
  int (*prepare)(const uck_gemm*, int, void*, uck_geometry*);
  void (*fill)(uck_gemm&);
};

inline void* address(int tensor, int64_t bytes) {
  return reinterpret_cast<char*>(int64_t{0x100000000000} + (int64_t{tensor} << 41)) + bytes;
}

inline uck_geometry launch(const Probe& probe, int part) {
  uck_geometry geometry{};
  probe.shape(part, &geometry);
  const unsigned clusters = geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2];
  uck_gemm arguments{};
  probe.fill(arguments);
  arguments.sms = 132;
  arguments.max_clusters = int(132 / (clusters == 0 ? 1 : clusters));
  if (probe.scratch(&arguments) < 0) complain("negative scratch");
  arguments.scratch = address(15, 0);
  std::string params(size_t(probe.params_bytes(part)), '\0');
  if (probe.prepare(&arguments, part, params.data(), &geometry) != 0) complain("prepare refuses");
  check_geometry(geometry, probe.shared_bytes);
  return geometry;
}

// One line, which oracle.py reads: "NAME: compiles stages 4 smem 215040 ...; can_implement ok; launch ok". Of
// several device functions the numbers are those with the most shared memory.
inline void report(const Probe& probe) {
  complaints.clear();
  can_implement = -1;
  uck_geometry widest{};
  for (int part = 0; part < probe.parts; ++part) {
    const uck_geometry geometry = launch(probe, part);
    if (part == 0 || geometry.smem > widest.smem) widest = geometry;
  }
  printf("%s: compiles stages %d smem %u threads %u grid %ux%ux%u; can_implement %s; launch %s\n", probe.name,
         probe.facts.stages, widest.smem, widest.block[0], widest.grid[0], widest.grid[1], widest.grid[2],
         can_implement < 0    ? "not asked"
         : can_implement == 1 ? "ok"
                              : "refuses",
         complaints.empty() ? "ok" : complaints.c_str());
}

inline int element_bytes(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
    default: return 4;
  }
}

inline unsigned swizzle_bytes(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_32B: return 32;
    case CU_TENSOR_MAP_SWIZZLE_64B: return 64;
    case CU_TENSOR_MAP_SWIZZLE_128B: return 128;
    default: return 0;
  }
}

// What the driver API's documentation of cuTensorMapEncodeTiled requires.
inline void check_descriptor(CUtensorMapDataType type, unsigned rank, const void* at, const uint64_t* shape,
                             const uint64_t* stride, const unsigned* box, const unsigned* element_stride,
                             CUtensorMapSwizzle swizzle) {
  if (rank == 0 || rank > 5) return complain("descriptor of rank %u", rank);
  if (reinterpret_cast<size_t>(at) % 16 != 0) complain("descriptor at an address that 16 does not divide");
  for (unsigned i = 0; i < rank; ++i) {
    if (shape[i] == 0 || shape[i] > (uint64_t{1} << 32))
      complain("globalDim[%u] is %llu", i, (long long)shape[i]);
    if (box[i] == 0 || box[i] > 256) complain("boxDim[%u] is %u", i, box[i]);
    if (element_stride[i] == 0 || element_stride[i] > 8)
      complain("elementStrides[%u] is %u", i, element_stride[i]);
    if (i + 1 < rank && (stride[i] % 16 != 0 || stride[i] >= (uint64_t{1} << 40)))
      complain("globalStrides[%u] is %llu", i, (long long)stride[i]);
  }
  const unsigned inner = box[0] * unsigned(element_bytes(type));
  if (inner % 16 != 0) complain("a box row of %u bytes", inner);
  const unsigned widest = swizzle_bytes(swizzle);
  if (widest != 0 && inner > widest) complain("a box row of %u bytes, swizzled by %u", inner, widest);
}

}  // namespace uc_oracle

extern "C" {
inline __attribute__((used)) CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* shape,
    const cuuint64_t* stride, const cuuint32_t* box, const cuuint32_t* element_stride, CUtensorMapInterleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  uc_oracle::check_descriptor(type, rank, address, shape, stride, box, element_stride, swizzle);
  return CUDA_SUCCESS;
}
// The runtime that CUTLASS's host code names; nothing of it is called by a preparation.
inline __attribute__((used)) cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline __attribute__((used)) cudaError_t CUDARTAPI cudaDeviceGetAttribute(int*, cudaDeviceAttr, int) {
  return cudaErrorInvalidValue;
}
inline __attribute__((used)) cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
inline __attribute__((used)) cudaError_t CUDARTAPI cudaGetLastError() { return cudaSuccess; }
inline __attribute__((used)) cudaError_t CUDARTAPI cudaMemsetAsync(void*, int, size_t, cudaStream_t) {
  return cudaSuccess;
}
}
#endif
