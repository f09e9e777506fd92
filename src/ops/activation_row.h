#pragma once
// Why: activations differ in a name, a formula and a default; this is the rest of their rows.
#include <span>

#include "catalog/scalar_builder.h"
#include "ops/support.h"

namespace uc::ops {

using Nodes = std::span<const NodeId>;
using ScalarRule = NodeId (*)(ScalarBuilder&, Nodes, const Attrs&);

/// What an activation row is made of. Integers become f32 unless `type` says otherwise.
struct Activation {
  std::string_view name;
  std::string_view summary;
  ScalarRule scalar;
  std::span<const AtenImport> aten;
  std::span<const std::string_view> examples;
  std::span<const ParamSpec> params = kUnary;
  OpSpec::ResultType type = OpSpec::ResultType::promoted_floating;
  bool (*infer)(InferContext&) = nullptr;
};

constexpr OpSpec row(const Activation& from) {
  OpSpec to;
  to.name = from.name;
  to.summary = from.summary;
  to.family = "pointwise";
  to.params = from.params;
  to.scalar = from.scalar;
  to.aten = from.aten;
  to.examples = from.examples;
  to.result_type = from.type;
  to.infer = from.infer;
  return to;
}

/// The scalar primitive of the same meaning.
template <Word Fn>
NodeId primitive(ScalarBuilder& b, Nodes in, const Attrs&) {
  return b.call(Fn.view(), {in[0]});
}

/// A number among the captured op's arguments, kept when it is not the default.
struct Number {
  size_t index;              ///< position in the captured op
  std::string_view keyword;  ///< its name there
  std::string_view attr;     ///< our parameter
  double fallback;
};

inline bool import_numbers(ImportContext& context, const GraphOp& op, std::string_view name,
                           std::span<const Number> numbers) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  for (const Number& number : numbers) {
    const double value = context.number(op, number.index, number.keyword).value_or(number.fallback);
    if (value != number.fallback) attrs.set(number.attr, value);
  }
  return finish(context, op, context.apply(name, {*x}, std::move(attrs)));
}

}  // namespace uc::ops
