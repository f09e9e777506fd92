#pragma once
// Why: a call's arguments to its operator's parameters, by position and by name.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/attrs.h"
#include "syntax/ast.h"

namespace uc {

/// Tensor arguments still as trees: the resolver makes values of them.
struct BoundCall {
  std::vector<const ast::Expr*> tensors;
  const ast::Expr* expression = nullptr;  ///< over `it`; the operand after the tensors
  Attrs attrs;
};

struct BindQuery {
  const OpSpec& spec;
  const ast::Call& call;
  bool fused = false;                              ///< the first tensor is the running value
  std::function<bool(std::string_view)> is_value;  ///< a name that denotes a value
};

/// Nothing after an error, which is in the sink.
std::optional<BoundCall> bind_args(const BindQuery& query, DiagSink& diags);

/// "gelu(x, approximate=none|tanh)": as shown in help.
std::string signature(const OpSpec& spec, bool fused);

/// The number that an expression of literals is ("-1", "1/3"), or nothing.
struct Constant {
  double value = 0;
  bool is_int = false;
};
std::optional<Constant> fold(const ast::Expr& expr);

}  // namespace uc
