// Reductions: many elements give one. Sums are taken in f64 and rounded to f32 (f64 stays, integers in i64
// wrap), which no order of summation in f32 is better than.
#include <cmath>
#include <span>

#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

struct Sum {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const { return compute(sum(row)); }
  int64_t operator()(Wholes row) const { return sum(row); }
};

struct Mean {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const { return compute(compute(sum(row)) / static_cast<double>(row.size())); }
  double operator()(Wholes row) const { return static_cast<double>(sum(row)); }  // refused by infer
};

struct Product {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const {
    double product = 1;
    for (const double value : row) product *= value;
    return compute(product);
  }
  int64_t operator()(Wholes row) const {
    uint64_t product = 1;
    for (const int64_t value : row) product *= static_cast<uint64_t>(value);
    return static_cast<int64_t>(product);
  }
};

/// The place of the first NaN, else of the first of the greatest (least) elements.
template <bool Greatest, class Row>
size_t place_of(Row row) {
  size_t best = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    if constexpr (std::is_same_v<Row, Floats>) {
      if (std::isnan(row[i])) return i;
    }
    if (Greatest ? row[i] > row[best] : row[i] < row[best]) best = i;
  }
  return best;
}

template <bool Greatest>
struct Extreme {
  Compute compute;
  const Attrs& attrs;
  double operator()(Floats row) const { return row[place_of<Greatest>(row)]; }
  int64_t operator()(Wholes row) const { return row[place_of<Greatest>(row)]; }
};

template <bool Greatest>
struct ExtremePlace {
  Compute compute;
  const Attrs& attrs;
  int64_t operator()(Floats row) const { return static_cast<int64_t>(place_of<Greatest>(row)); }
  int64_t operator()(Wholes row) const { return static_cast<int64_t>(place_of<Greatest>(row)); }
};

template <bool Every>
struct Truth {
  Compute compute;
  const Attrs& attrs;
  int64_t operator()(Floats row) const { return of(row); }
  int64_t operator()(Wholes row) const { return of(row); }

 private:
  template <class Row>
  static int64_t of(Row row) {
    const auto holds = [](auto value) { return value != 0; };
    return (Every ? std::ranges::all_of(row, holds) : std::ranges::any_of(row, holds)) ? 1 : 0;
  }
};

// 1 where an element is not zero, in integers: the greatest of them (any), or the least (all).
template <bool Every>
std::vector<NodeId> row_truth(ScalarBuilder& b, RowNodes in, const Program&, const Op&) {
  ScalarBuilder whole = b.whole();
  std::vector<NodeId> out;
  for (const NodeId x : in)
    out.push_back(whole.across(Every ? Combine::min : Combine::max, b.call("ne", {x, b.constant(0)})));
  return out;
}

// ---- import

// x.max(), x.sum(dtype=): over everything.
template <Word Name>
bool import_whole(ImportContext& context, const GraphOp& op) {
  const auto type = context.dtype(op, op.args.size(), "dtype");
  const auto x = converted(context, context.value(op, 0), type);
  if (!x || context.program()[*x].shape.empty()) return false;
  auto dims = captured_dims(context, op, op.args.size(), context.program()[*x].shape.size());
  const auto y = apply_reduction(context, Name.view(), *x, std::move(dims), false);
  return finish(context, op, converted(context, y, type));
}

// max(x, dim) gives values and indices; what nobody reads is dropped by the importer.
template <Word Values, Word Indices>
bool import_with_indices(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  const auto dim = context.integer(op, 1, "dim");
  if (!x || !dim || op.out.size() != 2) return false;
  const bool keepdim = context.integer(op, 2, "keepdim").value_or(0) != 0;
  const auto values = apply_reduction(context, Values.view(), *x, {*dim}, keepdim);
  const auto indices = apply_reduction(context, Indices.view(), *x, {*dim}, keepdim);
  if (!values || !indices) return false;
  context.result(op, 0, *values);
  context.result(op, 1, *indices);
  return true;
}

constexpr AtenImport kSumAten[] = {{"aten.sum.default", import_whole<"sum">},
                                   {"aten.sum.dim_IntList", import_reduction<"sum">}};
constexpr AtenImport kMeanAten[] = {{"aten.mean.default", import_whole<"mean">},
                                    {"aten.mean.dim", import_reduction<"mean">}};
constexpr AtenImport kProdAten[] = {{"aten.prod.default", import_whole<"prod">},
                                    {"aten.prod.dim_int", import_reduction<"prod">}};
constexpr AtenImport kMaxAten[] = {{"aten.max.default", import_whole<"max">},
                                   {"aten.max.dim", import_with_indices<"max", "argmax">},
                                   {"aten.amax.default", import_reduction<"max">}};
constexpr AtenImport kMinAten[] = {{"aten.min.default", import_whole<"min">},
                                   {"aten.min.dim", import_with_indices<"min", "argmin">},
                                   {"aten.amin.default", import_reduction<"min">}};
constexpr AtenImport kArgmaxAten[] = {{"aten.argmax.default", import_reduction<"argmax">}};
constexpr AtenImport kArgminAten[] = {{"aten.argmin.default", import_reduction<"argmin">}};
constexpr AtenImport kAnyAten[] = {{"aten.any.default", import_whole<"any">},
                                   {"aten.any.dim", import_reduction<"any">},
                                   {"aten.any.dims", import_reduction<"any">}};
constexpr AtenImport kAllAten[] = {{"aten.all.default", import_whole<"all">},
                                   {"aten.all.dim", import_reduction<"all">},
                                   {"aten.all.dims", import_reduction<"all">}};

