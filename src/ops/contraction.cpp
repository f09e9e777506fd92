// Matrix products: gemm(A, B) and linear(x, W).
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "exec/multiply.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// Operands as the kernel reads them: a is [L, M, K], b is [L, N, K] (ir/kernel.h).
struct Normal {
  View a;
  View b;
};

struct Lead {
  Shape shape;
  Strides stride;
};

Lead lead(const Value& value) {
  const size_t matrix = std::min<size_t>(value.shape.size(), 2);
  return {Shape(value.shape.begin(), value.shape.end() - static_cast<int64_t>(matrix)),
          Strides(value.stride.begin(), value.stride.end() - static_cast<int64_t>(matrix))};
}

// The batch dimensions read as one, as if they had the shape `batch`; nothing when they need more than one
// stride.
std::optional<int64_t> batch_stride(const Lead& of, const Shape& batch) {
  const int64_t count = numel(batch);
  if (count == 1) return 0;
  const auto folded = reshape_strides(batch, broadcast_strides(of.shape, of.stride, batch), {count});
  return folded ? std::optional(folded->front()) : std::nullopt;
}

View view(const Value& value, Shape shape, Strides stride) {
  return {value.root, value.dtype, std::move(shape), std::move(stride), value.offset};
}

int64_t back(const std::vector<int64_t>& list, size_t from_end) { return list[list.size() - from_end]; }

// Leading dimensions of a become rows when b is one matrix and they fold.
std::optional<View> rows_folded(const Value& a) {
  Shape rows(a.shape.begin(), a.shape.end() - 1);
  const auto folded = reshape_strides(rows, Strides(a.stride.begin(), a.stride.end() - 1), {numel(rows)});
  if (!folded) return std::nullopt;
  return view(a, {1, numel(rows), a.shape.back()}, {0, folded->front(), a.stride.back()});
}

std::optional<Normal> normalise(const Value& a, const Value& b, bool b_is_nk) {
  const size_t n_at = b_is_nk ? 2 : 1;
  const int64_t n = back(b.shape, n_at);
  const int64_t b_n = back(b.stride, n_at);
  const int64_t b_k = back(b.stride, 3 - n_at);
  const int64_t k = a.shape.back();
  if (b.shape.size() == 2) {
    if (auto folded = rows_folded(a)) return Normal{std::move(*folded), view(b, {1, n, k}, {0, b_n, b_k})};
  }
  const Lead a_lead = lead(a);
  const Lead b_lead = lead(b);
  const auto batch = broadcast(a_lead.shape, b_lead.shape);
  if (!batch) return std::nullopt;
  const auto a_batch = batch_stride(a_lead, *batch);
  const auto b_batch = batch_stride(b_lead, *batch);
  if (!a_batch || !b_batch) return std::nullopt;
  const int64_t count = numel(*batch);
  return Normal{view(a, {count, back(a.shape, 2), k}, {*a_batch, back(a.stride, 2), a.stride.back()}),
                view(b, {count, n, k}, {*b_batch, b_n, b_k})};
}

bool unit_stride(const View& view) {
  return view.stride[1] == 1 || view.stride[2] == 1 || view.shape[1] == 1 || view.shape[2] == 1;
}

// ---- inference

template <bool BIsNK>
bool fail_extent(InferContext& context) {
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  const int64_t k = back(b.shape, BIsNK ? 1 : 2);
  auto& diag = context.error(
      kinds::contraction_extent,
      fmt::format("{} and {}: {} products a row against {}", describe(a), describe(b), a.shape.back(), k));
  const std::string right = b.name.empty() ? "B" : b.name;
  const std::string left = a.name.empty() ? "A" : a.name;
  if (back(b.shape, BIsNK ? 2 : 1) == a.shape.back()) {
    diag.help = BIsNK ? fmt::format("`gemm({}, {})` multiplies without transposing", left, right)
                      : fmt::format("`gemm({}, transpose({}))`", left, right);
  } else if (a.shape.size() >= 2 && back(a.shape, 2) == k) {
    diag.help = fmt::format("`{}(transpose({}), {})`", BIsNK ? "linear" : "gemm", left, right);
  } else {
    diag.help =
        BIsNK ? "linear(x, W) takes x[..., K] and W[N, K]" : "gemm(A, B) takes A[..., M, K] and B[..., K, N]";
  }
  return false;
}

bool check_types(InferContext& context) {
  const DType a = context.in(0).dtype;
  const DType b = context.in(1).dtype;
  const bool small_integers = a == DType::i8 || a == DType::u8;
  if (a == b && (is_floating(a) || small_integers)) return true;
  auto& diag =
      context.error(kinds::contraction_type, fmt::format("a contraction of {} with {}", name(a), name(b)));
  const Value& narrow = size_bytes(a) < size_bytes(b) ? context.in(0) : context.in(1);
  const Value& wide = size_bytes(a) < size_bytes(b) ? context.in(1) : context.in(0);
  const Value& convert = is_floating(narrow.dtype) ? wide : narrow;
  const DType to =
      !is_floating(narrow.dtype) ? (is_floating(wide.dtype) ? wide.dtype : DType::f32) : narrow.dtype;
  const std::string operand = convert.name.empty() ? "v" : convert.name;
  diag.help = a == b ? fmt::format("make floats of them first: `t = to({}, f32)`", operand)
                     : fmt::format(
                           "bring both to one type: `t = to({0}, {1})` in a step before, for weights "
                           "`prepack({0}, {1})`",
                           operand, name(to));
  return false;
}

