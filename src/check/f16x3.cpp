#include "check/f16x3.h"

#include <cmath>

#include "catalog/scalar_fn.h"
#include "ir/operand.h"

namespace uc {
namespace {

constexpr int64_t kInstructionK = 16;

// The accumulator of halves that were scaled, a factor of its row, a factor of its column: each is undone in
// two steps, because one factor would leave f32's range where the data is near its ends.
constexpr ScalarFn kUnscaled{.name = "unscaled",
                             .arity = 3,
                             .f32 = [](float x, float a, float b) { return x * (a * b) * (a * b); },
                             .f64 = nullptr,
                             .i64 = nullptr,
                             .cuda = "{0} * ({1} * {2}) * ({1} * {2})",
                             .fma_ops = 3,
                             .special_ops = 0};

int64_t up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// As uc_split.cuh lays the halves out.
View halves_of(const View& view, int64_t half) {
  View out = view;
  const int64_t lines = view.shape[1];
  out.dtype = DType::f16;
  out.offset = 0;
  out.shape[2] = 3 * half;
  if (k_major(view)) {
    out.stride = {2 * half * lines, 2 * half, 1};
  } else {
    out.stride = {2 * half * up(lines, 8), 1, up(lines, 8)};
  }
  if (view.shape[0] == 1 || view.stride[0] == 0) out.stride[0] = 0;
  return out;
}

// A factor a row (`dim` 1) or a column (2).
View factors_of(const View& operand, const Contraction& kernel, size_t dim) {
  View out;
  out.value = operand.value;
  out.dtype = DType::f32;
  out.shape = {kernel.batch(), kernel.m(), kernel.n()};
  out.stride = {0, 0, 0};
  if (operand.shape[0] != 1 && operand.stride[0] != 0) out.stride[0] = up(operand.shape[1], 4);
  out.stride[dim] = 1;
  return out;
}

}  // namespace

bool splits(const Contraction& kernel) {
  return kernel.math == Math::f16x3 && kernel.a.dtype == DType::f32 && kernel.b.dtype == DType::f32;
}

bool splits(const Launch& launch) {
  const auto* kernel = std::get_if<Contraction>(&launch.kernel);
  return kernel != nullptr && splits(*kernel);
}

int64_t half_k(int64_t k, int64_t tile_k) { return up(k, tile_k > 0 ? tile_k : 64); }

Contraction split_product(const Contraction& kernel, int64_t tile_k) {
  Contraction out = kernel;
  const int64_t half = half_k(kernel.k(), tile_k);
  out.a = halves_of(kernel.a, half);
  out.b = halves_of(kernel.b, half);
  Scalar& epilogue = out.epilogue;
  const auto view = static_cast<uint32_t>(epilogue.views.size());
  epilogue.views.push_back(factors_of(kernel.a, kernel, 1));
  epilogue.views.push_back(factors_of(kernel.b, kernel, 2));
  // Four nodes come first: the accumulator, both factors, what the program sees as the accumulator.
  constexpr size_t kFirst = 4;
  constexpr size_t kSeen = 3;
  std::vector<Node> nodes(kFirst);
  nodes[0].kind = Node::Kind::running;
  for (const uint32_t i : {0u, 1u}) {
    nodes[1 + i].kind = Node::Kind::tensor;
    nodes[1 + i].view = view + i;
  }
  nodes[kSeen].kind = Node::Kind::call;
  nodes[kSeen].fn = &kUnscaled;
  nodes[kSeen].args = {NodeId(0), NodeId(1), NodeId(2)};
  nodes[kSeen].arity = 3;
  std::vector<NodeId> moved;
  for (const Node& node : kernel.epilogue.nodes) {
    if (node.kind == Node::Kind::running) {
      moved.emplace_back(kSeen);
      continue;
    }
    Node copy = node;
    for (size_t i = 0; i < node.arity; ++i) copy.args[i] = moved[node.args[i].index()];
    nodes.push_back(copy);
    moved.emplace_back(nodes.size() - 1);
  }
  for (Effect& effect : epilogue.effects) effect.node = moved[effect.node.index()];
  epilogue.nodes = std::move(nodes);
  return out;
}

double f16x3_error_bound(int64_t k) {
  const double splitting = std::ldexp(1, -22) + std::ldexp(1, -22);
  // An instruction: 17 addends lose less than 2^-25 of the largest's power of two each, the sum 2^-23 of
  // itself.
  const double instruction = 17 * std::ldexp(1, -25) + std::ldexp(1, -23);
  constexpr int64_t kStretch = kPromotedInstructions * kInstructionK;
  const int64_t promotions = up(3 * half_k(k, 0), kStretch) / kStretch;
  return splitting + static_cast<double>(kPromotedInstructions) * instruction +
         static_cast<double>(promotions) * std::ldexp(1, -24);
}

double f32_error_bound(int64_t k) { return static_cast<double>(k) * std::ldexp(1, -24); }

}  // namespace uc
