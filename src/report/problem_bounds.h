#pragma once
// Why: pictures of a whole suite need the bound of every problem in it, quickly.
#include <span>
#include <string>
#include <vector>

#include "platform/files.h"
#include "sol/sol.h"

namespace uc {

struct ProblemBound {
  /// Below the folder, without ".json" and "/problem.json": "level1/1_Square_matrix_multiplication_",
  /// "mlp_gelu".
  std::string path;
  std::string name;                ///< as captured
  std::string hash;                ///< of the capture's text: what stored runs know it by
  int64_t level = 0, id = 0;       ///< of KernelBench; 0: none
  std::vector<SolTime> certified;  ///< by the precisions asked for, in order; empty: see `missing`
  std::string missing;             ///< why there is no bound, one line
};

/// Certified bounds of every capture below `folder` on `device`, in natural order of their paths. Errors: no
/// such folder, no capture, a damaged one.
Result<std::vector<ProblemBound>> bound_captures(const Catalog& catalog, Files& files,
                                                 const std::string& folder, const DeviceSpec& device,
                                                 std::span<const Precision> precisions);

}  // namespace uc