template <bool BIsNK>
bool check_ranks(InferContext& context) {
  const size_t a = context.in(0).shape.size();
  const size_t b = context.in(1).shape.size();
  const bool good = BIsNK ? a >= 1 && b == 2 : a >= 2 && b >= 2;
  if (good) return true;
  context
      .error(kinds::operand_rank, fmt::format("`{}` of {} and {}", context.op().spec->name,
                                              describe(context.in(0)), describe(context.in(1))))
      .help =
      BIsNK ? "linear(x, W) takes x of rank 1 or more and W of rank 2; for a batch of matrices `gemm(A, "
              "transpose(B))`"
            : "gemm(A, B) takes two tensors of rank 2 or more; make a matrix of a vector with `unsqueeze`";
  return false;
}

template <bool BIsNK>
bool infer(InferContext& context) {
  if (!check_ranks<BIsNK>(context) || !check_types(context)) return false;
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  if (a.shape.back() != back(b.shape, BIsNK ? 1 : 2)) return fail_extent<BIsNK>(context);
  const auto batch = broadcast(lead(a).shape, lead(b).shape);
  if (!batch) {
    context
        .error(kinds::broadcast_shapes,
               fmt::format("the batch dimensions of {} and {} do not broadcast", describe(a), describe(b)))
        .help = "all but the last two dimensions are equal, or 1";
    return false;
  }
  const auto normal = normalise(a, b, BIsNK);
  if (!normal || !unit_stride(normal->a) || !unit_stride(normal->b)) {
    const bool left = !normal ? !batch_stride(lead(a), *batch) : !unit_stride(normal->a);
    const Value& bad = left ? a : b;
    context
        .error(kinds::contraction_stride, fmt::format("{} with strides {} cannot be read by a contraction",
                                                      describe(bad), to_text(bad.stride)))
        .help =
        fmt::format("make it dense in a step before: `t = to({}, row)`{}", bad.name.empty() ? "v" : bad.name,
                    normal ? "" : "; expand batch dimensions of 1 first");
    return false;
  }
  Shape shape(a.shape.size() < 2 ? Shape{} : *batch);
  if (a.shape.size() >= 2) shape.push_back(back(a.shape, 2));
  shape.push_back(back(b.shape, BIsNK ? 2 : 1));
  context.result(is_floating(a.dtype) ? a.dtype : DType::i32, std::move(shape));
  return true;
}

// ---- lowering and meaning

template <bool BIsNK>
std::optional<Kernel> lower(const Program& program, const Op& op) {
  auto normal = normalise(program[op.in[0]], program[op.in[1]], BIsNK);
  if (!normal) return std::nullopt;
  Contraction kernel;
  kernel.a = std::move(normal->a);
  kernel.b = std::move(normal->b);
  const DType type = kernel.a.dtype;
  kernel.accumulate = type == DType::f64 ? DType::f64 : is_floating(type) ? DType::f32 : DType::i32;
  return kernel;
}

// How the step multiplies: as its knob says, else the fastest that the precision allows.
Math math_of(const Program& program, const Op& op) {
  const Knob* knob = op.step ? program[op.step].knob("math") : nullptr;
  if (knob != nullptr && !knob->settings.empty()) {
    if (const auto* word = std::get_if<std::string>(&knob->settings[0])) {
      const Math math = parse_math(*word).value_or(Math::automatic);
      if (math != Math::automatic) return math;
    }
  }
  const bool governed = program[op.in[0]].from_f32 || program[op.in[1]].from_f32;
  return governed && program.precision == Precision::strict ? Math::f32 : Math::tf32;
}

template <bool BIsNK>
void reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  multiply(*in[0], *in[1], BIsNK, math_of(program, op), out[0]);
}

template <bool BIsNK>
Work work(const Program& program, const Op& op) {
  const double columns = static_cast<double>(numel(program[op.out[0]].shape));
  return {.tensor_flops = 2.0 * columns * static_cast<double>(program[op.in[0]].shape.back())};
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
  const auto x = context.value(op, 0);
  const auto weight = context.value(op, 1);
  const auto bias = context.value(op, 2);
  if (!x || !weight) return false;
  auto y = context.apply("linear", {*x, *weight});
  if (y && bias) y = context.apply("add", {*y, *bias});
  return finish(context, op, y);
}

std::optional<ValueId> scaled(ImportContext& context, ValueId x, double factor) {
  if (factor == 1.0) return x;
  const ValueId by = context.literal(factor, factor == static_cast<double>(static_cast<int64_t>(factor)));
  return context.apply("mul", {x, by});
}

// torch: beta * input + alpha * (a @ b), for addmm and baddbmm.
bool import_addmm(ImportContext& context, const GraphOp& op) {
  const auto input = context.value(op, 0);
  const auto a = context.value(op, 1);
  const auto b = context.value(op, 2);
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
    {"aten.baddbmm.default", import_addmm}};
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

constexpr OpSpec kRows[] = {
    {.name = "gemm",
     .summary = "matrix product A[..., M, K] B[..., K, N]; batch dimensions broadcast",
     .family = "contraction",
     .place = Place::step,
     .params = kGemmParams,
     .infer = infer<false>,
     .reference = reference<false>,
     .lower = lower<false>,
     .work = work<false>,
     .aten = kGemmAten,
     .examples = kGemmExamples},
    {.name = "linear",
     .summary = "x[..., K] times the transpose of W[N, K]",
     .family = "contraction",
     .place = Place::step,
     .params = kLinearParams,
     .infer = infer<true>,
     .reference = reference<true>,
     .lower = lower<true>,
     .work = work<true>,
     .aten = kLinearAten,
     .examples = kLinearExamples},
};

}  // namespace

std::span<const OpSpec> contraction_rows() { return kRows; }

}  // namespace uc::ops
