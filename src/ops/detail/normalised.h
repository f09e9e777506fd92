#pragma once
// Why: every normalisation goes over slices and writes as many elements as it reads.
#include <cmath>

#include "ops/detail/affine.h"
#include "ops/detail/moments.h"
#include "ops/detail/slices.h"

namespace uc::ops {

/// y = of(row, slice) for every slice of `x`, written to the same places of `out`.
template <class Of>
void rewrite_slices(const HostTensor& x, const Slices& slices, HostTensor& out, Of of) {
  SliceReader reader(x, slices);
  for (size_t i = 0; i < slices.count(); ++i) {
    const Floats row = reader.floats(i);
    std::vector<double> made(row.begin(), row.end());
    of(made, i);
    for (size_t k = 0; k < made.size(); ++k) put(out, slices.at(i, k), made[k]);
  }
}

/// 1 / root, rounded as the compute type has it.
inline double inverse_root(double value, Compute compute) { return compute(1.0 / std::sqrt(compute(value))); }

/// (x - mean) / root of (variance + eps).
inline void standardise(std::vector<double>& row, Moments of, double eps, Compute compute) {
  const double scale = inverse_root(of.variance + eps, compute);
  for (double& value : row) value = (value - of.mean) * scale;
}

/// The same of a row of `count` elements as an expression, and what it is made of. The mean is a sum times
/// one over the count, and the variance one of squared differences: what plan/rows_stages.cpp makes one pass
/// of.
struct RowMoments {
  NodeId mean;
  NodeId apart;     ///< x - mean
  NodeId variance;  ///< biased
};
inline RowMoments row_moments(ScalarBuilder& b, NodeId x, double count) {
  const NodeId share = b.constant(1.0 / count);
  RowMoments out;
  out.mean = b.mul(b.across(Combine::sum, x), share);
  out.apart = b.sub(x, out.mean);
  out.variance = b.mul(b.across(Combine::sum, b.mul(out.apart, out.apart)), share);
  return out;
}
inline NodeId row_standardised(ScalarBuilder& b, const RowMoments& of, double eps) {
  return b.mul(of.apart, b.call("rsqrt", {b.add(of.variance, b.constant(eps))}));
}

/// Declares a result of the first operand's type, shape and order in memory.
inline bool result_like_x(InferContext& context) {
  const Value& x = context.in(0);
  context.result(x.dtype, x.shape, dense_like(x.shape, x.stride));
  return true;
}

/// The least that is known to do it, for bounds: one addition and one multiply-add an element for
/// the statistics (a multiply-add for the mean square), one to apply them, one for weight and bias.
template <int Statistics>
Work norm_work(const Program& program, const Op& op) {
  const bool scaled = operand(op, "weight") || operand(op, "bias");
  const int statistics = operand(op, "mean") ? 0 : Statistics;
  const auto elements = static_cast<double>(numel(program[op.in[0]].shape));
  return {.tensor_flops = 0, .fma_ops = (statistics + 1 + (scaled ? 1 : 0)) * elements, .special_ops = 0};
}

}  // namespace uc::ops
