#pragma once
// Why: op rows write their meaning as an expression; equal subexpressions become one node.
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "catalog/catalog.h"
#include "ir/scalar.h"

namespace uc {

class ScalarBuilder {
 public:
  /// `compute` is the type that arithmetic happens in: f32, f64 or i64.
  /// `shape` is that of the op's result, which broadcasts to `domain`: what coordinates are counted in.
  ScalarBuilder(const Catalog& catalog, Scalar& into, DType compute, Shape shape = {}, Shape domain = {})
      : catalog_(catalog),
        scalar_(into),
        compute_(compute),
        shape_(std::move(shape)),
        domain_(std::move(domain)) {}

  DType compute() const { return compute_; }
  /// The value of a node that is a constant: rows simplify `x ** 2` and division by a constant.
  std::optional<double> constant_value(NodeId node) const;
  NodeId constant(double value);
  /// The element's index along dimension `dim` of the op's result, from 0, or from -1 at the end.
  NodeId coordinate(int64_t dim);
  /// The same expression, continued in i64: exact where coordinates are compared.
  ScalarBuilder whole() const { return {catalog_, scalar_, DType::i64, shape_, domain_}; }
  NodeId running();
  NodeId tensor(const View& view);
  NodeId cast(NodeId node, DType type);
  /// `node` of all elements that meet in a row, combined. Places (argmax, argmin) are i64.
  NodeId across(Combine how, NodeId node);
  /// `node`, the same along a row, of all rows combined.
  NodeId across_rows(Combine how, NodeId node);
  /// `fn` names a ScalarFn row.
  NodeId call(std::string_view fn, std::initializer_list<NodeId> args);

  NodeId add(NodeId a, NodeId b) { return call("add", {a, b}); }
  NodeId sub(NodeId a, NodeId b) { return call("sub", {a, b}); }
  NodeId mul(NodeId a, NodeId b) { return call("mul", {a, b}); }
  NodeId div(NodeId a, NodeId b) { return call("div", {a, b}); }
  NodeId minimum(NodeId a, NodeId b) { return call("minimum", {a, b}); }
  NodeId maximum(NodeId a, NodeId b) { return call("maximum", {a, b}); }
  NodeId select(NodeId condition, NodeId yes, NodeId no) { return call("select", {condition, yes, no}); }

 private:
  NodeId intern(Node node);
  const Catalog& catalog_;
  Scalar& scalar_;
  DType compute_;
  Shape shape_, domain_;
};

}  // namespace uc
