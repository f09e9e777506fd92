#pragma once
// Why: an operator's settings that are not tensors.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ir/dims.h"
#include "ir/dtype.h"

namespace uc {

using AttrValue = std::variant<int64_t, double, bool, std::string, DType, std::vector<int64_t>>;

/// Few entries, kept in the order of the operator's parameters; absent means the parameter's default.
class Attrs {
 public:
  void set(std::string_view key, AttrValue value);
  const AttrValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  int64_t get_int(std::string_view key, int64_t otherwise) const;
  double get_float(std::string_view key, double otherwise) const;  ///< accepts integers
  bool get_bool(std::string_view key, bool otherwise) const;
  std::string get_word(std::string_view key, std::string_view otherwise) const;
  const std::vector<std::pair<std::string, AttrValue>>& entries() const { return entries_; }
  /// What `key`'s integers were written as, one term an integer, where a name of a dimension stood among
  /// them.
  void set_terms(std::string_view key, std::vector<SizeTerm> terms);
  const std::vector<SizeTerm>* terms(std::string_view key) const;
  friend bool operator==(const Attrs&, const Attrs&) = default;

 private:
  std::vector<std::pair<std::string, AttrValue>> entries_;
  std::vector<std::pair<std::string, std::vector<SizeTerm>>> terms_;
};

}  // namespace uc
