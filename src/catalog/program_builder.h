#pragma once
// Why: the one way that programs grow: the resolver, the importer and rewrites all append ops through it, so
// that inference, precision flags and result types are computed in one place.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"

namespace uc {

class ProgramBuilder {
 public:
  ProgramBuilder(const Catalog& catalog, Program& program, DiagSink& diags)
      : catalog_(catalog), program_(program), diags_(diags) {}

  ValueId declare(ValueKind kind, std::string name, DType dtype, Shape shape, Strides stride, Span span = {});
  ValueId literal(double value, bool is_int, Span span = {});
  /// Appends an op (not yet in a step); runs its inference. Nothing after an error, which is in the sink.
  std::optional<OpId> op(const OpSpec& spec, std::vector<ValueId> in, Attrs attrs, Span span = {});
  /// Appends a step; op and value back references are set.
  StepId step(Step step);
  /// A fresh value name that no value has: base, base_2, base_3, ...
  std::string fresh_name(std::string_view base) const;

  const Catalog& catalog() const { return catalog_; }
  Program& program() { return program_; }
  DiagSink& diags() { return diags_; }

 private:
  const Catalog& catalog_;
  Program& program_;
  DiagSink& diags_;
};

/// Every op of the program inferred anew, in order: after a rewrite changed operands or attributes.
void reinfer(const Catalog& catalog, Program& program, DiagSink& diags);

}  // namespace uc
