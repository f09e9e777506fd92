// Reductions of the running value after `>>`, by rows or by columns: what is not stored before is never
// written.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

// Dimension counted from the end: 1 is the last. A row lies along the last, a column along the one before.
constexpr size_t kRow = 1;
constexpr size_t kColumn = 2;

constexpr ParamSpec kParams[] = {
    kX, {"op", ParamKind::word, "sum", false, "sum|mean|max|min", "how elements combine"}, kKeepdim};

template <size_t FromEnd>
bool infer(InferContext& context) {
  const Value& x = context.in(0);
  const std::string how = context.op().attrs.get_word("op", "sum");
  if (x.shape.size() < FromEnd) {
    context.error(kinds::operand_rank, fmt::format("{} has rank {}", describe(x), x.shape.size())).help =
        fmt::format("a running value of rank {} or more", FromEnd);
    return false;
  }
  if (how == "mean" && !must_be_floating(context, 0)) return false;
  const bool ordered = how == "max" || how == "min";
  const bool keepdim = context.op().attrs.get_bool("keepdim", false);
  context.result(reduced_type(ordered ? Reduced::same : Reduced::summed, x.dtype),
                 without(x.shape, {x.shape.size() - FromEnd}, keepdim));
  return true;
}

struct Combining {
  Compute compute;
  std::string how;
  double operator()(Floats row) const {
    if (how == "sum") return compute(sum(row));
    if (how == "mean") return compute(compute(sum(row)) / static_cast<double>(row.size()));
    double best = row[0];
    for (const double value : row) {
      if (std::isnan(value)) return value;
      best = how == "max" ? std::max(best, value) : std::min(best, value);
    }
    return best;
  }
  int64_t operator()(Wholes row) const {
    if (how == "max") return *std::ranges::max_element(row);
    return how == "min" ? *std::ranges::min_element(row) : sum(row);
  }
};

template <size_t FromEnd>
void reference(const Program&, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  const Slices slices(in[0]->shape, {in[0]->shape.size() - FromEnd});
  over_slices(*in[0], slices, out[0], Combining{Compute(*in[0]), op.attrs.get_word("op", "sum")});
}

template <size_t FromEnd>
RowScope scope(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  return {.dims = {shape.size() - FromEnd}, .extent = shape[shape.size() - FromEnd], .whole = false};
}

std::optional<Combined> combine(const Program& program, const Op& op) {
  const std::string how = op.attrs.get_word("op", "sum");
  if (how == "max") return combined<Combine::max>(program, op);
  if (how == "min") return combined<Combine::min>(program, op);
  return how == "mean" ? combined<Combine::sum, true>(program, op) : combined<Combine::sum>(program, op);
}

template <size_t FromEnd>
std::vector<NodeId> row_scalar(ScalarBuilder& b, RowNodes in, const Program& program, const Op& op) {
  const std::string how = op.attrs.get_word("op", "sum");
  const Shape& shape = program[op.in[0]].shape;
  const NodeId met = b.across(how == "max"   ? Combine::max
                              : how == "min" ? Combine::min
                                             : Combine::sum,
                              in[0]);
  if (how != "mean") return {met};
  return {b.mul(met, b.constant(1.0 / static_cast<double>(shape[shape.size() - FromEnd])))};
}

constexpr std::string_view kRowExamples[] = {UC_FUSED_EXAMPLE("square() >> row_reduce()"),
                                             UC_FUSED_EXAMPLE("row_reduce(max, keepdim=true)")};
constexpr std::string_view kColumnExamples[] = {UC_FUSED_EXAMPLE("col_reduce(mean)"),
                                                UC_FUSED_EXAMPLE("relu() >> col_reduce(op=min)")};

constexpr OpSpec kRows[] = {
    {.name = "row_reduce",
     .summary = "each row of the running value (along the last dimension) gives one element",
     .family = "reduce",
     .place = Place::fused,
     .params = kParams,
     .reduces = true,
     .rows = scope<kRow>,
     .combine = combine,
     .infer = infer<kRow>,
     .row_scalar = row_scalar<kRow>,
     .reference = reference<kRow>,
     .work = reduction_work<1, 0, 1, 0>,
     .examples = kRowExamples},
    {.name = "col_reduce",
     .summary = "each column of the running value (along the last dimension but one) gives one element",
     .family = "reduce",
     .place = Place::fused,
     .params = kParams,
     .reduces = true,
     .rows = scope<kColumn>,
     .combine = combine,
     .infer = infer<kColumn>,
     .row_scalar = row_scalar<kColumn>,
     .reference = reference<kColumn>,
     .work = reduction_work<1, 0, 1, 0>,
     .examples = kColumnExamples},
};

}  // namespace

std::span<const OpSpec> row_reduce_rows() { return kRows; }

}  // namespace uc::ops
