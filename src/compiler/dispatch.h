#pragma once
// Why: one C++ entry for a program at any of its sizes.
#include <optional>
#include <string>
#include <vector>

#include "compiler/plain_gemm.h"
#include "compiler/size_classes.h"

namespace uc {

/// What cuBLASLt and a kernel of ours took for one product, measured: microseconds.
struct VendorTime {
  int64_t m = 0, n = 0, k = 0;
  double ours_us = 0, vendor_us = 0;
};

/// Reads {"type": "f16", "shapes": [{"m", "n", "k", "us", "cublaslt_us"}]}, as bench/gemm_sweep writes it.
/// Errors: no such text. Times of another type than `type` are left out.
Result<std::vector<VendorTime>> read_vendor_times(std::string_view json, std::string_view type);

struct DispatchInput {
  const Program& program;
  const SizeClasses& classes;
  std::optional<PlainGemm> plain;
  std::vector<VendorTime> times;
};

/// The ranges that the program declares, from the least size of each to the most.
std::vector<SizeRange> declared_ranges(const Program& program);

/// Hash of the whole set: in file and namespace names.
std::string dispatch_hash(const SizeClasses& classes);

/// `ucutlass_dispatch_<hash>.h`: types, and tables for uc_dispatch.h. Classes whose weights are prepared the
/// same way share the prepared memory. Errors: shapes or strides of a tensor that are no polynomials of the
/// dimensions.
Result<std::string> emit_dispatch(const Catalog& catalog, const DispatchInput& input);

}  // namespace uc
