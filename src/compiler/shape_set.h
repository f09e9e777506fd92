#pragma once
// Why: a program with named dimensions is compiled at the sizes that its callers have, each with its share of
// the calls.
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/pipeline.h"

namespace uc {

struct WeightedSizes {
  std::vector<int64_t> sizes;  ///< of the program's dimensions, in declaration order
  double share = 0;            ///< of the calls; all together 1
};

/// "m=1:.6,64:.3,4096:.1", several names one after the other: "m=1,64,n=8". Every combination, sizes of the
/// first name changing slowest; shares multiply. Without numbers after ":" shares are equal. Errors (exit
/// code 2): unknown, missing or repeated names, sizes outside of the range or step, shares that are not
/// positive.
Result<std::vector<WeightedSizes>> parse_shape_set(const Program& program, std::string_view text);

/// `program` with numbers in place of its dimensions, checked and chosen like a program written so. Knobs
/// that are automatic are chosen for these sizes.
Compiled compile_at(const Catalog& catalog, const Program& program, const std::vector<int64_t>& sizes,
                    const CompileOptions& options);

/// Microseconds of one call by the cost model, without what happens at load. Requires `compiled.ok()`.
double modelled_us(const Catalog& catalog, const Compiled& compiled, std::string_view device);

}  // namespace uc
