#pragma once
// Why: what rows of views share: lists among attributes, and example texts.
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/import_context.h"
#include "catalog/op_spec.h"
#include "ops/support.h"

/// A whole program with one view and a step that reads it.
#define UC_VIEW_EXAMPLE(step) "target sm_90a\ninput x: f32[64, 1, 128]\n" step "\ny = relu(v)\nreturn y\n"

namespace uc::ops {

using Dims = std::vector<int64_t>;

inline Dims list(const Attrs& attrs, std::string_view key, const Dims& otherwise = {}) {
  const AttrValue* value = attrs.find(key);
  return value == nullptr ? otherwise : std::get<Dims>(*value);
}

/// `count` elements of dimension `dim` from `start` on, `step` apart.
struct Range {
  int64_t start = 0;
  int64_t count = 0;
  int64_t step = 1;
};

/// Adds a view of the first operand with one dimension cut to a range.
inline void cut(InferContext& context, size_t dim, const Range& range) {
  const Value& x = context.in(0);
  Shape shape = x.shape;
  Strides stride = x.stride;
  shape[dim] = range.count;
  if (range.count > 1) stride[dim] *= range.step;
  context.view(0, std::move(shape), std::move(stride), x.offset + range.start * x.stride[dim]);
}

/// Applies an operator of one tensor with a list for an attribute.
inline std::optional<ValueId> with_list(ImportContext& context, std::string_view name, ValueId x,
                                        std::string_view key, Dims values) {
  Attrs attrs;
  attrs.set(key, std::move(values));
  return context.apply(name, {x}, std::move(attrs));
}

inline constexpr ParamSpec kShapeParams[] = {
    kX, {"shape", ParamKind::integers, {}, true, {}, "extents; one may be -1"}};

}  // namespace uc::ops
