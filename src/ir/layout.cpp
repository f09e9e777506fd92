#include "ir/layout.h"

#include <array>

namespace uc {
namespace {

constexpr std::array<std::string_view, 6> kNames{"row", "col", "nwc", "nhwc", "ndhwc", "nchw"};
constexpr std::array<std::string_view, 5> kStructures{"diag", "lower", "upper", "symmetric", "positive"};

// Channels (logical dimension 1) fastest, the others in order.
Strides channels_last(const Shape& shape) {
  Shape moved;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 1) moved.push_back(shape[i]);
  }
  moved.push_back(shape[1]);
  Strides dense = row_major(moved);
  Strides out;
  for (size_t i = 0, from = 0; i < shape.size(); ++i) out.push_back(i == 1 ? dense.back() : dense[from++]);
  return out;
}

}  // namespace

std::span<const std::string_view> structure_names() { return kStructures; }

std::span<const std::string_view> layout_names() { return kNames; }

std::optional<Strides> layout_strides(std::string_view layout, const Shape& shape) {
  if (layout == "row") return row_major(shape);
  if (layout == "col") return shape.size() < 2 ? std::nullopt : std::optional(col_major(shape));
  if (layout == "nchw") return shape.size() == 4 ? std::optional(row_major(shape)) : std::nullopt;
  const size_t rank = layout == "nwc" ? 3 : layout == "nhwc" ? 4 : layout == "ndhwc" ? 5 : 0;
  return rank == 0 || rank != shape.size() ? std::nullopt : std::optional(channels_last(shape));
}

std::string_view layout_of(const Shape& shape, const Strides& stride) {
  for (const std::string_view layout : kNames) {
    if (layout_strides(layout, shape) == stride) return layout;
  }
  return {};
}

}  // namespace uc
