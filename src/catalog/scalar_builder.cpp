#include "catalog/scalar_builder.h"

#include <bit>
#include <cassert>

namespace uc {
namespace {

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.type == b.type && a.fn == b.fn && a.args == b.args && a.view == b.view &&
         a.divisor == b.divisor && a.extent == b.extent && a.combine == b.combine && a.of_rows == b.of_rows &&
         std::bit_cast<uint64_t>(a.constant) == std::bit_cast<uint64_t>(b.constant);
}

bool same(const View& a, const View& b) {
  return a.value == b.value && a.dtype == b.dtype && a.shape == b.shape && a.stride == b.stride &&
         a.offset == b.offset && a.least == b.least && a.most == b.most;
}

}  // namespace

NodeId ScalarBuilder::intern(Node node) {
  for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
    if (same(scalar_.nodes[i], node)) return NodeId(i);
  }
  scalar_.nodes.push_back(node);
  return NodeId(scalar_.nodes.size() - 1);
}

std::optional<double> ScalarBuilder::constant_value(NodeId node) const {
  const Node& found = scalar_.nodes[node.index()];
  return found.kind == Node::Kind::constant ? std::optional(found.constant) : std::nullopt;
}

NodeId ScalarBuilder::constant(double value) {
  Node node;
  node.kind = Node::Kind::constant;
  node.type = compute_;
  node.constant = value;
  return intern(node);
}

NodeId ScalarBuilder::coordinate(int64_t dim) {
  const auto rank = static_cast<int64_t>(shape_.size());
  const int64_t from_end = dim < 0 ? -dim : rank - dim;  // 1: the last dimension
  Node node;
  node.kind = Node::Kind::coordinate;
  node.type = DType::i64;
  if (from_end < 1 || from_end > rank) return constant(0);
  node.extent = shape_[static_cast<size_t>(rank - from_end)];
  for (size_t d = domain_.size() - static_cast<size_t>(from_end) + 1; d < domain_.size(); ++d)
    node.divisor *= domain_[d];
  return node.extent == 1 ? constant(0) : intern(node);
}

NodeId ScalarBuilder::running() {
  Node node;
  node.kind = Node::Kind::running;
  node.type = compute_;
  return intern(node);
}

NodeId ScalarBuilder::tensor(const View& view) {
  Node node;
  node.kind = Node::Kind::tensor;
  node.type = compute_;
  node.view = static_cast<uint32_t>(scalar_.views.size());
  for (size_t i = 0; i < scalar_.views.size(); ++i) {
    if (same(scalar_.views[i], view)) node.view = static_cast<uint32_t>(i);
  }
  if (node.view == scalar_.views.size()) scalar_.views.push_back(view);
  return intern(node);
}

NodeId ScalarBuilder::cast(NodeId argument, DType type) {
  Node node;
  node.kind = Node::Kind::cast;
  node.type = type;
  node.args[0] = argument;
  node.arity = 1;
  return intern(node);
}

NodeId ScalarBuilder::across(Combine how, NodeId argument) {
  Node node;
  node.kind = Node::Kind::across;
  node.type = gives_place(how) ? DType::i64 : compute_;
  node.combine = how;
  node.args[0] = argument;
  node.arity = 1;
  return intern(node);
}

NodeId ScalarBuilder::across_rows(Combine how, NodeId argument) {
  Node node = scalar_.nodes[across(how, argument).index()];
  node.of_rows = true;
  return intern(node);
}

NodeId ScalarBuilder::call(std::string_view fn, std::initializer_list<NodeId> args) {
  Node node;
  node.kind = Node::Kind::call;
  node.type = compute_;
  node.fn = catalog_.scalar(fn);
  assert(node.fn != nullptr && node.fn->arity == args.size());
  for (const NodeId arg : args) node.args[node.arity++] = arg;
  return intern(node);
}

}  // namespace uc
