#pragma once
// Why: bounds count operators that run, and bytes by whose memory they are in; both are facts of the graph,
// not of the steps that it was written in.
#include <map>
#include <set>
#include <vector>

#include "ir/program.h"

namespace uc::sol {

/// Operators that run in every call and that some result needs, in order. Views and what depends on params
/// alone (it can be prepared when they are loaded) are left out.
std::vector<OpId> running_ops(const Program& program);

/// Bytes of distinct elements that a value names: broadcast dimensions once, less what its structure makes
/// zero or equal.
double distinct_bytes(const Value& value);

struct Traffic {
  double read = 0;
  double write = 0;
};

/// Memory that a group of operators reads from outside and writes for outside, each root's memory once.
class Memory {
 public:
  /// `precision` decides how narrow prepared f32 params can be stored.
  Memory(const Program& program, const std::vector<OpId>& running, Precision precision);

  Traffic traffic(const std::vector<OpId>& group) const;

  /// Bytes of the whole program as one kernel: what it reads of inputs and params, each result.
  Traffic whole() const;

 private:
  double source_bytes(const std::map<ValueId, double>& roots) const;
  double stored_bytes(ValueId id) const;
  std::map<ValueId, double> sources(const std::vector<OpId>& group) const;

  const Program& program_;
  const std::vector<OpId>& running_;
  Precision precision_;
  std::map<ValueId, std::set<OpId>> readers_;  // of each root, among the running operators
  std::set<ValueId> returned_;                 // roots
};

}  // namespace uc::sol
