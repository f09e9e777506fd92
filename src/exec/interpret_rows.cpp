#include "exec/interpret_rows.h"

#include <algorithm>
#include <cmath>
#include <list>

namespace uc {
namespace {

// Element `index` of the domain belongs to row `row_of[index]`, in which elements come in order.
std::vector<size_t> rows_of_elements(const Rows& rows) {
  const auto elements = static_cast<size_t>(numel(rows.domain));
  std::vector<size_t> out(elements, 0);
  for (size_t i = 0; i < elements; ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t row = 0;
    int64_t scale = 1;
    for (size_t d = rows.domain.size(); d-- > 0; rest /= rows.domain[d]) {
      if (std::ranges::find(rows.meet, d) != rows.meet.end()) continue;
      row += rest % rows.domain[d] * scale;
      scale *= rows.domain[d];
    }
    out[i] = static_cast<size_t>(row);
  }
  return out;
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

// The first of the greatest, a NaN before all.
template <class T>
bool before(T a, T b, bool greatest) {
  if (is_nan(b)) return false;
  return is_nan(a) || (greatest ? a > b : a < b);
}

template <class T>
T combine(Combine how, const std::vector<T>& row) {
  size_t best = 0;
  T total = how == Combine::product ? T{1} : T{0};
  for (size_t i = 0; i < row.size(); ++i) {
    if (how == Combine::sum) total += row[i];
    if (how == Combine::product) total *= row[i];
    const bool greatest = how == Combine::max || how == Combine::argmax;
    if (before(row[i], row[best], greatest)) best = i;
  }
  if (how == Combine::sum || how == Combine::product) return total;
  return gives_place(how) ? static_cast<T>(best) : row[best];
}

class Reducer {
 public:
  Reducer(const Rows& rows, std::span<const LeafData> views)
      : rows_(rows),
        scalar_(rows.body),
        leaves_(views.begin(), views.end()),
        row_of_(rows_of_elements(rows)) {}

  // Every `across` becomes a tensor of one element a row.
  const Scalar& run() {
    for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
      if (scalar_.nodes[i].kind == Node::Kind::across) replace(i);
    }
    return scalar_;
  }
  std::span<const LeafData> leaves() const { return leaves_; }

 private:
  void replace(size_t at) {
    Node& node = scalar_.nodes[at];
    const NodeId argument = node.args[0];
    const DType of = compute_type(scalar_.nodes[argument.index()].type);
    made_.push_back(HostTensor::zeros(of, rows_.domain));
    interpret(scalar_, rows_.domain, leaves_, nullptr, std::span(&argument, 1), std::span(&made_.back(), 1));
    HostTensor out = HostTensor::zeros(compute_type(node.type), rows_.domain);
    if (of == DType::i64) {
      fill<int64_t>(node, made_.back(), out);
    } else {
      fill<double>(node, made_.back(), out);
    }
    made_.push_back(std::move(out));
    leaves_.push_back({&made_.back(), row_major(rows_.domain), 0});
    node.kind = Node::Kind::tensor;
    node.arity = 0;
    node.view = static_cast<uint32_t>(leaves_.size() - 1);
  }

  template <class T>
  void fill(const Node& node, const HostTensor& from, HostTensor& out) const {
    const size_t count = node.of_rows ? 1 : static_cast<size_t>(rows_.count());
    std::vector<std::vector<T>> elements(count);
    std::vector<bool> seen(static_cast<size_t>(rows_.count()), false);
    for (size_t i = 0; i < row_of_.size(); ++i) {
      if (node.of_rows && seen[row_of_[i]]) continue;
      seen[row_of_[i]] = true;
      std::visit(
          [&](const auto& data) {
            elements[node.of_rows ? 0 : row_of_[i]].push_back(static_cast<T>(data[i]));
          },
          from.data);
    }
    std::vector<T> results;
    for (const auto& row : elements) results.push_back(row.empty() ? T{0} : combine(node.combine, row));
    for (size_t i = 0; i < row_of_.size(); ++i) {
      std::visit(
          [&](auto& data) {
            data[i] = static_cast<std::decay_t<decltype(data[i])>>(results[node.of_rows ? 0 : row_of_[i]]);
          },
          out.data);
    }
  }

  const Rows& rows_;
  Scalar scalar_;
  std::vector<LeafData> leaves_;
  std::vector<size_t> row_of_;
  std::list<HostTensor> made_;
};

}  // namespace

void interpret_rows(const Rows& rows, std::span<const LeafData> views, std::span<const NodeId> wanted,
                    std::span<HostTensor> out) {
  Reducer reducer(rows, views);
  const Scalar& scalar = reducer.run();
  interpret(scalar, rows.domain, reducer.leaves(), nullptr, wanted, out);
}

}  // namespace uc
