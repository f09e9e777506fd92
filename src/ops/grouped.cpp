// grouped_gemm: products of groups of rows, each with its own matrix, whose bounds are data.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "exec/multiply.h"
#include "exec/view.h"
#include "ops/detail/gathering.h"
#include "ops/detail/parts.h"
#include "ops/detail/step_math.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kParams[] = {
    {"A", ParamKind::tensor, {}, true, {}, "[T, K]: rows in groups; or [M, T]: columns in groups"},
    {"B", ParamKind::tensor, {}, true, {}, "[G, K, N]; or [T, N] beside A of [M, T]"},
    {"offsets", ParamKind::tensor, {}, true, {}, "i32[G]: where each group ends, not decreasing"}};

// Rows of A are grouped when every group has its own B; else the summed dimension is.
bool by_rows(const Shape& b) { return b.size() == 3; }

bool fits(const Shape& a, const Shape& b, const Shape& offsets) {
  if (a.size() != 2 || offsets.size() != 1 || (b.size() != 2 && b.size() != 3)) return false;
  return by_rows(b) ? b[0] == offsets[0] && b[1] == a[1] : b[0] == a[1];
}

bool infer(InferContext& context) {
  const Value& a = context.in(0);
  const Value& b = context.in(1);
  const Value& offsets = context.in(2);
  if (a.dtype != b.dtype || !is_floating(a.dtype)) {
    context
        .error(kinds::contraction_type,
               fmt::format("a contraction of {} with {}", name(a.dtype), name(b.dtype)))
        .help = "bring both to one floating type in a step before: `t = to(A, f16)`";
    return false;
  }
  const bool integers = offsets.dtype == DType::i32 || offsets.dtype == DType::i64;
  if (!integers || !fits(a.shape, b.shape, offsets.shape)) {
    context
        .error(kinds::grouped_shape, fmt::format("`grouped_gemm` of {}, {} and {} {}", describe(a),
                                                 describe(b), describe(offsets), name(offsets.dtype)))
        .help = "A[T, K], B[G, K, N] and offsets i32[G]; or A[M, T], B[T, N] and offsets i32[G]";
    return false;
  }
  if (by_rows(b.shape)) {
    context.result(a.dtype, {a.shape[0], b.shape[2]});
  } else {
    context.result(a.dtype, {offsets.shape[0], a.shape[0], b.shape[1]});
  }
  return true;
}

HostTensor slice(const HostTensor& x, const Shape& shape, int64_t offset) {
  const Strides strides = row_major(x.shape);
  return read_view(x, strides, {shape, Strides(strides.end() - 2, strides.end()), offset});
}

template <class T>
void put(const HostTensor& from, HostTensor& to, int64_t at) {
  std::ranges::copy(std::get<T>(from.data), std::get<T>(to.data).begin() + at);
}

void put_at(const HostTensor& from, HostTensor& to, int64_t at) {
  if (std::holds_alternative<std::vector<double>>(to.data)) {
    put<std::vector<double>>(from, to, at);
  } else {
    put<std::vector<float>>(from, to, at);
  }
}

// Groups of rows; groups along the summed dimension have no kernel.
std::optional<Kernel> lower(const Program& program, const Op& op) {
  const Value& a = program[op.in[0]];
  const Value& b = program[op.in[1]];
  const Value& ends = program[op.in[2]];
  if (!by_rows(b.shape)) return std::nullopt;
  Contraction kernel;
  kernel.a = {a.root, a.dtype, {1, a.shape[0], a.shape[1]}, {0, a.stride[0], a.stride[1]}, a.offset};
  kernel.b = {b.root,
              b.dtype,
              {b.shape[0], b.shape[2], b.shape[1]},
              {b.stride[0], b.stride[2], b.stride[1]},
              b.offset};
  kernel.ends = View{ends.root, ends.dtype, ends.shape, ends.stride, ends.offset};
  kernel.accumulate = a.dtype == DType::f64 ? DType::f64 : DType::f32;
  return kernel;
}

// Offsets that decrease or pass the end make empty or shortened groups; rows of no group are 0.
void reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  const HostTensor& a = *in[0];
  const HostTensor& b = *in[1];
  const bool rows = by_rows(b.shape);
  const int64_t total = a.shape[rows ? 0 : 1];
  const int64_t n = b.shape.back();
  int64_t begin = 0;
  for (int64_t g = 0; g < in[2]->count(); ++g) {
    const int64_t end = std::clamp(index_at(*in[2], g), begin, total);
    const int64_t count = end - begin;
    if (count == 0) continue;
    const int64_t m = rows ? count : a.shape[0];
    HostTensor product = HostTensor::zeros(a.dtype, {m, n});
    const HostTensor left =
        rows ? slice(a, {count, a.shape[1]}, begin * a.shape[1]) : slice(a, {m, count}, begin);
    const HostTensor right =
        rows ? slice(b, {b.shape[1], n}, g * b.shape[1] * n) : slice(b, {count, n}, begin * n);
    multiply(left, right, false, math_of(program, op), product);
    put_at(product, out[0], rows ? begin * n : g * m * n);
    begin = end;
  }
}

// Dense in either form: every row meets one matrix, every column one partner.
Work work(const Program& program, const Op& op) {
  const Shape& a = program[op.in[0]].shape;
  return {.tensor_flops =
              2.0 * static_cast<double>(numel(a)) * static_cast<double>(program[op.in[1]].shape.back())};
}

// _grouped_mm(A, B, offs, bias, out_dtype)
bool import_grouped(ImportContext& context, const GraphOp& op) {
  const auto a = context.value(op, 0);
  const auto b = context.value(op, 1);
  const auto offsets = context.value(op, 2);
  if (!a || !b || !offsets || context.value(op, 3)) return false;
  return finish(context, op, context.apply("grouped_gemm", {*a, *b, *offsets}));
}

constexpr AtenImport kAten[] = {{"aten._grouped_mm.default", import_grouped}};

constexpr std::string_view kExamples[] = {
    "target sm_90a\ninput A: bf16[96, 64]\nparam B: bf16[4, 64, 32]\ninput ends: i32[4]\n"
    "C = grouped_gemm(A, B, ends) >> relu() >> to(f32)\nreturn C\n",
    "target sm_90a\nprecision tf32\ninput A: f32[64, 96]\ninput B: f32[96, 32]\ninput ends: i32[4]\n"
    "C = grouped_gemm(A, B, ends)\nreturn C\n"};

// Rows keep their place; which of them meet which B is data.
Part needs(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const Shape& shape = program[op.in[i]].shape;
  if (i == 0 && by_rows(program[op.in[1]].shape)) return projected(part, shape, {0, kAll});
  return needs_all_or_none(program, op, i, result, part);
}

constexpr OpSpec kRows[] = {
    {.name = "grouped_gemm",
     .summary = "rows up to offsets[0] times B[0], from there to offsets[1] times B[1], ...; or grouped sums",
     .family = "contraction",
     .place = Place::step,
     .params = kParams,
     .memory_operands = true,
     .infer = infer,
     .reference = reference,
     .lower = lower,
     .work = work,
     .needs = needs,
     .aten = kAten,
     .examples = kExamples},
};

}  // namespace

std::span<const OpSpec> grouped_rows() { return kRows; }

}  // namespace uc::ops
