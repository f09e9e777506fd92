#pragma once
// Why: normalisations end alike: (x - mean) * scale, times a weight, plus a bias, where both may be absent.
#include <optional>
#include <string_view>
#include <vector>

#include "catalog/scalar_builder.h"
#include "ops/detail/dims.h"
#include "ops/detail/slices.h"

namespace uc::ops {

inline constexpr ParamSpec kWeight{"weight", ParamKind::tensor, {}, false, {}, "factors"};
inline constexpr ParamSpec kBias{"bias", ParamKind::tensor, {}, false, {}, "added last"};
inline constexpr ParamSpec kEps{"eps", ParamKind::number, "1e-5", false, {}, "added to the variance"};

/// The operand of parameter `name` while executing, or null when it was left out.
const HostTensor* operand_data(const Op& op, std::span<const HostTensor* const> in, std::string_view name);

/// False after an error when operand `name` is given and has not `shape`. `what` says whose extents those
/// are.
bool operand_fits(InferContext& context, std::string_view name, const Shape& shape, std::string_view what);

/// Weight and bias of a normalisation; at(i) of both is read by place.
class Affine {
 public:
  Affine(const Op& op, std::span<const HostTensor* const> in)
      : weight_(operand_data(op, in, "weight")), bias_(operand_data(op, in, "bias")) {}
  double operator()(double value, size_t place) const {
    const auto i = static_cast<int64_t>(place);
    if (weight_ != nullptr) value *= weight_->at(i);
    return bias_ == nullptr ? value : value + bias_->at(i);
  }

 private:
  const HostTensor* weight_;
  const HostTensor* bias_;
};

/// Weight and bias in a normalisation's row expression, where they are given.
NodeId scaled(ScalarBuilder& b, std::span<const NodeId> in, const Op& op, NodeId value);

/// Applies `name` to operands in the order of its operand parameters, absent ones left out (and listed where
/// one follows).
std::optional<ValueId> apply_given(ImportContext& context, std::string_view name,
                                   const std::vector<std::optional<ValueId>>& operands, Attrs attrs);

}  // namespace uc::ops
