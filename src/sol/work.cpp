#include "sol/work.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/scalar_builder.h"
#include "catalog/scalar_fn.h"

namespace uc::sol {
namespace {

// Instructions for one element of each result.
void count_scalar(const Catalog& catalog, const Program& program, const Op& op, OpWork& out) {
  const bool separate = op.out.size() > 1;  // `a, b = to(x, y, f16)`: one operand a result
  for (size_t which = 0; which < op.out.size(); ++which) {
    Scalar scalar;
    const Shape& shape = program[op.out[which]].shape;
    ScalarBuilder builder(catalog, scalar, compute_type(program[op.out[which]].dtype), shape, shape);
    std::vector<NodeId> args;
    for (size_t i = 0; i < op.in.size(); ++i) {
      if (separate && i != which) continue;
      const Value& value = program[op.in[i]];
      View view;
      view.value = op.in[i];
      view.dtype = value.dtype;
      args.push_back(value.kind == ValueKind::literal ? builder.constant(value.literal)
                                                      : builder.tensor(view));
    }
    op.spec->scalar(builder, args, op.attrs);
    const auto elements = static_cast<double>(numel(program[op.out[which]].shape));
    for (const Node& node : scalar.nodes) {
      if (node.kind != Node::Kind::call) continue;
      out.fma_ops += node.fn->fma_ops * elements;
      out.special_ops += node.fn->special_ops * elements;
    }
  }
}

enum class Triangle : uint8_t { none, lower, upper, diagonal };

Triangle triangle(const Value& value, bool transposed) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(value.structure, word) != value.structure.end();
  };
  if (has("diag")) return Triangle::diagonal;
  if (has("lower")) return transposed ? Triangle::upper : Triangle::lower;
  if (has("upper")) return transposed ? Triangle::lower : Triangle::upper;
  return Triangle::none;
}

// Share of multiply-adds that structure leaves, for square operands of extent n, both seen as [M, K] and [K,
// N].
double share_left(Triangle a, Triangle b, double n) {
  if (a == Triangle::diagonal || b == Triangle::diagonal) {
    const Triangle other = a == Triangle::diagonal ? b : a;
    if (other == Triangle::diagonal) return 1 / (n * n);
    return other == Triangle::none ? 1 / n : (n + 1) / (2 * n * n);
  }
  if (a == Triangle::none && b == Triangle::none) return 1;
  if (a == Triangle::none || b == Triangle::none) return (n + 1) / (2 * n);
  return a == b ? (n + 1) * (n + 2) / (6 * n * n) : (n + 1) * (2 * n + 1) / (6 * n * n);
}

void reduce_by_structure(const Program& program, const Op& op, OpWork& out) {
  if (op.in.size() < 2 || op.spec->lower == nullptr) return;
  const auto kernel = op.spec->lower(program, op);
  const auto* contraction = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
  if (contraction == nullptr) return;
  // Both operands broadcast along the batch give one product.
  if (contraction->batch() > 1 && contraction->a.stride[0] == 0 && contraction->b.stride[0] == 0) {
    out.minimum_flops /= static_cast<double>(contraction->batch());
    out.structure = "both operands broadcast along the batch";
  }
  if (contraction->m() != contraction->k() || contraction->n() != contraction->k()) return;
  const Value& b = program[op.in[1]];
  const bool b_is_nk = !b.stride.empty() && contraction->b.stride[2] == b.stride.back();
  const double share = share_left(triangle(program[op.in[0]], false), triangle(b, b_is_nk),
                                  static_cast<double>(contraction->k()));
  if (share == 1) return;
  out.minimum_flops *= share;
  out.structure = fmt::format("structure of its operands leaves {:.4g} of the multiply-adds", share);
}

}  // namespace

OpWork work_of(const Catalog& catalog, const Program& program, OpId id) {
  const Op& op = program[id];
  OpWork out;
  out.op = id;
  if (op.spec->work != nullptr) {
    const Work work = op.spec->work(program, op);
    out.dense_flops = work.tensor_flops;
    out.minimum_flops = work.tensor_flops;
    out.fma_ops = work.fma_ops;
    out.special_ops = work.special_ops;
    out.contracts = work.tensor_flops > 0;
    if (out.contracts) reduce_by_structure(program, op, out);
  } else if (op.spec->scalar != nullptr) {
    count_scalar(catalog, program, op, out);
  } else {
    out.covered = false;
  }
  return out;
}

Math math_of(const Program& program, OpId id, Math f32_math) {
  const Value& operand = program[program[id].in[0]];
  if (operand.from_f32) return f32_math;  // whatever the program rounds it to
  switch (operand.dtype) {
    case DType::f16: return Math::f16;
    case DType::bf16: return Math::bf16;
    case DType::f64: return Math::f64;
    case DType::f8e4m3:
    case DType::f8e5m2: return Math::f8;
    case DType::i8:
    case DType::u8: return Math::i8;
    default: return f32_math;
  }
}

Math fastest_math(Precision precision) {
  switch (precision) {
    case Precision::strict: return Math::f16x3;
    case Precision::tf32: return Math::tf32;
    case Precision::f16: return Math::f16;
    case Precision::bf16: return Math::bf16;
    case Precision::f8: return Math::f8;
  }
  return Math::f16x3;
}

}  // namespace uc::sol
