#pragma once
// Why: a convolution as an implicit GEMM chooses its tile, is modelled and answers to rules like the product
// of matrices that it stands for, so that product is made here, once for all who ask.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/kernel.h"

namespace uc {

/// M counts the pixels of all images, N the channels of a group, K the taps and within each the channels of a
/// group; batches are groups and, of a transposed convolution, of each its classes: the results that meet the
/// same taps, as many as its strides multiply to. Both operands have K contiguous. Strides along M, and of
/// operands along M and N, are the largest number that divides every step, so that alignment can be asked as
/// of any contraction (an operand whose channels are not contiguous is aligned to single elements); no memory
/// is found by them.
Contraction conv_product(const Convolution& kernel);

/// The product of a launch of either kind, as plan and rules see it; nothing of other kinds.
class Product {
 public:
  explicit Product(const Launch& launch);
  explicit Product(Contraction made) : made_(std::move(made)), kernel_(&*made_) {}
  explicit operator bool() const { return kernel_ != nullptr; }
  const Contraction& operator*() const { return *kernel_; }
  const Contraction* operator->() const { return kernel_; }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

 private:
  std::optional<Contraction> made_;
  const Contraction* kernel_ = nullptr;
};

size_t spatial_rank(const Convolution& kernel);

/// Of each dimension, the classes of results (1 unless transposed).
std::vector<int64_t> conv_classes(const Convolution& kernel);

/// Pixels lie one behind another in every tensor of the epilogue: one stride leads from each to the next.
bool pixels_in_line(const Convolution& kernel);

/// The epilogue of CUTLASS 3 finds elements pixel by pixel: pixels or channels of a tensor do not lie one
/// behind another, or results fall into classes.
bool placed_by_pixels(const Convolution& kernel);

/// The product as CUTLASS 3 sees it: what its epilogue finds pixel by pixel has no strides that alignment or
/// layout could be asked of, and stands there as dense.
Contraction conv3_product(const Convolution& kernel);

/// What the operands take of memory, each element once, and none that strides pass over. Bytes.
double conv_operand_bytes(const Convolution& kernel);

}  // namespace uc
