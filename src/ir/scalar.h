#pragma once
// Why: one expression DAG serves pointwise kernels, prologues and epilogues. The executor interprets it, the
// cost model counts it, every emitter walks it in order. Casts are nodes, so rounding is explicit.
#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "ir/dtype.h"
#include "ir/shape.h"

namespace uc {

struct ScalarFn;  // catalog row
struct NodeTag;
struct ValueTag;
using NodeId = Id<NodeTag>;
using ValueId = Id<ValueTag>;

/// A tensor as a kernel reads or writes it: a value's memory with its own shape and strides (elements).
struct View {
  ValueId value;  ///< whose memory
  DType dtype{};
  Shape shape;
  Strides stride;      ///< 0 where broadcast
  int64_t offset = 0;  ///< elements from the start of the memory
  /// Of a view under a window, which may lie over padding: the elements from `offset` that are in memory.
  /// What is beyond is never used, and read from an edge.
  int64_t least = INT64_MIN, most = INT64_MAX;
  bool windowed() const { return most != INT64_MAX; }
};

/// How several elements become one. NaN goes through sum, product, max and min; argmax and argmin are the
/// place of the first NaN, else of the first of the greatest (least), counted along what meets, as i64.
enum class Combine : uint8_t { none, sum, max, min, product, argmax, argmin };
constexpr bool gives_place(Combine how) { return how == Combine::argmax || how == Combine::argmin; }

struct Node {
  enum class Kind : uint8_t {
    running,     ///< the value that the kernel made (the accumulator); `it` in the language
    tensor,      ///< an element of `views[view]`
    constant,    ///< `constant`
    coordinate,  ///< where the element is along a dimension: (its row-major number / divisor) % extent
    cast,        ///< args[0] rounded to `type`, then used in the compute type
    call,        ///< `fn(args...)`
    across       ///< args[0] of all elements that meet in a row (a group of columns) of the kernel, combined
  };
  Kind kind = Kind::constant;
  DType type = DType::f32;  ///< compute type of the result (f32, f64 or i64); for a cast, the type rounded to
  const ScalarFn* fn = nullptr;  ///< call only
  std::array<NodeId, 3> args{};
  uint8_t arity = 0;
  uint32_t view = 0;  ///< tensor only: index into Scalar::views
  double constant = 0.0;
  int64_t divisor = 1, extent = 1;  ///< coordinate only
  Combine combine = Combine::none;  ///< across only
  bool of_rows =
      false;  ///< across only: of all rows, each of which counts once (args[0] is the same along it)
};

/// `node`, rounded to the view's type, is written to `views[view]`. With `combine`, the view's strides are 0
/// along one dimension of the domain, and what meets there is combined before it is rounded.
struct Effect {
  NodeId node;
  uint32_t view = 0;
  Combine combine = Combine::none;
};

/// Nodes are in topological order: arguments come before their uses. All views have the shape of the kernel's
/// domain.
struct Scalar {
  std::vector<Node> nodes;
  std::vector<View> views;
  std::vector<Effect> effects;  ///< in chain order; the last one is the step's own store
};

/// Of every node whether it may differ between elements that meet along the dimensions `meet` of `domain`.
std::vector<bool> varying(const Scalar& scalar, const Shape& domain, const std::vector<size_t>& meet);

}  // namespace uc
