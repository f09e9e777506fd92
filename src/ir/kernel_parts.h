#pragma once
// Why: contractions, convolutions and attention are all sums of products with an epilogue, and much of what
// lowering and planning do with them is the same.
#include <optional>

#include "ir/kernel.h"

namespace uc {

/// How a sum of products multiplies; null of other kinds.
inline Math* math_of(Kernel& kernel) {
  if (auto* gemm = std::get_if<Contraction>(&kernel)) return &gemm->math;
  if (auto* conv = std::get_if<Convolution>(&kernel)) return &conv->math;
  auto* attention = std::get_if<Attention>(&kernel);
  return attention == nullptr ? nullptr : &attention->math;
}

inline const Math* math_of(const Kernel& kernel) {
  const auto* gemm = std::get_if<Contraction>(&kernel);
  const auto* conv = std::get_if<Convolution>(&kernel);
  return gemm != nullptr ? &gemm->math : conv != nullptr ? &conv->math : nullptr;
}

/// The type of sums; nothing of other kinds.
inline std::optional<DType> accumulate_of(const Kernel& kernel) {
  if (const auto* gemm = std::get_if<Contraction>(&kernel)) return gemm->accumulate;
  const auto* conv = std::get_if<Convolution>(&kernel);
  return conv == nullptr ? std::nullopt : std::optional(conv->accumulate);
}

/// Elements of A and B that share a factor, in a kernel whose factors differ along K.
struct ScaleBlocks {
  int64_t m, n, k;
};
inline std::optional<ScaleBlocks> scale_blocks_of(const Contraction& kernel) {
  if (!kernel.a_scale || !kernel.b_scale) return std::nullopt;
  return ScaleBlocks{kernel.m() / kernel.a_scale->shape[1], kernel.n() / kernel.b_scale->shape[1],
                     kernel.k() / kernel.a_scale->shape[2]};
}

/// The type of a sum's operands, which are of one. Requires a sum of products.
inline DType operand_type_of(const Kernel& kernel) {
  const auto* gemm = std::get_if<Contraction>(&kernel);
  if (gemm != nullptr) return gemm->a.dtype;
  const auto* conv = std::get_if<Convolution>(&kernel);
  return conv != nullptr ? conv->x.dtype : std::get<Attention>(kernel).q.dtype;
}

}  // namespace uc