constexpr std::string_view kSumExamples[] = {
    UC_ROWS_EXAMPLE("sum(x * x, dim=1)"),
    "target sm_90a\ninput x: f32[8, 16, 32]\ns, q = sum(x, x * x, dim=[1, 2])\nreturn s, q\n"};
constexpr std::string_view kMeanExamples[] = {UC_ROWS_EXAMPLE("mean(x, dim=-1, keepdim=true)"),
                                              UC_ROWS_EXAMPLE("mean(x, dim=[0, 2])")};
constexpr std::string_view kProdExamples[] = {UC_ROWS_EXAMPLE("prod(x, dim=0)"),
                                              UC_ROWS_EXAMPLE("prod(x * 0.5, dim=[0, 1])")};
constexpr std::string_view kMaxExamples[] = {UC_ROWS_EXAMPLE("max(x, dim=1)"),
                                             UC_ROWS_EXAMPLE("max(abs(x), dim=[1, 2], keepdim=true)")};
constexpr std::string_view kMinExamples[] = {UC_ROWS_EXAMPLE("min(x, dim=1)"),
                                             UC_ROWS_EXAMPLE("min(x, dim=[-2, -1])")};
constexpr std::string_view kArgmaxExamples[] = {UC_ROWS_EXAMPLE("argmax(x, dim=1)"),
                                                UC_ROWS_EXAMPLE("argmax(x, dim=-1, keepdim=true)")};
constexpr std::string_view kArgminExamples[] = {UC_ROWS_EXAMPLE("argmin(x, dim=1)"),
                                                UC_ROWS_EXAMPLE("argmin(x * x, dim=2)")};
constexpr std::string_view kAnyExamples[] = {UC_ROWS_EXAMPLE("any(x > 2, dim=1)"),
                                             UC_ROWS_EXAMPLE("any(x, dim=[0, 1, 2])")};
constexpr std::string_view kAllExamples[] = {UC_ROWS_EXAMPLE("all(x > -2, dim=1)"),
                                             UC_ROWS_EXAMPLE("all(x, dim=0, keepdim=true)")};

constexpr OpSpec kRows[] = {
    {.name = "sum",
     .summary = "sum over dimensions; i64 of integers and bool",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .combine = combined<Combine::sum>,
     .infer = infer_reduction<Reduced::summed>,
     .row_scalar = row_combined<Combine::sum>,
     .reference = reduce<Sum>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kSumAten,
     .examples = kSumExamples},
    {.name = "mean",
     .summary = "arithmetic mean over dimensions",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .combine = combined<Combine::sum, true>,
     .infer = infer_reduction<Reduced::floating>,
     .row_scalar = row_combined<Combine::sum, true>,
     .reference = reduce<Mean>,
     .work = reduction_work<1, 0, 1, 0>,
     .needs = needs_reduced,
     .aten = kMeanAten,
     .examples = kMeanExamples},
    {.name = "prod",
     .summary = "product over dimensions; i64 of integers and bool",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::summed>,
     .row_scalar = row_combined<Combine::product>,
     .reference = reduce<Product>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kProdAten,
     .examples = kProdExamples},
    {.name = "max",
     .summary = "greatest element over dimensions, NaN when one is; of two tensors: `maximum`",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .combine = combined<Combine::max>,
     .infer = infer_reduction<Reduced::same>,
     .row_scalar = row_combined<Combine::max>,
     .reference = reduce<Extreme<true>>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kMaxAten,
     .examples = kMaxExamples},
    {.name = "min",
     .summary = "least element over dimensions, NaN when one is; of two tensors: `minimum`",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .combine = combined<Combine::min>,
     .infer = infer_reduction<Reduced::same>,
     .row_scalar = row_combined<Combine::min>,
     .reference = reduce<Extreme<false>>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kMinAten,
     .examples = kMinExamples},
    {.name = "argmax",
     .summary = "place of the greatest element, the first of equals or of NaNs, as i64; over several "
                "dimensions counted in row-major order",
     .family = "reduce",
     .params = kReduceOneParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::index>,
     .row_scalar = row_combined<Combine::argmax>,
     .reference = reduce<ExtremePlace<true>>,
     .work = reduction_work<2, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kArgmaxAten,
     .examples = kArgmaxExamples},
    {.name = "argmin",
     .summary = "place of the least element, the first of equals or of NaNs, as i64; over several dimensions "
                "counted in row-major order",
     .family = "reduce",
     .params = kReduceOneParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::index>,
     .row_scalar = row_combined<Combine::argmin>,
     .reference = reduce<ExtremePlace<false>>,
     .work = reduction_work<2, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kArgminAten,
     .examples = kArgminExamples},
    {.name = "any",
     .summary = "whether an element over the dimensions is not zero (NaN is not), as bool",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::boolean>,
     .row_scalar = row_truth<false>,
     .reference = reduce<Truth<false>>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kAnyAten,
     .examples = kAnyExamples},
    {.name = "all",
     .summary = "whether no element over the dimensions is zero, as bool",
     .family = "reduce",
     .params = kReduceParams,
     .reduces = true,
     .infer = infer_reduction<Reduced::boolean>,
     .row_scalar = row_truth<true>,
     .reference = reduce<Truth<true>>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_reduced,
     .aten = kAllAten,
     .examples = kAllExamples},
};

}  // namespace

std::span<const OpSpec> reduce_rows() { return kRows; }

}  // namespace uc::ops
