#include "ops/detail/affine.h"

#include <fmt/format.h>

#include "catalog/diags_reduce.h"

namespace uc::ops {

const HostTensor* operand_data(const Op& op, std::span<const HostTensor* const> in, std::string_view name) {
  const auto at = operand(op, name);
  return at ? in[*at] : nullptr;
}

bool operand_fits(InferContext& context, std::string_view name, const Shape& shape, std::string_view what) {
  const auto at = operand(context.op(), name);
  if (!at || context.in(*at).shape == shape) return true;
  context
      .error(kinds::affine_shape,
             fmt::format("`{}` of `{}` is {}, and {} are {}", name, context.op().spec->name,
                         describe(context.in(*at)), what, to_text(shape)))
      .help = fmt::format("give it the shape {}", to_text(shape));
  return false;
}

NodeId scaled(ScalarBuilder& b, std::span<const NodeId> in, const Op& op, NodeId value) {
  if (const auto weight = operand(op, "weight")) value = b.mul(value, in[*weight]);
  if (const auto bias = operand(op, "bias")) value = b.add(value, in[*bias]);
  return value;
}

std::optional<ValueId> apply_given(ImportContext& context, std::string_view name,
                                   const std::vector<std::optional<ValueId>>& operands, Attrs attrs) {
  std::vector<ValueId> in;
  std::vector<int64_t> params;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    in.push_back(*operands[i]);
    params.push_back(static_cast<int64_t>(i));
  }
  const bool gap = !params.empty() && params.back() + 1 != static_cast<int64_t>(params.size());
  if (gap) attrs.set(kGiven, std::move(params));
  return context.apply(name, std::move(in), std::move(attrs));
}

}  // namespace uc::ops
