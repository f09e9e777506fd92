#pragma once
// Why: what is computed and then dropped need not be computed, and what is copied need not be computed twice.
// Followed by place from the results backwards: which slices, rows and triangles of each value some result
// needs. What an operator needs for a part of its result its row says (OpSpec::needs).
#include <span>
#include <unordered_map>
#include <vector>

#include "catalog/part.h"
#include "ir/program.h"
#include "sol/work.h"

namespace uc::sol {

/// What is needed of a tensor at least: all of it, or parts that may overlap.
struct Need {
  bool whole = true;
  std::vector<Part> parts;  ///< when not whole
  double share = 1;         ///< of the tensor's elements: no less than any of the parts
};

class Needs {
 public:
  struct Reader {
    OpId op;
    size_t operand;
  };

  /// All must outlive it.
  Needs(const Program& program, const std::vector<OpId>& running, const std::vector<OpWork>& work);

  /// Share of an operator's work that its readers need.
  double share(OpId id) const { return share_[id.index()]; }
  /// Of `flops` of an operator, what its readers need: by place, where its work is not spread evenly.
  double flops(OpId id, double flops) const;
  /// What is needed of what an operator makes. Whole for results of operators that do not run.
  const Need& need(ValueId made) const;
  /// Elements of `root` that these operators need together; of structured ones those that carry information.
  double elements(ValueId root, std::span<const Reader> readers) const;
  /// Numbers that a tensor is computed from, at most its elements: copies that broadcasting makes count once.
  double numbers(ValueId id) const;

 private:
  void forward(const std::vector<OpId>& running);
  void backward(OpId id);
  Need united(ValueId root, std::span<const Reader> readers, std::span<const ValueId> returned) const;
  Need operand(OpId id, size_t i) const;
  std::vector<Part> parts_of(OpId id, size_t i, size_t result) const;
  double share_of(OpId id) const;

  const Program& program_;
  const std::vector<OpWork>& work_;
  std::unordered_map<size_t, std::vector<Reader>> readers_;    // of each root
  std::unordered_map<size_t, std::vector<ValueId>> returned_;  // of each root
  std::vector<double> numbers_;                                // one a value
  std::vector<double> share_;                                  // one an operator
  std::vector<Need> made_;                                     // one a value
  std::vector<std::vector<Need>> operands_;                    // one an operator and operand
};

/// Lowers what each operator takes at least to what is needed of it.
void keep_needed(const std::vector<OpId>& running, const Needs& needs, std::vector<OpWork>& work);

/// Lowers it to the numbers that it works on: copies count once.
void count_copies_once(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                       std::vector<OpWork>& work);

}  // namespace uc::sol
