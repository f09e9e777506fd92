#pragma once
// Why: kernels of our own that have a sum for an element, wherever it lies, all end in the same way: the
// chain is evaluated there by templates/uc_element.cuh, with any views, types and places.
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"

namespace uc {

class ElementEpilogue {
 public:
  /// The kernel outlives it.
  explicit ElementEpilogue(const Contraction& kernel);

  /// One line on what it cannot do; empty when it can all.
  static std::string refuses(const Contraction& kernel);
  /// The expression, and lists of what it reads, writes and combines: `Expression`, `Loads`, `Stores`,
  /// `Sums`.
  std::vector<cpp::Decl> declarations() const;
  /// What comes to it is of this C++ type.
  std::string accumulator() const;
  bool combines() const;

 private:
  cpp::Type load(uint32_t view) const;
  cpp::Type store(const Effect& effect) const;
  cpp::Type combined(const Effect& effect) const;
  cpp::Struct expression() const;

  const Contraction& kernel_;
  std::vector<uint32_t> loads_;
};

}  // namespace uc
