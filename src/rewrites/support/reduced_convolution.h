#pragma once
// Why: a sum of a convolution over places needs, for each element of a window, only the sum of what it meets:
// all of the input but for some rows at the borders.
#include <optional>
#include <string_view>

#include "rewrites/support/rule.h"

namespace uc::rewrites {

/// A convolution as its row has it, one number a spatial dimension.
struct Window {
  bool transposed = false;
  size_t spatial = 0;  ///< dimensions
  std::vector<int64_t> stride, padding, dilation, output_padding;
  int64_t groups = 1;
};
/// None for `padding=same`.
std::optional<Window> window_of(const Simplifier& s, const Op& op);
Attrs window_attrs(const Window& window);

/// The reduction `name` ("sum" or "mean") of the convolution `op` over `dims` of its result, kept as extents
/// of 1: exact at padded and cropped borders. Nothing when no operand can be reduced.
std::optional<ValueId> reduced_convolution(Simplifier& s, const Op& op, std::string_view name,
                                           const DimSet& dims);

/// `x` between two indices of one dimension; x itself for all of it.
std::optional<ValueId> sliced(Simplifier& s, ValueId x, size_t dim, int64_t start, int64_t end,
                              int64_t step = 1);

}  // namespace uc::rewrites
