#pragma once
// Why: a row-wise operator after `>>` (softmax, a norm, logsumexp) is part of a contraction's epilogue when
// what it needs are consecutive columns of the result; how many, and what it computes, is asked here.
#include <optional>
#include <set>

#include "catalog/catalog.h"
#include "check/scalar_lowering.h"
#include "ir/kernel.h"

namespace uc {

/// Columns of one row that meet in `op`, a call of the chain of a step whose main operator gives values of
/// the shape `result`: a divisor of its last extent; 0 when nothing meets (statistics are given). Nothing
/// when other elements meet, or `op` has no expression over rows.
std::optional<int64_t> epilogue_columns(const Program& program, const Op& op, const Shape& result);

/// The row-wise calls of a step's chain, and what follows on one value a row.
class RowsOfChain {
 public:
  RowsOfChain(const Catalog& catalog, const Program& program, const Step& step)
      : catalog_(catalog), program_(program), step_(step) {}

  /// A call whose row, or group of columns, meets in the epilogue of the step's contraction; all of one step
  /// are of as many columns.
  bool holds(OpId id) const;
  /// The first such call, or null.
  const Op* first() const;
  /// Adds what it computes to the epilogue and binds its results. False when an operand cannot be read, which
  /// is said, and when what meets is not combined in f32 (places of elements, integers).
  bool lower(OpId id, Contraction& kernel, ScalarLowering& lowering);
  /// An elementwise call can be part of the epilogue: of one value a row it reads nothing whose place would
  /// be counted in other dimensions.
  bool goes_on(const Op& op);
  /// One element a row, of elements that met.
  bool once(ValueId value) const { return once_.contains(value); }
  /// Stores such an element. False when its memory is no dense vector.
  bool store(ValueId value, NodeId node, Contraction& kernel) const;

 private:
  const Shape& result() const { return program_[program_[step_.main].out[0]].shape; }

  const Catalog& catalog_;
  const Program& program_;
  const Step& step_;
  std::set<ValueId> once_;
};

}  // namespace uc
