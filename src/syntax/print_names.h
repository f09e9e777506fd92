#pragma once
// Why: every value that text must refer to needs a name that is a name, its own, and means nothing else.
#include <set>
#include <string>
#include <vector>

#include "ir/program.h"

namespace uc::syntax {

class PrintNames {
 public:
  explicit PrintNames(const Program& program);

  /// Empty for a value inside an expression.
  const std::string& of(ValueId id) const { return names_[id.index()]; }
  /// The step stands where its value is used: a load step with one unnamed result, used once.
  bool is_inline(const Step& step) const;
  /// A value has this name, so that a word such as f16 would mean it.
  bool taken(std::string_view name) const { return taken_.contains(name); }

 private:
  void claim(ValueId id);
  const Program& program_;
  std::vector<std::string> names_;
  std::vector<size_t> uses_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace uc::syntax
