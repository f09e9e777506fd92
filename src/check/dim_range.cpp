#include "check/dim_range.h"

#include <fmt/format.h>

#include "syntax/diags.h"

namespace uc {

bool check_dim_range(const ast::Dim& dim, DiagSink& diags) {
  const int64_t step = dim.step.value_or(1);
  if (dim.low < 1 || dim.high < dim.low || step < 1) {
    diags
        .add(kinds::dim_form, dim.span,
             fmt::format("the range {}..{} step {} holds no size", dim.low, dim.high, step))
        .help = "the least size is at least 1 and at most the greatest; the step is at least 1";
    return false;
  }
  if (dim.high / step * step >= dim.low) return true;
  diags
      .add(kinds::dim_form, dim.span,
           fmt::format("no multiple of {} lies in {}..{}", step, dim.low, dim.high))
      .help = "sizes are the multiples of the step in the range";
  return false;
}

}  // namespace uc
