#pragma once
// Why: what is computed and then dropped need not be computed, and what is copied need not be computed twice.
// Both are shares of values: of their elements that some result needs, and of the numbers that they are made
// of.
#include <map>
#include <unordered_map>
#include <vector>

#include "ir/program.h"
#include "sol/work.h"

namespace uc::sol {

/// The part of a tensor that is needed at least: of each dimension a share of its indices, and of that box a
/// share of its elements.
struct Need {
  std::vector<double> dims;
  double inside = 1;
  double total() const;
};

class Needs {
 public:
  /// All must outlive it.
  Needs(const Program& program, const std::vector<OpId>& running, const std::vector<OpWork>& work);

  /// Share of an operator's work that its readers need.
  double share(OpId id) const { return share_[id.index()]; }
  /// Elements of operand `i` that are needed, at most those of its view.
  double elements(OpId id, size_t i) const;
  /// Numbers that a tensor is computed from, at most its elements: copies that broadcasting makes count once.
  double numbers(ValueId id) const;

 private:
  struct Reader {
    OpId op;
    size_t operand;
  };
  void forward(const std::vector<OpId>& running);
  void backward(OpId id);
  Need need_of(ValueId root) const;
  Need operand(OpId id, size_t i) const;
  double share_of(OpId id) const;
  Need in_root(ValueId view, const Need& need) const;

  const Program& program_;
  const std::vector<OpWork>& work_;
  std::unordered_map<size_t, std::vector<Reader>> readers_;    // of each root
  std::unordered_map<size_t, std::vector<ValueId>> returned_;  // of each root
  std::vector<double> numbers_;                                // one a value
  std::vector<double> share_;                                  // one an operator
  std::map<ValueId, Need> needs_;                              // of what running operators make
};

/// Lowers what each operator takes at least to what is needed of it, and to the numbers it works on.
void keep_needed(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                 std::vector<OpWork>& work);

}  // namespace uc::sol
