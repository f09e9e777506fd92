#pragma once
// Why: a caller brings any size of a range. A few choices of kernels, each for the sizes that it serves, and
// an order among them for each region of sizes, make one entry that is fast where it matters and right
// everywhere.
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emission.h"
#include "compiler/shape_set.h"
#include "compiler/size_probe.h"

namespace uc {

/// One choice of kernels, and a library of it.
struct SizeClass {
  std::vector<int64_t> sizes;     ///< that it was chosen for
  std::vector<SizeRange> serves;  ///< a range a dimension
  Compiled compiled;              ///< at `sizes`
  EmittedProgram emitted;         ///< for all sizes that it serves
};

/// Sizes of each dimension at which classes were put in order; between them the nearest in ratio counts.
struct SizeOrder {
  SizeGrid grid;
  std::vector<std::vector<size_t>> best;  ///< a point of the grid: all classes, modelled fastest first
};

struct SizeClasses {
  std::vector<SizeClass> classes;  ///< those of listed sizes first
  std::vector<size_t> of_listed;   ///< a listed choice of sizes: its class
  SizeOrder order;
  std::vector<std::vector<int64_t>> unserved;  ///< sizes that were tried and that no class serves
};

/// Classes for the listed sizes, and others until sizes all over the ranges are served. Errors: more than
/// three named dimensions, params whose sizes have names, a listed choice that is refused (its findings in
/// `diags`).
Result<SizeClasses> find_size_classes(const Catalog& catalog, const Program& program,
                                      const std::vector<WeightedSizes>& listed, const CompileOptions& options,
                                      std::vector<std::pair<std::vector<int64_t>, DiagSink>>& diags);

}  // namespace uc
