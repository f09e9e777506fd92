#include "emit/scalar_cpp.h"

#include <algorithm>
#include <fmt/args.h>
#include <fmt/format.h>
#include <optional>

#include "base/number.h"
#include "base/text.h"
#include "catalog/scalar_fn.h"

namespace uc {
namespace {

constexpr int64_t kNarrow = 1 << 30;  // sizes below it are computed in int32_t

// Which nodes are integers that int32_t holds, and all that they are made of.
std::vector<bool> narrow_nodes(const Scalar& scalar) {
  std::vector<std::optional<IntRange>> ranges(scalar.nodes.size());
  const auto fits = [](IntRange range) { return range.low > -kNarrow && range.high < kNarrow; };
  for (size_t i = 0; i < scalar.nodes.size(); ++i) {
    const Node& node = scalar.nodes[i];
    std::optional<IntRange> range;
    if (node.kind == Node::Kind::coordinate) range = IntRange{0, node.extent - 1};
    if (node.kind == Node::Kind::constant && compute_type(node.type) == DType::i64)
      range = IntRange{to_integer(node.constant), to_integer(node.constant)};
    if (node.kind == Node::Kind::call && node.fn->range != nullptr && compute_type(node.type) == DType::i64) {
      const auto& first = ranges[node.args[0].index()];
      const auto& second = ranges[node.args[node.arity > 1 ? 1 : 0].index()];
      if (first && second) range = node.fn->range(*first, *second);
    }
    if (range && fits(*range)) ranges[i] = range;
  }
  std::vector<bool> out;
  for (const auto& range : ranges) out.push_back(range.has_value());
  return out;
}

// A DAG with the C++ type of each node.
struct Typed {
  const Scalar& scalar;
  std::vector<bool> narrow;

  Typed(const Scalar& of, bool narrows) : scalar(of), narrow(of.nodes.size(), false) {
    if (narrows) narrow = narrow_nodes(of);
  }
  std::string_view type(NodeId id) const {
    return narrow[id.index()] ? "int32_t" : compute_cpp(scalar.nodes[id.index()].type);
  }
};

std::string constant(const Typed& typed, NodeId id) {
  const Node& node = typed.scalar.nodes[id.index()];
  if (node.type == DType::i64) return fmt::format("{}({})", typed.type(id), to_integer(node.constant));
  if (node.type == DType::f64) return shortest_float(node.constant);
  return cpp::float_literal(node.constant);
}

// An argument in the type that the node that uses it computes in.
std::string argument(const Typed& typed, NodeId user, size_t index) {
  const Node& node = typed.scalar.nodes[user.index()];
  const NodeId id = node.args[index];
  return typed.type(id) == typed.type(user) || (node.fn->chooses && index == 0)
             ? name_of(id)
             : fmt::format("{}({})", typed.type(user), name_of(id));
}

std::string call(const Typed& typed, NodeId id) {
  const Node& node = typed.scalar.nodes[id.index()];
  fmt::dynamic_format_arg_store<fmt::format_context> args;
  for (size_t i = 0; i < node.arity; ++i) args.push_back(argument(typed, id, i));
  return fmt::vformat(node.fn->cuda, args);
}

// Rows are counted through all dimensions before the last one.
std::string coordinate(const Node& node, const ScalarSpelling& spelling) {
  if (node.divisor == 1 && node.extent == spelling.columns)
    return fmt::format("int64_t({})", spelling.column);
  const int64_t rows = node.divisor / spelling.columns;
  const std::string row = rows == 1 ? spelling.row : fmt::format("uc_divide({}, {})", spelling.row, rows);
  return rows * node.extent >= spelling.rows ? row : fmt::format("{} % {}", row, node.extent);
}

}  // namespace

std::string_view compute_cpp(DType type) {
  switch (compute_type(type)) {
    case DType::f64: return "double";
    case DType::i64: return "int64_t";
    default: return "float";
  }
}

std::vector<NodeId> stored_nodes(const Scalar& scalar) {
  std::vector<NodeId> out;
  for (const Effect& effect : scalar.effects) out.push_back(effect.node);
  return out;
}

std::vector<uint32_t> loaded_views(const Scalar& scalar) {
  std::vector<uint32_t> out;
  const std::vector<bool> needed = needed_by(scalar, stored_nodes(scalar));
  for (size_t i = 0; i < scalar.nodes.size(); ++i) {
    const Node& node = scalar.nodes[i];
    if (!needed[i] || node.kind != Node::Kind::tensor) continue;
    if (std::ranges::find(out, node.view) == out.end()) out.push_back(node.view);
  }
  return out;
}

bool has_place(const Node& coordinate, int64_t columns) {
  return (coordinate.divisor == 1 && coordinate.extent == columns) || coordinate.divisor % columns == 0;
}

std::string call_refuses(const Node& node) {
  const DType type = compute_type(node.type);
  if (type == DType::i64 && (node.fn->i64 == nullptr || node.fn->name == "floor"))
    return fmt::format("`{}` is not computed in integers", node.fn->name);
  if (type == DType::f64 && node.fn->f64 == nullptr)
    return fmt::format("`{}` is not computed in f64", node.fn->name);
  return {};
}

std::string name_of(NodeId node) { return fmt::format("v{}", node.index()); }

std::string round_call(DType type, const std::string& expression) {
  if (compute_type(type) == type) return expression;
  return fmt::format("uc_round_{}({})", name(type), expression);
}

std::vector<bool> needed_by(const Scalar& scalar, const std::vector<NodeId>& wanted, NodeId given) {
  std::vector<bool> needed(scalar.nodes.size(), false);
  for (const NodeId id : wanted) needed[id.index()] = true;
  for (size_t i = scalar.nodes.size(); i-- > 0;) {
    if (!needed[i] || NodeId(i) == given || scalar.nodes[i].kind == Node::Kind::across) continue;
    for (size_t k = 0; k < scalar.nodes[i].arity; ++k) needed[scalar.nodes[i].args[k].index()] = true;
  }
  return needed;
}

std::vector<cpp::Statement> scalar_statements(const Scalar& scalar, const std::vector<NodeId>& wanted,
                                              const ScalarSpelling& spelling) {
  const std::vector<bool> needed = needed_by(scalar, wanted, spelling.given);
  const Typed typed(scalar, spelling.narrow);
  std::vector<cpp::Statement> out;
  for (size_t i = 0; i < scalar.nodes.size(); ++i) {
    if (!needed[i]) continue;
    const Node& node = scalar.nodes[i];
    std::string text;
    if (NodeId(i) == spelling.given) {
      out.push_back(cpp::line(
          fmt::format("const {} {} = {}", typed.type(NodeId(i)), name_of(NodeId(i)), spelling.running)));
      continue;
    }
    switch (node.kind) {
      case Node::Kind::running: text = spelling.running; break;
      case Node::Kind::across: text = spelling.across(NodeId(i)); break;
      case Node::Kind::tensor: text = spelling.tensor(node.view); break;
      case Node::Kind::constant: text = constant(typed, NodeId(i)); break;
      case Node::Kind::coordinate:
        text = spelling.coordinate ? spelling.coordinate(node) : coordinate(node, spelling);
        if (typed.narrow[i]) text = fmt::format("int32_t({})", text);
        break;
      case Node::Kind::cast: text = round_call(node.type, name_of(node.args[0])); break;
      case Node::Kind::call: text = call(typed, NodeId(i)); break;
    }
    out.push_back(
        cpp::line(fmt::format("const {} {} = {}", typed.type(NodeId(i)), name_of(NodeId(i)), text)));
  }
  return out;
}

}  // namespace uc
