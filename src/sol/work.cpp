#include "sol/work.h"

#include <algorithm>

#include "catalog/scalar_builder.h"
#include "catalog/scalar_fn.h"

namespace uc::sol {
namespace {

// Elements of a result that can differ: along a dimension where every operand is broadcast all are equal,
// unless the expression asks where it stands.
double differing(const Program& program, const Op& op, const Shape& shape, const Scalar& scalar) {
  const bool placed =
      std::ranges::any_of(scalar.nodes, [](const Node& node) { return node.kind == Node::Kind::coordinate; });
  if (placed || op.in.empty()) return static_cast<double>(numel(shape));
  double out = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool varies = std::ranges::any_of(op.in, [&](ValueId in) {
      const Value& value = program[in];
      if (value.shape.size() <= d) return false;
      const size_t at = value.shape.size() - 1 - d;
      return value.shape[at] > 1 && value.stride[at] != 0;
    });
    if (varies) out *= static_cast<double>(shape[shape.size() - 1 - d]);
  }
  return out;
}

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
    const double elements = differing(program, op, shape, scalar);
    out.items += elements;
    const bool whole = compute_type(program[op.out[which]].dtype) == DType::i64;
    for (const Node& node : scalar.nodes) {
      if (node.kind != Node::Kind::call) continue;
      (whole ? out.integer_ops : out.fma_ops) += node.fn->fma_ops * elements;
      out.special_ops += node.fn->special_ops * elements;
    }
  }
}

// An operand that is the same all along K comes out of the sum: one product is left of K.
double share_of_equal_products(const Program& program, const Op& op) {
  const auto kernel = op.spec->lower == nullptr ? std::nullopt : op.spec->lower(program, op);
  const auto* product = kernel ? std::get_if<Contraction>(&*kernel) : nullptr;
  if (product == nullptr || product->k() < 2) return 1;
  const bool equal = product->a.stride[2] == 0 || product->b.stride[2] == 0;
  return equal ? 1 / static_cast<double>(product->k()) : 1;
}

}  // namespace

OpWork work_of(const Catalog& catalog, const Program& program, OpId id) {
  const Op& op = program[id];
  OpWork out;
  if (op.spec->work != nullptr) {
    const Work work = op.spec->work(program, op);
    out.dense_flops = work.tensor_flops;
    out.minimum_flops = work.minimum_flops.value_or(work.tensor_flops);
    out.least_flops = std::min(out.minimum_flops, work.fast_flops.value_or(out.minimum_flops));
    if (out.least_flops < out.minimum_flops) out.fast_by = work.fast_by;
    out.fma_ops = work.fma_ops;
    out.special_ops = work.special_ops;
    out.integer_ops = work.integer_ops;
    out.contracts = work.tensor_flops > 0;
    out.shared = out.contracts ? share_of_equal_products(program, op) : 1;
    for (const ValueId in : op.in) {
      if (!out.contracts && program[in].kind != ValueKind::literal)
        out.items += static_cast<double>(numel(program[in].shape));
    }
    if (out.minimum_flops < out.dense_flops) out.reduced_by = work.reduced_by;
    if (out.reduced_by == &work_rules::kTriangular) out.structured = out.minimum_flops / out.dense_flops;
  } else if (op.spec->scalar != nullptr) {
    count_scalar(catalog, program, op, out);
  } else {
    out.covered = false;
  }
  out.least_fma = out.fma_ops;
  out.least_special = out.special_ops;
  out.least_integer = out.integer_ops;
  return out;
}

std::string name_of(const Op& op) {
  return op.attrs.has("target") ? op.attrs.get_word("target", "") : std::string(op.spec->name);
}

Math math_of(const Program& program, OpId id, Math f32_math) {
  const Value& operand = program[program[id].in[0]];
  if (operand.dtype == DType::f64) return Math::f64;  // given as f64 it is wanted as f64
  if (operand.from_f32) return f32_math;              // whatever the program rounds it to
  switch (operand.dtype) {
    case DType::f16: return Math::f16;
    case DType::bf16: return Math::bf16;
    case DType::f8e4m3:
    case DType::f8e5m2: return Math::f8;
    case DType::i8:
    case DType::u8: return Math::i8;
    default: return f32_math;
  }
}

}  // namespace uc::sol
