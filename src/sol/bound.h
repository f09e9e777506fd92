#pragma once
// Why: a bound looks at several programs that give the same results: as written, and simplified. This is one
// of them with what its operators compute and move, from which every bound, level and table is made.
#include <memory>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "sol/graph.h"
#include "sol/needs.h"
#include "sol/roofline.h"
#include "sol/sol.h"
#include "sol/work.h"

namespace uc::sol {

using Group = std::vector<OpId>;

/// Dense as written; what structure leaves to the direct algorithm; the least that any algorithm takes.
enum class Count : uint8_t { dense, minimum, least };

class Bound {
 public:
  /// `rules`: what led from the program as written to this one. Whatever Value::observed says is leant on.
  Bound(const Catalog& catalog, Program program, std::vector<SolRule> rules = {});
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  /// There is a simpler program with the same results: what copies may save is looked for there, where sums
  /// of products of them are products of matrices, and scalar work here counts as written.
  void supersede() { superseded_ = true; }

  const Program& program() const { return program_; }
  const Group& running() const { return running_; }
  bool runs(OpId id) const { return runs_[id.index()]; }
  const OpWork& work(OpId id) const { return work_[id.index()]; }
  const Memory& memory() const { return *memory_; }

  /// The whole program as one kernel.
  Demand whole(Count count, Math f32_math, Precision precision) const;
  Demand of(const Group& group, Count count, Math f32_math, Precision precision) const;
  /// The same with its traffic known.
  Demand demand(const Group& group, Count count, Math f32_math, const Traffic& traffic) const;
  /// Scalar work as written, or the least of it; FLOPs are both.
  SolWork work_of(const Group& group, const Traffic& traffic, Count count = Count::dense) const;
  SolWork whole_work(Precision precision, Count count = Count::dense) const;

  /// What made its work or its bytes less than as written: rewrites first.
  std::vector<SolRule> rules() const;
  std::vector<SolRule> rules_of(const Group& group) const;

 private:
  Holds holds(OpId id) const;
  void rules_of_bytes(OpId id, std::vector<SolRule>& out) const;

  const Catalog& catalog_;
  Program program_;
  std::vector<SolRule> rewrites_;
  bool superseded_ = false;
  Group running_;
  std::vector<bool> runs_;
  std::vector<OpWork> work_;  // one an operator
  std::unique_ptr<Needs> needs_;
  std::unique_ptr<Memory> memory_;
  Access access_;                              // of the whole
  mutable std::unique_ptr<Program> promised_;  // without what was observed; made when a rule asks
};

/// "gemm of `c`"
std::string where(const Program& program, OpId id);

/// True when some value carries what was seen in its data.
bool has_observed(const Program& program);
Program without_observed(Program program);

}  // namespace uc::sol
