#pragma once
// Why: losses differ in the terms that they make; what becomes of the terms is one thing.
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ops/detail/affine.h"
#include "ops/detail/reduction_row.h"

#define UC_LOSS_EXAMPLE(call) \
  "target sm_90a\ninput x: f32[16, 8]\ninput t: f32[16, 8]\ny = " call "\nreturn y\n"

namespace uc::ops {

inline constexpr ParamSpec kReduction{"reduction", ParamKind::word, "mean",
                                      false,       "mean|sum|none", "what becomes of the terms"};
inline constexpr ParamSpec kTarget{"target", ParamKind::tensor, {}, true, {}, "what x should be"};

/// Declares the result of a loss whose terms have `shape`: a number, or the terms.
void loss_result(InferContext& context, DType type, Shape shape);

/// False after an error unless attribute `name` is above zero.
bool positive(InferContext& context, std::string_view name, double otherwise);

/// Writes the terms, their sum or their mean (over `count` where given) to `out`.
void settle(const Op& op, const std::vector<double>& terms, HostTensor& out, double count = 0);

/// Elementwise losses: operands broadcast; floating.
bool infer_elementwise_loss(InferContext& context);

/// Terms of an elementwise loss of two tensors.
std::vector<double> terms_of(const HostTensor& x, const HostTensor& target,
                             const std::function<double(double, double)>& term);

/// All terms meet; each is a result of its own with reduction=none, and the last dimension is as good as any.
RowDomain elementwise_loss_domain(const Program& program, const Op& op);

/// What becomes of terms, one an element: themselves, their sum or mean (over `count` where given).
NodeId settled(ScalarBuilder& b, const Program& program, const Op& op, NodeId term, double count = 0);
/// The same of terms that are one a row, of `count` rows.
NodeId settled_rows(ScalarBuilder& b, const Op& op, NodeId term, double count);

/// A loss of two operands whose term is `Term(builder, x, target, attrs)`.
template <NodeId (*Term)(ScalarBuilder&, NodeId, NodeId, const Attrs&)>
std::vector<NodeId> row_loss(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  return {settled(b, program, op, Term(b, in[0], in[1], op.attrs))};
}

/// torch's numbers for `reduction`: 0 none, 1 mean, 2 sum. Nothing for others.
bool set_reduction(Attrs& attrs, int64_t reduction);

}  // namespace uc::ops
