#pragma once
// Why: what a step computes element by element is one expression, whichever kernel holds it: the body of a
// map, or the epilogue of a contraction.
#include <map>
#include <optional>
#include <set>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"

namespace uc {

/// Says that an operator has a meaning and no kernel yet.
void say_not_emitted(DiagSink& diags, const Op& op);

/// The scalar DAG of one step: ops in order, operands as views that are read as if they had the domain's
/// shape.
class ScalarLowering {
 public:
  /// Whether the kernel knows where an element is; those of contractions do, and read views that step
  /// forwards alone.
  enum class Places : uint8_t { unknown, known, forwards };
  /// `logical` is the shape that the step's values broadcast to, `domain` the same elements as the kernel
  /// counts them.
  ScalarLowering(const Catalog& catalog, const Program& program, DiagSink& diags, Scalar& scalar,
                 Shape logical, Shape domain, Places places = Places::unknown);

  void bind(ValueId value, NodeId node) { nodes_[value] = node; }
  /// An elementwise op; of one with several results those that are wanted. False after an error, or where it
  /// stopped.
  bool op(OpId id, const std::set<ValueId>& wanted);
  bool store(ValueId value, NodeId node, Span span);
  std::optional<NodeId> result(ValueId value) const;
  /// The node of an operand: of the chain, a literal, or read from memory; nothing after an error.
  std::optional<NodeId> node_of(ValueId id, const Op& user);
  /// An op has a meaning and no kernel yet; what came before it stands.
  bool stopped() const { return stopped_; }

 private:
  bool reads_coordinates() const;
  bool output(const Op& op, size_t which);
  std::optional<NodeId> stored_node(ValueId id, const Op& user);
  std::optional<View> view_of(ValueId id, Span span);

  const Catalog& catalog_;
  const Program& program_;
  DiagSink& diags_;
  Scalar& scalar_;
  Shape logical_;
  Shape domain_;
  Places places_;
  bool stopped_ = false;
  std::map<ValueId, NodeId> nodes_;
};

}  // namespace uc
