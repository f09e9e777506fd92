#pragma once
// Why: a library of one choice of kernels that serves many sizes: its tables hold formulas of the named
// dimensions. They are found from the tables at several sizes, and tried at others.
#include <vector>

#include "base/result.h"
#include "compiler/emission.h"
#include "compiler/size_probe.h"
#include "emit/size_formula.h"
#include "plan/buffers.h"

namespace uc {

struct SizedProgram {
  EmittedProgram program;
  std::vector<SizeRange> serves;      ///< a range a dimension
  std::vector<SizeFormula> formulas;  ///< in place of the tables' numbers (glue_numbers)
  BufferPlan places;                  ///< those of the largest sizes served
};

/// The workspace's places are those of the largest sizes served, so that nothing overlaps at smaller ones.
/// Where no formulas are found the library serves the chosen sizes alone.
Result<SizedProgram> emit_sized(const Catalog& catalog, SizeProbe& probe);

}  // namespace uc
