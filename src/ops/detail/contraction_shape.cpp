#include "ops/detail/contraction_shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "catalog/diags.h"
#include "catalog/infer.h"

namespace uc::ops {
namespace {

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

// A stride for a dimension of one element, which is never stepped along: one that any alignment divides.
int64_t only_row(int64_t extent) { return (extent + 127) / 128 * 128; }

// Leading dimensions of a become rows when b is one matrix and they fold.
std::optional<View> rows_folded(const Value& a) {
  Shape rows(a.shape.begin(), a.shape.end() - 1);
  const auto folded = reshape_strides(rows, Strides(a.stride.begin(), a.stride.end() - 1), {numel(rows)});
  if (!folded) return std::nullopt;
  const int64_t stride = numel(rows) == 1 ? only_row(a.shape.back()) : folded->front();
  return view(a, {1, numel(rows), a.shape.back()}, {0, stride, a.stride.back()});
}

bool unit_stride(const View& view) {
  return view.stride[1] == 1 || view.stride[2] == 1 || view.shape[1] == 1 || view.shape[2] == 1;
}

bool fail_extent(InferContext& context, bool b_is_nk) {
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  const int64_t k = back(b.shape, b_is_nk ? 1 : 2);
  auto& diag = context.error(
      kinds::contraction_extent,
      fmt::format("{} and {}: {} products a row against {}", describe(a), describe(b), a.shape.back(), k));
  const std::string right = b.name.empty() ? "B" : b.name;
  const std::string left = a.name.empty() ? "A" : a.name;
  if (back(b.shape, b_is_nk ? 2 : 1) == a.shape.back()) {
    diag.help = b_is_nk ? fmt::format("`gemm({}, {})` multiplies without transposing", left, right)
                        : fmt::format("`gemm({}, transpose({}))`", left, right);
  } else if (a.shape.size() >= 2 && back(a.shape, 2) == k) {
    diag.help = fmt::format("`{}(transpose({}), {})`", b_is_nk ? "linear" : "gemm", left, right);
  } else {
    diag.help = b_is_nk ? "linear(x, W) takes x[..., K] and W[N, K]"
                        : "gemm(A, B) takes A[..., M, K] and B[..., K, N]";
  }
  return false;
}

bool backwards(const Value& value) {
  return std::ranges::any_of(value.stride, [](int64_t stride) { return stride < 0; });
}

bool fail_stride(InferContext& context, const Value& bad) {
  context
      .error(kinds::contraction_stride,
             fmt::format("{} with strides {} {}", describe(bad), to_text(bad.stride),
                         backwards(bad) ? "steps backwards in memory"
                                        : "has no unit stride in its last two dimensions"))
      .help =
      fmt::format("make it dense in a step before: `t = to({}, row)`", bad.name.empty() ? "v" : bad.name);
  return false;
}

// Batch dimensions that no single stride steps through.
bool fail_batch(InferContext& context, const Shape& batch) {
  const bool left = !batch_stride(lead(context.in(0)), batch);
  const Value& bad = left ? context.in(0) : context.in(1);
  Shape full = batch;
  full.insert(full.end(), bad.shape.end() - 2, bad.shape.end());
  const std::string operand = bad.name.empty() ? "v" : bad.name;
  auto& diag = context.error(kinds::contraction_stride,
                             fmt::format("the batch dimensions of {}, read as {}, need more than one stride",
                                         describe(bad), to_text(batch)));
  diag.help = bad.shape == full ? fmt::format("make it dense in a step before: `t = to({}, row)`", operand)
                                : fmt::format("copy it out in a step before: `t = to(expand({}, {}), row)`",
                                              operand, to_text(full));
  return false;
}

std::string operand_name(const Value& value) { return value.name.empty() ? "v" : value.name; }

// The conversion that the precision allows: to the narrower type, else to the wider one; integers to a float.
std::string one_type_help(const InferContext& context) {
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  if (!is_floating(a.dtype) && !is_floating(b.dtype)) {
    return fmt::format("make floats of them in a step before: `a, b = to({}, {}, f32)`", operand_name(a),
                       operand_name(b));
  }
  const Value* convert = !is_floating(a.dtype) || size_bytes(a.dtype) > size_bytes(b.dtype) ? &a : &b;
  const Value* keep = convert == &a ? &b : &a;
  if (is_floating(convert->dtype) && convert->from_f32 && !allows(context.program().precision, keep->dtype)) {
    std::swap(convert, keep);
  }
  return fmt::format(
      "bring both to one type in a step before: `t = to({0}, {1})`, for weights `prepack({0}, {1})`",
      operand_name(*convert), name(keep->dtype));
}

bool check_ranks(InferContext& context, bool b_is_nk) {
  const size_t a = context.in(0).shape.size();
  const size_t b = context.in(1).shape.size();
  const bool good = b_is_nk ? a >= 1 && b == 2 : a >= 2 && b >= 2;
  if (good) return true;
  context
      .error(kinds::operand_rank, fmt::format("`{}` of {} and {}", context.op().spec->name,
                                              describe(context.in(0)), describe(context.in(1))))
      .help =
      b_is_nk ? "linear(x, W) takes x of rank 1 or more and W of rank 2; for a batch of matrices `gemm(A, "
                "transpose(B))`"
              : "gemm(A, B) takes two tensors of rank 2 or more; make a matrix of a vector with `unsqueeze`";
  return false;
}

}  // namespace

bool check_operand_types(InferContext& context) {
  const DType a = context.in(0).dtype;
  const DType b = context.in(1).dtype;
  const bool small_integers = a == DType::i8 || a == DType::u8;
  if (a == b && (is_floating(a) || small_integers)) return true;
  auto& diag =
      context.error(kinds::contraction_type, fmt::format("a contraction of {} with {}", name(a), name(b)));
  diag.help = one_type_help(context);
  return false;
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

bool infer_contraction(InferContext& context, bool b_is_nk) {
  if (!check_ranks(context, b_is_nk) || !check_operand_types(context)) return false;
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  if (a.shape.back() != back(b.shape, b_is_nk ? 1 : 2)) return fail_extent(context, b_is_nk);
  const auto batch = broadcast(lead(a).shape, lead(b).shape);
  if (!batch) {
    context
        .error(kinds::broadcast_shapes,
               fmt::format("the batch dimensions of {} and {} do not broadcast", describe(a), describe(b)))
        .help = "all but the last two dimensions are equal, or 1";
    return false;
  }
  const auto normal = normalise(a, b, b_is_nk);
  if (!normal) return fail_batch(context, *batch);
  if (backwards(a)) return fail_stride(context, a);
  if (backwards(b)) return fail_stride(context, b);
  if (!unit_stride(normal->a)) return fail_stride(context, a);
  if (!unit_stride(normal->b)) return fail_stride(context, b);
  Shape shape(a.shape.size() < 2 ? Shape{} : *batch);
  if (a.shape.size() >= 2) shape.push_back(back(a.shape, 2));
  shape.push_back(back(b.shape, b_is_nk ? 2 : 1));
  context.result(is_floating(a.dtype) ? a.dtype : DType::i32, std::move(shape));
  return true;
}

}  // namespace uc::ops
