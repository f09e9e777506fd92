#pragma once
// Why: the Scalar DAG as C++ statements: the same walk serves pointwise kernels and epilogue functors.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/scalar.h"

namespace uc {

/// How leaves and stores are spelled by the kernel around the expression.
struct ScalarSpelling {
  std::function<std::string(uint32_t view)> tensor;  ///< an expression of f32 (f64, int64_t) compute type
  std::string running = "acc";
  std::function<std::string(NodeId)> across = {};  ///< what met in a row
  NodeId given;                                    ///< a node whose value is `running` already; may be none
  /// Where the element lies, int64_t: the row among all `rows`, and the column among `columns`.
  std::string row, column;
  int64_t rows = 1, columns = 1;
  std::function<std::string(const Node&)> coordinate = {};  ///< instead of those four
  bool narrow =
      false;  ///< integers that surely fit are computed as int32_t: 64-bit ones take several instructions
};

/// One `const float vN = ...;` per node that `wanted` needs, in order. `name_of(node)` is `vN`.
std::vector<cpp::Statement> scalar_statements(const Scalar& scalar, const std::vector<NodeId>& wanted,
                                              const ScalarSpelling& spelling);
std::string name_of(NodeId node);

/// What values of this type are computed in: float, double or int64_t.
std::string_view compute_cpp(DType type);

/// The node of each effect, in order.
std::vector<NodeId> stored_nodes(const Scalar& scalar);

/// Views that what is stored reads, each once, in the order of the nodes.
std::vector<uint32_t> loaded_views(const Scalar& scalar);

/// The coordinate can be had of a row among all rows and of a column among `columns`.
bool has_place(const Node& coordinate, int64_t columns);

/// Which nodes the wanted ones need, themselves included, not looking behind `given` and behind what met in a
/// row; as long as scalar.nodes.
std::vector<bool> needed_by(const Scalar& scalar, const std::vector<NodeId>& wanted, NodeId given = {});

/// Empty when a call can be spelled in its compute type, else one line on why not.
std::string call_refuses(const Node& call);

/// C++ that rounds the f32 expression to `type` and comes back: `uc_round_f16(x)`.
std::string round_call(DType type, const std::string& expression);

}  // namespace uc
