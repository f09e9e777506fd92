// Matrix products: gemm(A, B) and linear(x, W).
#include <span>

#include "base/number.h"
#include "exec/multiply.h"
#include "ops/detail/contraction_shape.h"
#include "ops/detail/import_contraction.h"
#include "ops/detail/product_structure.h"
#include "ops/detail/step_math.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

template <bool BIsNK>
bool infer(InferContext& context) {
  return infer_contraction(context, BIsNK);
}

// ---- lowering and meaning

// Factors of operand `i` as the kernel reads them: those of A as [L, M, K], of B as [L, N, K], whatever their
// extents.
std::optional<View> factors(const Program& program, const Op& op, size_t i, bool b_is_nk) {
  const Value& of = program[op.in[i]];
  if (!of.scale) return std::nullopt;
  const Value& scale = program[of.scale];
  if (numel(scale.shape) == 1) {
    View one;
    one.value = scale.root;
    one.dtype = scale.dtype;
    one.shape = {1, 1, 1};
    one.stride = {0, 0, 0};
    one.offset = scale.offset;
    return one;
  }
  // Beside an operand of the other's shape with as many elements along K.
  Value other = program[op.in[1 - i]];
  const auto k_of = [b_is_nk](const Value& value, bool is_b) {
    return value.shape.size() - (!is_b || b_is_nk ? 1 : 2);
  };
  other.shape[k_of(other, i == 0)] = scale.shape[k_of(scale, i == 1)];
  other.stride = row_major(other.shape);
  const auto normal = i == 0 ? normalise(scale, other, b_is_nk) : normalise(other, scale, b_is_nk);
  if (!normal) return std::nullopt;
  return i == 0 ? normal->a : normal->b;
}

template <bool BIsNK>
std::optional<Kernel> lower(const Program& program, const Op& op) {
  auto normal = normalise(program[op.in[0]], program[op.in[1]], BIsNK);
  if (!normal) return std::nullopt;
  Contraction kernel;
  kernel.a = std::move(normal->a);
  kernel.b = std::move(normal->b);
  const Value& a = program[op.in[0]];
  const Value& b = program[op.in[1]];
  // Matrices of a batch that are multiplied as one have rows of several.
  if (a.shape.size() >= 2 && a.shape[a.shape.size() - 2] == kernel.m()) kernel.a_band = band_of(program, a);
  kernel.b_band = BIsNK ? band_of(program, b) : band_of(program, b).transposed();
  kernel.a_scale = factors(program, op, 0, BIsNK);
  kernel.b_scale = factors(program, op, 1, BIsNK);
  const DType type = kernel.a.dtype;
  kernel.accumulate = type == DType::f64 ? DType::f64 : is_floating(type) ? DType::f32 : DType::i32;
  return kernel;
}

template <bool BIsNK>
void reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  multiply(*in[0], *in[1], BIsNK, math_of(program, op), out[0]);
}

template <bool BIsNK>
Work work(const Program& program, const Op& op) {
  return product_work(program, op, BIsNK);
}

// ---- import

// torch: vectors count as matrices, and the dimension is dropped from the result.
bool import_matmul(ImportContext& context, const GraphOp& op) {
  auto a = context.value(op, 0);
  auto b = context.value(op, 1);
  if (!a || !b) return false;
  const bool row = context.program()[*a].shape.size() == 1;
  const bool column = context.program()[*b].shape.size() == 1;
  const auto lifted = [&context](ValueId x, int64_t dim) {
    Attrs attrs;
    attrs.set("dim", dim);
    return context.apply("unsqueeze", {x}, std::move(attrs));
  };
  if (row) a = lifted(*a, 0);
  if (column && b) b = lifted(*b, 1);
  if (a) a = contractible(context, *a);
  if (b) b = contractible(context, *b);
  if (!a || !b) return false;
  auto y = context.apply("gemm", {*a, *b});
  const auto dropped = [&](int64_t dim) {
    Attrs attrs;
    attrs.set("dim", dim);
    y = context.apply("squeeze", {*y}, std::move(attrs));
  };
  if (y && column) dropped(-1);
  if (y && row) dropped(column ? -1 : -2);
  return finish(context, op, y);
}

bool import_linear(ImportContext& context, const GraphOp& op) {
  auto x = context.value(op, 0);
  const auto weight = context.value(op, 1);
  const auto bias = context.value(op, 2);
  if (x) x = contractible(context, *x);
  if (!x || !weight) return false;
  auto y = context.apply("linear", {*x, *weight});
  if (y && bias) y = context.apply("add", {*y, *bias});
  return finish(context, op, y);
}

