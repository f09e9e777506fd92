#pragma once
// Why: a step of an operator that couples elements is one expression over the rows of one domain: what stands
// inside its parentheses, the operator, and what follows it.
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"

namespace uc {

/// The step as a kernel over rows. Its first operator with a row expression says which elements meet; others
/// must go over the same rows.
class RowLowering {
 public:
  RowLowering(const Catalog& catalog, const Program& program, const Step& step, DiagSink& diags);

  /// The step holds an operator with a row expression, and only such and elementwise ones.
  static bool fits(const Program& program, const Step& step);

  /// Nothing after an error, or when the step is more than one kernel over rows, which is said as
  /// `not_emitted` of the operator in the way.
  std::optional<Rows> run(const std::vector<ValueId>& results);

 private:
  // How values of a shape lie over the rows' elements: `seen` is `logical` with the rank that broadcasts to
  // the domain's shape as it is meant, [C, 1, 1] of a weight [C].
  struct Frame {
    Shape logical;
    Shape seen;
    bool windowed = false;  ///< operand 0 of an operator over windows
    friend auto operator<=>(const Frame&, const Frame&) = default;
  };

  std::optional<RowDomain> domain_of(const Op& op) const;
  std::vector<Frame> frames_of(const Op& op) const;
  std::optional<Strides> strides(const Shape& shape, const Strides& from, const Frame& frame) const;
  Strides windowed_strides(const Strides& own) const;
  void limit(View& view, const Value& value, const Strides& own) const;
  std::optional<NodeId> node(ValueId value, const Frame& frame, const Op& user);
  std::optional<NodeId> made(ValueId value, const Frame& frame, const Op& op);
  std::optional<NodeId> elementwise(ValueId value, const Frame& frame, const Op& op);
  std::optional<NodeId> of_row(ValueId value, const Frame& frame, const Op& op);
  std::optional<NodeId> memory(ValueId value, const Frame& frame, const Op& user);
  bool store(ValueId value);
  void refuse(const Op& op);
  const Op* maker(ValueId value) const;

  const Catalog& catalog_;
  const Program& program_;
  const Step& step_;
  DiagSink& diags_;
  RowDomain domain_;
  Rows rows_;
  std::map<ValueId, const Op*> makers_;
  std::vector<Frame> frames_;  // those that values of the step may have, the whole domain's first
  std::map<std::pair<ValueId, Frame>, NodeId> nodes_;
  std::map<const Op*, std::vector<NodeId>> row_nodes_;
  std::optional<Diag> said_;
};

}  // namespace uc
