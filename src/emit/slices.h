#pragma once
// Why: a kernel whose blocks share K stores what they add up, and functions of ours then add that and carry
// out the epilogue (templates/uc_slices.cuh). Every such kernel is made in the same way: its first part is a
// kernel of slice_product.
#include <string>
#include <vector>

#include "emit/element_epilogue.h"
#include "emit/emitted.h"

namespace uc {

class SliceSum {
 public:
  /// `tile`: elements of K that a slice is made of whole numbers of. `overlap`: the functions may start
  /// early, and wait.
  SliceSum(const Contraction& kernel, int64_t tile, bool overlap)
      : epilogue_(kernel), views_(kernel.epilogue.views.size()), tile_(tile), overlap_(overlap) {}

  /// Device functions after the first: one, or two when the epilogue combines rows or columns.
  int parts() const { return epilogue_.combines() ? 2 : 1; }
  /// Adds them to the device half of a part whose host functions begin with `inner`, and the host functions
  /// of the whole.
  EmittedKernel around(EmittedKernel product, const std::string& inner) const;

 private:
  std::string device() const;
  std::string host(const std::string& inner) const;

  ElementEpilogue epilogue_;
  size_t views_;
  int64_t tile_;
  bool overlap_;
};

}  // namespace uc
