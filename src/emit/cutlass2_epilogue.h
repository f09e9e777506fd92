#pragma once
// Why: a CUTLASS 2 kernel's epilogue is one scalar expression over views with strides of their own
// (templates/uc_epilogue2.cuh); this writes the expression and says how each view is read or written.
#include <cstdint>
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"
#include "plan/gemm2_choices.h"

namespace uc {

class Gemm2Epilogue {
 public:
  /// `where`: how rows and columns of the result lie in its tensors, a type of the templates; empty: as those
  /// of a matrix.
  Gemm2Epilogue(const Contraction& kernel, const Gemm2Family& family, std::string where = {});

  /// One line on what no epilogue can hold, or empty.
  static std::string refuses(const Contraction& kernel);

  /// struct Expression, Loads and Stores.
  std::vector<cpp::Decl> declarations() const;
  /// Views that the expression reads, each once, in the order of its parameters.
  const std::vector<uint32_t>& loads() const { return loads_; }
  /// Visitor over Base, and Reduction when sums over parts of K are written first.
  std::vector<cpp::Decl> visitor(bool in_parts) const;

  /// The type in which, and the functor by whose width, warps exchange accumulators.
  cpp::Type exchanged(bool in_parts) const;
  cpp::Type output(bool in_parts) const;

 private:
  int64_t width(bool in_parts) const;
  int64_t width_of(uint32_t view) const;
  cpp::Type load(uint32_t view) const;
  cpp::Type store(uint32_t view) const;

  const Contraction& kernel_;
  bool tensor_;
  bool transposed_;
  std::string where_;
  std::vector<uint32_t> loads_;  ///< views that the expression reads, each once
};

}  // namespace uc
