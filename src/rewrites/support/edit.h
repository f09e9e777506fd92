#pragma once
// Why: what rewrites share: who reads a value, and how steps are inserted, removed and joined without
// breaking the ids. A rewritten program is printed and resolved again, so values and operators that no step
// names any more do no harm.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/program_builder.h"
#include "catalog/rewrite_spec.h"
#include "ir/program.h"

namespace uc::rewrites {

/// One place where a value is read.
struct Use {
  StepId step;
  OpId op;
  size_t operand = 0;
};

/// Every operand of every step's operators that is this very value (views of it are other values).
std::vector<Use> uses_of(const Program& program, ValueId value);

bool is_returned(const Program& program, ValueId value);

/// The step whose results hold the value, or none.
StepId step_of(const Program& program, ValueId value);

/// No `map(e1, e2)` and no call that gives several values: the chain goes on with one.
bool holds_one_value(const Step& step);

/// True for a step that runs a pointwise kernel in every call and gives one final value.
bool is_pointwise_step(const Program& program, const Step& step);

/// True for a step of a contraction operator.
bool is_contraction_step(const Program& program, const Step& step);

/// True for a step of a convolution.
bool is_conv_step(const Program& program, const Step& step);

/// True for a step of a contraction or convolution.
bool is_product_step(const Program& program, const Step& step);

/// True for a step of attention.
bool is_attention_step(const Program& program, const Step& step);

/// True for a step of an operator over rows: a reduction, a normalisation, a loss.
bool is_rows_step(const Program& program, const Step& step);

/// Fused calls of the step write memory (`store`).
bool has_stores(const Program& program, const Step& step);

/// The number that an operand is, or nothing.
std::optional<double> literal_of(const Program& program, ValueId value);

/// Operands of `op` that equal `from` become `to`.
void replace_operand(Program& program, OpId op, ValueId from, ValueId to);

/// A program being changed. Steps keep their order; ids of steps change when one is inserted or removed.
class Edit {
 public:
  Edit(const Catalog& catalog, const Program& program)
      : program_(program), builder_(catalog, program_, diags_) {}

  Program& program() { return program_; }
  ProgramBuilder& builder() { return builder_; }
  /// Appends an operator that no step has yet; its result. None when it does not fit.
  std::optional<ValueId> op(std::string_view name, std::vector<ValueId> in, Attrs attrs = {});
  /// A step with one operator, put before `before`; its results get fresh names from `base`. The value of
  /// each result.
  std::vector<ValueId> insert(StepId before, std::string_view name, std::vector<ValueId> in, Attrs attrs,
                              const std::vector<std::string>& names);
  void erase(StepId step);
  /// Types and shapes inferred anew after operands or attributes changed.
  void infer();
  /// The changed program, or `otherwise` when the change broke something.
  Program finish(const Program& otherwise);

 private:
  void take_prologue(Step& from, const std::vector<ValueId>& in, Step& into);
  void renumber();
  Program program_;
  DiagSink diags_;
  ProgramBuilder builder_;
};

/// Attributes with a type in them.
Attrs dtype_attr(DType type);

}  // namespace uc::rewrites
