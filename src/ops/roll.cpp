// roll: elements moved around the ends of dimensions.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ops/detail/gathering.h"
#include "ops/detail/pieces.h"
#include "ops/view_row.h"

namespace uc::ops {
namespace {

using Tensors = std::span<const HostTensor* const>;

constexpr ParamSpec kRollParams[] = {
    kX,
    {"shifts", ParamKind::integers, {}, true, {}, "places that elements move up by, around the end"},
    {"dims", ParamKind::integers, {}, false, {}, "one a shift; absent: over all elements in order"}};

bool infer_roll(InferContext& context) {
  const Value& x = context.in(0);
  const Dims shifts = list(context.op().attrs, "shifts");
  const Dims dims = list(context.op().attrs, "dims");
  const size_t wanted = context.op().attrs.has("dims") ? dims.size() : 1;
  if (shifts.size() != wanted) {
    context.error(kinds::dims_once, fmt::format("{} shifts for {} dimensions", shifts.size(), dims.size()))
        .help = "one shift a dimension: `roll(x, [1, -2], [0, 1])`";
    return false;
  }
  for (const int64_t dim : dims) {
    if (!dimension(context, dim, x.shape.size())) return false;
  }
  context.result(x.dtype, x.shape, dense_like(x.shape, x.stride));
  return true;
}

// How far each dimension turns back to find an element, from 0 to its extent; a dimension named twice turns
// twice.
Dims turns(const Attrs& attrs, const Shape& shape) {
  Dims out(shape.size(), 0);
  const Dims shifts = list(attrs, "shifts");
  const Dims dims = list(attrs, "dims");
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto d = static_cast<size_t>(dims[i] < 0 ? dims[i] + static_cast<int64_t>(shape.size()) : dims[i]);
    out[d] = (out[d] + shifts[i] % shape[d] + shape[d]) % shape[d];
  }
  return out;
}

void reference_roll(const Program&, const Op& op, Tensors in, std::span<HostTensor> out) {
  const bool flat = !op.attrs.has("dims");
  const Shape shape = flat ? Shape{out[0].count()} : out[0].shape;
  Attrs attrs = op.attrs;
  if (flat) attrs.set("dims", Dims{0});
  const Dims back = turns(attrs, shape);
  copy_from(*in[0], out[0], 0, [&](int64_t i) {
    int64_t at = 0;
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0; i /= shape[d]) {
      at += (i % shape[d] - back[d] + shape[d]) % shape[d] * stride;
      stride *= shape[d];
    }
    return at;
  });
}

// What came around the end, and what moved on.
std::vector<Piece> pieces_of_roll(const Program& program, const Op& op) {
  const Shape& shape = program[op.in[0]].shape;
  Attrs attrs = op.attrs;
  if (!attrs.has("dims")) {
    if (shape.size() != 1) return {};  // around the ends of all dimensions: no boxes
    attrs.set("dims", Dims{0});
  }
  const Dims back = turns(attrs, shape);
  std::vector<std::vector<Segment>> along;
  for (size_t d = 0; d < shape.size(); ++d)
    along.push_back({{0, back[d], shape[d] - back[d], 1}, {back[d], shape[d] - back[d], 0, 1}});
  return boxes_of(along);
}

Work moves_only(const Program&, const Op&) { return {}; }

bool import_roll(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto shifts = context.integers(op, 1, "shifts");
  auto dims = context.integers(op, 2, "dims");
  if (!x || !shifts) return false;
  Attrs attrs;
  attrs.set("shifts", std::move(*shifts));
  if (dims && !dims->empty()) attrs.set("dims", std::move(*dims));
  return finish(context, op, context.apply("roll", {*x}, std::move(attrs)));
}

constexpr AtenImport kRollAten[] = {{"aten.roll.default", import_roll}};

constexpr std::string_view kRollExamples[] = {UC_STEP_EXAMPLE("roll(x, 3, 1)"),
                                              UC_STEP_EXAMPLE("roll(x, [1, -2], [0, 1]) >> relu()")};

// Dimensions that do not turn keep their place.
Part needs_rolled(const Program& program, const Op& op, size_t i, size_t, const Part& result) {
  const Shape& shape = program[op.in[i]].shape;
  if (!op.attrs.has("dims"))
    return Part::share(shape, result.elements() / std::max(1.0, static_cast<double>(numel(shape))));
  const Dims back = turns(op.attrs, shape);
  Part out = result;
  out.lose_triangle();
  if (out.inside < 1)
    return Part::share(shape, result.elements() / std::max(1.0, static_cast<double>(numel(shape))));
  for (size_t d = 0; d < shape.size(); ++d) {
    if (back[d] == 0 || out.box[d].count == shape[d]) continue;
    const Part::Range range = out.box[d];
    const int64_t first = (range.first - back[d] + shape[d]) % shape[d];
    if (first + range.count <= shape[d]) {
      out.box[d] = {first, range.count};
    } else {  // around the end: the larger piece
      const int64_t ahead = shape[d] - first;
      out.box[d] = 2 * ahead > range.count ? Part::Range{first, ahead} : Part::Range{0, range.count - ahead};
    }
  }
  return out;
}

constexpr OpSpec kRows[] = {
    {.name = "roll",
     .summary = "elements moved along dimensions; what leaves at the end comes in at the start",
     .family = "data",
     .place = Place::step,
     .params = kRollParams,
     .infer = infer_roll,
     .reference = reference_roll,
     .pieces = pieces_of_roll,
     .work = moves_only,
     .needs = needs_rolled,
     .aten = kRollAten,
     .examples = kRollExamples},
};

}  // namespace

std::span<const OpSpec> roll_rows() { return kRows; }

}  // namespace uc::ops