std::optional<ValueId> scaled(ImportContext& context, ValueId x, double factor) {
  if (factor == 1.0) return x;
  const ValueId by = context.literal(factor, factor == static_cast<double>(to_integer(factor)));
  return context.apply("mul", {x, by});
}

// torch: beta * input + alpha * (a @ b), for addmm and baddbmm.
bool import_addmm(ImportContext& context, const GraphOp& op) {
  const auto input = context.value(op, 0);
  auto a = context.value(op, 1);
  auto b = context.value(op, 2);
  if (a) a = contractible(context, *a);
  if (b) b = contractible(context, *b);
  if (!input || !a || !b) return false;
  const double beta = context.number(op, 3, "beta").value_or(1.0);
  const double alpha = context.number(op, 4, "alpha").value_or(1.0);
  auto y = context.apply("gemm", {*a, *b});
  if (y) y = scaled(context, *y, alpha);
  if (!y || beta == 0.0) return finish(context, op, y);
  const auto addend = scaled(context, *input, beta);
  return addend && finish(context, op, context.apply("add", {*y, *addend}));
}

constexpr ParamSpec kGemmParams[] = {
    {"A", ParamKind::tensor, {}, true, {}, "[..., M, K]"},
    {"B", ParamKind::tensor, {}, true, {}, "[..., K, N]; of rank 2, A's leading dimensions are rows"}};
constexpr ParamSpec kLinearParams[] = {{"x", ParamKind::tensor, {}, true, {}, "[..., K]"},
                                       {"W", ParamKind::tensor, {}, true, {}, "[N, K]"}};

constexpr AtenImport kGemmAten[] = {
    {"aten.matmul.default", import_matmul}, {"aten.mm.default", import_matmul},
    {"aten.bmm.default", import_matmul},    {"aten.mv.default", import_matmul},
    {"aten.dot.default", import_matmul},    {"aten.addmm.default", import_addmm},
    {"aten.baddbmm.default", import_addmm}, {"aten.einsum.default", import_einsum}};
constexpr AtenImport kLinearAten[] = {{"aten.linear.default", import_linear}};

constexpr std::string_view kGemmExamples[] = {
    "target sm_90a\ninput A: f16[4, 128, 64]\ninput B: f16[4, 64, 256]\nC = gemm(A, B) >> to(f32)\nreturn "
    "C\n",
    "target sm_90a\nprecision tf32\ninput A: f32[128, 64]\ninput B: f32[256, 64]\nC = gemm(A, transpose(B)) "
    ">> mul(0.5)\nreturn C\n"};
constexpr std::string_view kLinearExamples[] = {
    "target sm_90a\ninput x: f16[8, 16, 64]\nparam W: f16[256, 64]\ny = linear(x, W)\nreturn y\n",
    "target sm_90a\nprecision bf16\ninput x: f32[128, 64]\nparam W: f32[256, 64] = \"linear.weight\"\nxh = "
    "to(x, bf16)\n"
    "y = linear(xh, prepack(W, bf16)) >> gelu() >> to(f32)\nreturn y\n"};

template <bool BIsNk>
Part needs(const Program& program, const Op& op, size_t i, size_t, const Part& part) {
  return product_needs(program, op, BIsNk, i, part);
}

template <bool BIsNk>
double part_flops(const Program& program, const Op& op, const Part& part) {
  return product_flops(program, op, BIsNk, part);
}

constexpr OpSpec kRows[] = {
    {.name = "gemm",
     .summary = "matrix product A[..., M, K] B[..., K, N]; batch dimensions broadcast",
     .family = "contraction",
     .place = Place::step,
     .params = kGemmParams,
     .memory_operands = true,
     .scales = true,
     .infer = infer<false>,
     .reference = reference<false>,
     .lower = lower<false>,
     .work = work<false>,
     .needs = needs<false>,
     .part_flops = part_flops<false>,
     .aten = kGemmAten,
     .examples = kGemmExamples},
    {.name = "linear",
     .summary = "x[..., K] times the transpose of W[N, K]",
     .family = "contraction",
     .place = Place::step,
     .params = kLinearParams,
     .memory_operands = true,
     .scales = true,
     .infer = infer<true>,
     .reference = reference<true>,
     .lower = lower<true>,
     .work = work<true>,
     .needs = needs<true>,
     .part_flops = part_flops<true>,
     .aten = kLinearAten,
     .examples = kLinearExamples},
};

}  // namespace

std::span<const OpSpec> contraction_rows() { return kRows; }

}  // namespace uc::ops
