#include "exec/interpret.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>
#include <vector>

#include "base/number.h"
#include "catalog/scalar_fn.h"

namespace uc {
namespace {

constexpr int64_t kBlock = 1024;

using Lanes = std::variant<std::vector<float>, std::vector<double>, std::vector<int64_t>>;

Lanes lanes_for(DType type) {
  const auto size = static_cast<size_t>(kBlock);
  switch (compute_type(type)) {
    case DType::f64: return std::vector<double>(size);
    case DType::i64: return std::vector<int64_t>(size);
    default: return std::vector<float>(size);
  }
}

template <class From>
void cast_lanes(DType type, const std::vector<From>& from, Lanes& to, size_t count) {
  std::visit(
      [&](auto& out) {
        using To = typename std::decay_t<decltype(out)>::value_type;
        for (size_t i = 0; i < count; ++i) {
          if constexpr (std::is_same_v<From, int64_t> && std::is_same_v<To, int64_t>) {
            out[i] = wrap_to(type, from[i]);
          } else if (type == DType::f64 || type == DType::f32) {
            out[i] = element_as<To>(from[i]);
          } else {
            out[i] = element_as<To>(round_to(type, static_cast<double>(from[i])));
          }
        }
      },
      to);
}

/// Walks elements [start, start + count) of the domain, a run along the last dimension at a time.
template <class Run>
void walk(const Shape& domain, int64_t start, int64_t count, const Run& run) {
  const int64_t last = domain.empty() ? 1 : domain.back();
  for (int64_t at = start; at < start + count;) {
    const int64_t column = at % last;
    const int64_t length = std::min(last - column, start + count - at);
    run(at, length);
    at += length;
  }
}

int64_t address(const Shape& domain, const LeafData& leaf, int64_t element) {
  int64_t at = leaf.offset;
  for (size_t d = domain.size(); d-- > 0; element /= domain[d]) at += element % domain[d] * leaf.stride[d];
  return at;
}

class Interpreter {
 public:
  Interpreter(const Scalar& scalar, const Shape& domain, std::span<const LeafData> views,
              const LeafData* running)
      : scalar_(scalar), domain_(domain), views_(views), running_(running) {
    for (const Node& node : scalar.nodes) lanes_.push_back(lanes_for(node.type));
  }

  void need(std::span<const NodeId> wanted) {
    needed_.assign(scalar_.nodes.size(), false);
    for (const NodeId id : wanted) needed_[id.index()] = true;
    for (size_t i = scalar_.nodes.size(); i-- > 0;) {
      const Node& node = scalar_.nodes[i];
      for (size_t k = 0; needed_[i] && k < node.arity; ++k) needed_[node.args[k].index()] = true;
    }
  }

  void block(int64_t start, int64_t count) {
    for (size_t i = 0; i < scalar_.nodes.size(); ++i) {
      if (needed_[i]) node(scalar_.nodes[i], lanes_[i], start, count);
    }
  }

  void write(NodeId id, int64_t start, int64_t count, HostTensor& out) const {
    std::visit(
        [&](const auto& from, auto& to) {
          using To = typename std::decay_t<decltype(to)>::value_type;
          for (int64_t i = 0; i < count; ++i)
            to[static_cast<size_t>(start + i)] = element_as<To>(from[static_cast<size_t>(i)]);
        },
        lanes_[id.index()], out.data);
  }

 private:
  void node(const Node& node, Lanes& lanes, int64_t start, int64_t count) {
    switch (node.kind) {
      case Node::Kind::running: return gather(*running_, lanes, start, count);
      case Node::Kind::across: return;  // its argument is of whole rows, a block is not
      case Node::Kind::tensor: return gather(views_[node.view], lanes, start, count);
      case Node::Kind::constant:
        return std::visit(
            [&](auto& out) {
              using T = typename std::decay_t<decltype(out)>::value_type;
              std::fill_n(out.begin(), count, element_as<T>(node.constant));
            },
            lanes);
      case Node::Kind::coordinate: {
        auto& out = std::get<std::vector<int64_t>>(lanes);
        for (int64_t i = 0; i < count; ++i)
          out[static_cast<size_t>(i)] = (start + i) / node.divisor % node.extent;
        return;
      }
      case Node::Kind::cast:
        return std::visit(
            [&](const auto& from) { cast_lanes(node.type, from, lanes, static_cast<size_t>(count)); },
            lanes_[node.args[0].index()]);
      case Node::Kind::call:
        return std::visit([&](auto& out) { call(node, out, static_cast<size_t>(count)); }, lanes);
    }
  }

