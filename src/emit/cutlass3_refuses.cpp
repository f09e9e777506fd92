// What the CUTLASS 3 emitter cannot write, whatever the knobs; the rule book says the same with help, and
// asks first.
#include <fmt/format.h>

#include "catalog/scalar_fn.h"
#include "check/slices.h"
#include "emit/cutlass3_gemm.h"
#include "emit/element_epilogue.h"
#include "emit/scalar_cpp.h"
#include "ir/kernel_parts.h"
#include "plan/epilogue_leaves.h"
#include "plan/epilogue_rows.h"

namespace uc {
namespace {

bool is_f8(DType type) { return type == DType::f8e4m3 || type == DType::f8e5m2; }

bool is_summed(DType type) { return type == DType::f32 || type == DType::f16 || type == DType::bf16; }

bool is_moved(DType type) {
  return is_summed(type) || is_f8(type) || type == DType::i8 || type == DType::u8 || type == DType::i32;
}

// Types that the multiplier takes for a way to multiply.
bool multiplies(Math math, DType type) {
  switch (math) {
    case Math::f16: return type == DType::f16;
    case Math::bf16: return type == DType::bf16;
    case Math::tf32: return type == DType::f32;
    case Math::f8: return is_f8(type);
    case Math::i8: return type == DType::i8 || type == DType::u8;
    default: return false;
  }
}

std::string effect_refuses(const Contraction& kernel, const Effect& effect) {
  const View& out = kernel.epilogue.views[effect.view];
  if (effect.combine == Combine::none)
    return is_moved(out.dtype) ? "" : fmt::format("it stores no {}", name(out.dtype));
  if (!is_summed(out.dtype))
    return fmt::format("sums are stored as f32, f16 or bf16, not {}", name(out.dtype));
  const LeafKind kind = leaf_kind(out);
  return kind == LeafKind::row || kind == LeafKind::column
             ? ""
             : "elements are combined along rows or columns, to a dense vector";
}

std::string node_refuses(const Contraction& kernel, const Node& node) {
  if (compute_type(node.type) == DType::f64) return "its epilogue does not compute in f64";
  if (node.kind == Node::Kind::call && compute_type(node.type) == DType::i64 && node.fn->i64 == nullptr)
    return fmt::format("its epilogue has no `{}` of integers", node.fn->name);
  if (node.kind == Node::Kind::coordinate && !has_place(node, kernel.transposed ? kernel.m() : kernel.n()))
    return "its epilogue counts rows and columns, no parts of them";
  return {};
}

// Factors of blocks meet the sums of every 128 elements of K in registers.
std::string scales_refuse(const Contraction& kernel, const ContractionConfig& config) {
  const ScaleBlocks blocks = *scale_blocks_of(kernel);
  if (kernel.a_scale->shape[2] != kernel.b_scale->shape[2] || blocks.k != 128)
    return fmt::format("blocks of f8 that share a factor have 128 elements of K, not {}", blocks.k);
  if (128 % blocks.m != 0 || 128 % blocks.n != 0)
    return fmt::format(
        "blocks of f8 that share a factor are of 1, 2, 4, ... or 128 rows and columns, not {} and {}",
        blocks.m, blocks.n);
  for (const View* view : {&*kernel.a_scale, &*kernel.b_scale}) {
    if (view->stride[1] != 1 && view->stride[2] != 1)
      return "factors of blocks are contiguous along neither dimension";
    if (view->dtype != DType::f32) return "factors of blocks are f32";
  }
  if (kernel.epilogue.views.size() > 10)
    return "the epilogue reads and writes more than 10 tensors beside factors of blocks";
  return in_slices(kernel, config) ? "slices of K have no factors of blocks" : "";
}

std::string epilogue_refuses(const Contraction& kernel) {
  const Scalar& epilogue = kernel.epilogue;
  if (epilogue.views.size() > 12) return "the epilogue reads and writes more than 12 tensors";
  for (const Effect& effect : epilogue.effects) {
    std::string why = effect_refuses(kernel, effect);
    if (!why.empty()) return why;
  }
  for (const uint32_t index : epilogue_parts(epilogue).loads) {
    if (!is_moved(epilogue.views[index].dtype))
      return fmt::format("its epilogue reads no {}", name(epilogue.views[index].dtype));
  }
  for (const Node& node : epilogue.nodes) {
    std::string why = node_refuses(kernel, node);
    if (!why.empty()) return why;
  }
  return epilogue_rows_refuses(kernel);
}

// Rows of groups are stored and read where they lie, element by element.
std::string groups_refuse(const Contraction& kernel) {
  if (kernel.epilogue.views.size() > 11) return "in groups the epilogue reads and writes at most 11 tensors";
  if (kernel.ends->stride[0] != 1) return "where groups end lies one behind another";
  for (const Effect& effect : kernel.epilogue.effects) {
    if (effect.combine != Combine::none) return "in groups of rows it does not combine rows or columns";
  }
  for (const Node& node : kernel.epilogue.nodes) {
    if (node.kind == Node::Kind::coordinate) return "in groups its epilogue does not count rows and columns";
  }
  return {};
}

// Each of these has a scheduler or a main loop of its own, beside which no rows have met on a device.
std::string rows_beside_refuse(const Contraction& kernel, const ContractionConfig& config) {
  if (kernel.meet == 0) return {};
  constexpr std::string_view kInstead = "rows meet in the epilogue of plain products alone, not";
  if (kernel.ends) return fmt::format("{} of groups: end the step before the row-wise operator", kInstead);
  if (kernel.a_scale)
    return fmt::format("{} beside factors of blocks: end the step before the row-wise operator", kInstead);
  if (config.skip_zeros)
    return fmt::format("{} with `.skip(zeros)`: end the step before the row-wise operator", kInstead);
  return {};
}

}  // namespace

std::string cutlass3_epilogue_refuses(const Contraction& kernel) { return epilogue_refuses(kernel); }

std::string cutlass3_gemm_refuses(const Contraction& kernel, const ContractionConfig& config) {
  if (kernel.a.dtype != kernel.b.dtype)
    return fmt::format("both operands have one type; these are {} and {}", name(kernel.a.dtype),
                       name(kernel.b.dtype));
  if (!multiplies(kernel.math, kernel.a.dtype))
    return fmt::format("it does not multiply {} operands as {}", name(kernel.a.dtype), name(kernel.math));
  if (std::string why = rows_beside_refuse(kernel, config); !why.empty()) return why;
  if (kernel.ends) {
    if (std::string why = groups_refuse(kernel); !why.empty()) return why;
  }
  if (kernel.a_scale) {
    std::string why = scales_refuse(kernel, config);
    if (!why.empty()) return why;
  }
  return in_slices(kernel, config) ? ElementEpilogue::refuses(kernel) : epilogue_refuses(kernel);
}

}  // namespace uc
