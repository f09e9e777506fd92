// Running sums and products along one dimension.
#include <fmt/format.h>
#include <span>

#include "catalog/diags_reduce.h"
#include "exec/view.h"
#include "ops/detail/affine.h"
#include "ops/detail/parts.h"
#include "ops/detail/reduction_row.h"

namespace uc::ops {
namespace {

bool mask_fits(InferContext& context) {
  const auto at = operand(context.op(), "mask");
  if (!at) return true;
  const Value& x = context.in(0);
  const Value& mask = context.in(*at);
  if (mask.dtype == DType::boolean && broadcast(mask.shape, x.shape) == x.shape) return true;
  context
      .error(kinds::mask_type,
             fmt::format("the mask {}, {}, for {}", describe(mask), name(mask.dtype), describe(x)))
      .help = mask.dtype == DType::boolean
                  ? fmt::format("give it a shape that broadcasts to {}", to_text(x.shape))
                  : "compare: `mask=m != 0`";
  return false;
}

bool infer_scan(InferContext& context) {
  const Value& x = context.in(0);
  if (!checked_dims(context, x.shape.size()) || !mask_fits(context)) return false;
  context.result(reduced_type(Reduced::summed, x.dtype), x.shape, dense_like(x.shape, x.stride));
  return true;
}

struct Added {
  static constexpr int64_t kNone = 0;
  static double step(double a, double b) { return a + b; }
  static int64_t step(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};

struct Multiplied {
  static constexpr int64_t kNone = 1;
  static double step(double a, double b) { return a * b; }
  static int64_t step(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
};

/// One pass over a slice. The running value is kept in f64: what is written is rounded, what goes on is not.
template <class Step, class Row>
void scan_slice(Row row, const Attrs& attrs, const Slices& slices, size_t slice, const HostTensor* mask,
                HostTensor& out) {
  using Value = std::remove_const_t<typename Row::value_type>;
  const bool reverse = attrs.get_bool("reverse", false);
  const bool exclusive = attrs.get_bool("exclusive", false);
  auto running = static_cast<Value>(Step::kNone);
  for (size_t i = 0; i < row.size(); ++i) {
    const size_t k = reverse ? row.size() - 1 - i : i;
    const size_t at = slices.at(slice, k);
    if (exclusive) put(out, at, running);
    if (mask == nullptr || mask->at(static_cast<int64_t>(at)) != 0) running = Step::step(running, row[k]);
    if (!exclusive) put(out, at, running);
  }
}

template <class Step>
void scan(const Program&, const Op& op, std::span<const HostTensor* const> in, std::span<HostTensor> out) {
  const HostTensor& x = *in[0];
  const HostTensor* given = operand_data(op, in, "mask");
  HostTensor mask;
  if (given != nullptr) {
    const Strides own = row_major(given->shape);
    const Strides wide = broadcast_strides(given->shape, own, x.shape);
    mask = read_view(*given, own, {x.shape, wide, 0});
  }
  const Slices slices(x.shape, dims_of(op, x.shape.size()));
  SliceReader reader(x, slices);
  for (size_t i = 0; i < slices.count(); ++i) {
    const HostTensor* masked = given == nullptr ? nullptr : &mask;
    if (reader.floating()) {
      scan_slice<Step>(reader.floats(i), op.attrs, slices, i, masked, out[0]);
    } else {
      scan_slice<Step>(reader.wholes(i), op.attrs, slices, i, masked, out[0]);
    }
  }
}

// ---- import

template <Word Name>
bool import_scan(ImportContext& context, const GraphOp& op) {
  const auto type = context.dtype(op, op.args.size(), "dtype");
  const auto x = converted(context, context.value(op, 0), type);
  const auto dim = context.integer(op, 1, "dim");
  if (!x || !dim) return false;
  Attrs attrs;
  attrs.set("dim", *dim);
  return finish(context, op, converted(context, context.apply(Name.view(), {*x}, std::move(attrs)), type));
}

constexpr ParamSpec kScanParams[] = {
    kX,
    {"mask", ParamKind::tensor, {}, false, {}, "bool: where false, nothing is added"},
    {"dim", ParamKind::integer, {}, true, {}, "the dimension to go along"},
    {"reverse", ParamKind::boolean, "false", false, {}, "from the end"},
    {"exclusive", ParamKind::boolean, "false", false, {}, "each element without itself"}};

constexpr AtenImport kCumsumAten[] = {{"aten.cumsum.default", import_scan<"cumsum">}};
constexpr AtenImport kCumprodAten[] = {{"aten.cumprod.default", import_scan<"cumprod">}};

constexpr std::string_view kCumsumExamples[] = {
    UC_ROWS_EXAMPLE("cumsum(x, dim=1, reverse=true)"),
    "target sm_90a\ninput x: f32[8, 64]\ninput m: bool[8, 64]\ny = cumsum(x, mask=m, dim=1, "
    "exclusive=true)\nreturn y\n"};
constexpr std::string_view kCumprodExamples[] = {UC_ROWS_EXAMPLE("cumprod(x, dim=-1)"),
                                                 UC_ROWS_EXAMPLE("cumprod(x * 0.5, dim=0, exclusive=true)")};

// An element is made of those before it, and of itself.
Part needs_scanned(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const Shape& shape = program[op.in[i]].shape;
  if (i != 0) return needs_all_or_none(program, op, i, result, part);
  const bool exclusive = op.attrs.get_bool("exclusive", false);
  if (part.inside < 1 || part.triangle) return exclusive ? Part::none(shape) : part;
  Part out = part;
  for (const size_t d : dims_of(op, shape.size())) {
    Part::Range& range = out.box[d];
    const bool reverse = op.attrs.get_bool("reverse", false);
    const int64_t cut = exclusive ? 1 : 0;
    range = reverse ? Part::Range{range.first + cut, shape[d] - range.first - cut}
                    : Part::Range{0, range.end() - cut};
  }
  return out;
}

constexpr OpSpec kRows[] = {
    {.name = "cumsum",
     .summary = "running sum along a dimension; i64 of integers and bool",
     .family = "scan",
     .params = kScanParams,
     .infer = infer_scan,
     .reference = scan<Added>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_scanned,
     .aten = kCumsumAten,
     .examples = kCumsumExamples},
    {.name = "cumprod",
     .summary = "running product along a dimension; i64 of integers and bool",
     .family = "scan",
     .params = kScanParams,
     .infer = infer_scan,
     .reference = scan<Multiplied>,
     .work = reduction_work<1, 0, 0, 0>,
     .needs = needs_scanned,
     .aten = kCumprodAten,
     .examples = kCumprodExamples},
};

}  // namespace

std::span<const OpSpec> scan_rows() { return kRows; }

}  // namespace uc::ops
