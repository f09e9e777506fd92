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
  /// A name of a dimension, as a term; where absent none is.
  std::function<std::optional<SizeTerm>(std::string_view)> dim = {};
  const std::vector<int64_t>* chosen = nullptr;  ///< values of the dimensions
};

/// A reduction of one tensor: given several, it reduces each, one result an operand.
bool takes_several(const OpSpec& spec);

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