  void gather(const LeafData& leaf, Lanes& lanes, int64_t start, int64_t count) const {
    std::visit(
        [&](const auto& from, auto& to) {
          using To = typename std::decay_t<decltype(to)>::value_type;
          const int64_t step = domain_.empty() ? 0 : leaf.stride.back();
          walk(domain_, start, count, [&](int64_t at, int64_t length) {
            int64_t source = address(domain_, leaf, at);
            // Windows over padding: what is beyond memory is never used.
            const auto edge = static_cast<int64_t>(from.size()) - 1;
            for (int64_t i = 0; i < length; ++i, source += step) {
              const int64_t inside = std::clamp<int64_t>(source, 0, std::max<int64_t>(edge, 0));
              to[static_cast<size_t>(at - start + i)] = element_as<To>(from[static_cast<size_t>(inside)]);
            }
          });
        },
        leaf.data->data, lanes);
  }

  /// An argument in the compute type of the call.
  template <class T>
  const T* argument(const Node& node, size_t index, std::array<std::vector<T>, 3>& scratch,
                    size_t count) const {
    return std::visit(
        [&](const auto& from) -> const T* {
          using From = typename std::decay_t<decltype(from)>::value_type;
          if constexpr (std::is_same_v<From, T>) {
            return from.data();
          } else {
            scratch[index].resize(count);
            std::transform(from.begin(), from.begin() + static_cast<int64_t>(count), scratch[index].begin(),
                           element_as<T, From>);
            return scratch[index].data();
          }
        },
        lanes_[node.args[index].index()]);
  }

  template <class T>
  void call(const Node& node, std::vector<T>& out, size_t count) const {
    std::array<std::vector<T>, 3> scratch;
    std::array<const T*, 3> args{};
    for (size_t k = 0; k < 3; ++k) args[k] = argument(node, k < node.arity ? k : 0, scratch, count);
    const auto fn = [&node] {
      if constexpr (std::is_same_v<T, float>)
        return node.fn->f32;
      else if constexpr (std::is_same_v<T, double>)
        return node.fn->f64;
      else
        return node.fn->i64;
    }();
    for (size_t i = 0; i < count; ++i) out[i] = fn(args[0][i], args[1][i], args[2][i]);
  }

  const Scalar& scalar_;
  const Shape& domain_;
  std::span<const LeafData> views_;
  const LeafData* running_;
  std::vector<Lanes> lanes_;
  std::vector<bool> needed_;
};

}  // namespace

int64_t wrap_to(DType type, int64_t value) {
  switch (type) {
    case DType::i8: return static_cast<int8_t>(value);
    case DType::u8: return static_cast<uint8_t>(value);
    case DType::i32: return static_cast<int32_t>(value);
    case DType::boolean: return value != 0 ? 1 : 0;
    default: return value;
  }
}

void round_to_dtype(HostTensor& tensor) {
  if (tensor.dtype == DType::f64 || tensor.dtype == DType::f32 || tensor.dtype == DType::i64) return;
  std::visit(
      [&tensor](auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        for (T& value : values) {
          if constexpr (std::is_same_v<T, int64_t>) {
            value = wrap_to(tensor.dtype, value);
          } else {
            value = static_cast<T>(round_to(tensor.dtype, static_cast<double>(value)));
          }
        }
      },
      tensor.data);
}

void interpret(const Scalar& scalar, const Shape& domain, std::span<const LeafData> views,
               const LeafData* running, std::span<const NodeId> wanted, std::span<HostTensor> out) {
  Interpreter interpreter(scalar, domain, views, running);
  interpreter.need(wanted);
  const int64_t total = numel(domain);
  for (int64_t start = 0; start < total; start += kBlock) {
    const int64_t count = std::min(kBlock, total - start);
    interpreter.block(start, count);
    for (size_t i = 0; i < wanted.size(); ++i) interpreter.write(wanted[i], start, count, out[i]);
  }
}

}  // namespace uc
