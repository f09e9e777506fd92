#pragma once
// Why: the importer's side of ImportContext: captured arguments as values and attributes, one step an applied
// operator.
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "catalog/import_context.h"
#include "catalog/program_builder.h"
#include "ir/graph.h"

namespace uc {

class GraphContext final : public ImportContext {
 public:
  GraphContext(const Catalog& catalog, const Graph& graph, Program& program, DiagSink& diags);

  std::optional<ValueId> value(const GraphOp& op, size_t index) override;
  std::optional<std::vector<ValueId>> values(const GraphOp& op, size_t index) override;
  std::optional<int64_t> integer(const GraphOp& op, size_t index, std::string_view keyword) override;
  std::optional<double> number(const GraphOp& op, size_t index, std::string_view keyword) override;
  std::optional<std::string> word(const GraphOp& op, size_t index, std::string_view keyword) override;
  std::optional<std::vector<int64_t>> integers(const GraphOp& op, size_t index,
                                               std::string_view keyword) override;
  std::optional<DType> dtype(const GraphOp& op, size_t index, std::string_view keyword) override;
  ValueId literal(double value, bool is_int) override { return builder_.literal(value, is_int); }
  std::optional<ValueId> apply(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) override;
  std::vector<ValueId> apply_all(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) override;
  std::optional<ValueId> inside(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) override;
  void result(const GraphOp& op, size_t index, ValueId value) override;
  const Program& program() const override { return program_; }
  bool bounds_only() const override { return bounds_only_; }
  void set_bounds_only(bool only) { bounds_only_ = only; }

  /// Declares a tensor that the graph is given, under its own name or one near it.
  ValueId declare(ValueKind kind, GraphTensorId id);
  void bind(GraphTensorId id, ValueId value) { values_[id.index()] = value; }
  std::optional<ValueId> value_of(GraphTensorId id) const { return values_[id.index()]; }
  ProgramBuilder& builder() { return builder_; }

 private:
  std::optional<ValueId> value_of(const GraphArg& arg);
  const GraphArg* argument(const GraphOp& op, size_t index, std::string_view keyword) const;
  void release(const std::string& name);
  std::string fresh_name(const std::string& base);
  std::string free_name(std::string_view base);

  const Catalog& catalog_;
  const Graph& graph_;
  Program& program_;
  ProgramBuilder builder_;
  std::set<std::string, std::less<>>
      taken_words_;                             ///< operators, types, layouts: legal names that would mislead
  std::vector<std::optional<ValueId>> values_;  ///< one a graph tensor
  std::vector<OpId> inside_;                    ///< of the step that `apply` makes next
  std::unordered_set<std::string> names_;       ///< that values have
  std::unordered_map<std::string, int> next_;  ///< of a name that is taken: the first number to try behind it
  bool bounds_only_ = false;
};

}  // namespace uc
