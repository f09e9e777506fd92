#pragma once
// Why: what a back end emits for one kernel. Sizes are arguments, so equal configurations share a build.
#include <cstdint>
#include <string>
#include <vector>

namespace uc {

/// One kernel as source text. Symbols are named by `hash`: configuration, arch, emitter and toolchain
/// versions.
struct EmittedKernel {
  std::string hash;           ///< 16 hex digits
  std::string device_source;  ///< CUDA: one extern "C" __global__ function `uck_<hash>`
  std::string host_source;    ///< C++: functions of uc_kernel_args.h's contract, compiled by g++; empty: the
                              ///< glue launches
  bool needs_cutlass = false;
  /// Device functions that one launch runs in order, all in one cubin: `uck_<hash>`, `uck_<hash>_1`, ... More
  /// than one only with a host half, or over rows.
  int parts = 1;
  bool packs = false;  ///< it keeps what it makes of B alone where B is made when weights are loaded
  /// Of a convolution: tensors of its epilogue are given as those of its product, [L, M, N], and l, m, n, k
  /// with them.
  bool as_product = false;
  /// Of such a convolution: tensors of its epilogue are given as its own all the same.
  bool by_pixels = false;
  std::string arch = "sm_90a";  ///< that the device half is compiled for
  bool has_host() const { return !host_source.empty(); }
  std::string summary;  ///< "gemm f16 128x256x64 cooperative 2x1, bias gelu": for people and logs
};

}  // namespace uc
