// What looks at where an element stands: triangles, and the coordinate itself.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "catalog/scalar_builder.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

using Nodes = std::span<const NodeId>;

constexpr ParamSpec kTriangleParams[] = {
    kX,
    {"diagonal", ParamKind::integer, "0", false, {}, "0: the main one; above it from 1, below it from -1"}};
constexpr ParamSpec kIndexParams[] = {kX,
                                      {"dim", ParamKind::integer, {}, true, {}, "the dimension to count in"}};

bool infer_triangle(InferContext& context) {
  if (context.in(0).shape.size() >= 2) return infer_pointwise(context);
  context
      .error(kinds::operand_rank, fmt::format("`{}` of {}", context.op().spec->name, describe(context.in(0))))
      .help = "a triangle is of the last two dimensions, so the rank is 2 or more";
  return false;
}

// Elements whose column - row is on the side of the diagonal; the others are 0, whatever they were.
template <Word Compare>
NodeId triangle(ScalarBuilder& b, Nodes in, const Attrs& attrs) {
  ScalarBuilder whole = b.whole();
  const NodeId above = whole.sub(whole.coordinate(-1), whole.coordinate(-2));
  const auto diagonal = static_cast<double>(attrs.get_int("diagonal", 0));
  const NodeId kept = whole.call(Compare.view(), {above, whole.constant(diagonal)});
  return b.select(kept, in[0], b.constant(0));
}

// What lies on the kept side of the diagonal.
template <bool Upper>
Part kept(const Program& program, const Op& op, size_t i, size_t, const Part& result) {
  const Shape& shape = program[op.in[i]].shape;
  Part out = broadcast_part(result, program[op.out[0]].shape, shape);
  out.keep({shape.size() - 2, shape.size() - 1, op.attrs.get_int("diagonal", 0), Upper});
  return out;
}

bool infer_index(InferContext& context) {
  const Value& x = context.in(0);
  if (!dimension(context, context.op().attrs.get_int("dim", 0), x.shape.size())) return false;
  context.result(DType::i64, x.shape, pointwise_strides(context, x.shape));
  return true;
}

NodeId index(ScalarBuilder& b, Nodes, const Attrs& attrs) { return b.coordinate(attrs.get_int("dim", 0)); }

template <Word Name>
bool import_triangle(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  if (const int64_t diagonal = context.integer(op, 1, "diagonal").value_or(0); diagonal != 0)
    attrs.set("diagonal", diagonal);
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

constexpr AtenImport kTriuAten[] = {{"aten.triu.default", import_triangle<"triu">}};
constexpr AtenImport kTrilAten[] = {{"aten.tril.default", import_triangle<"tril">}};

constexpr std::string_view kTriuExamples[] = {UC_STEP_EXAMPLE("triu(x, diagonal=1)"),
                                              UC_FUSED_EXAMPLE("triu()")};
constexpr std::string_view kTrilExamples[] = {UC_STEP_EXAMPLE("tril(x * 2, -3)"), UC_FUSED_EXAMPLE("tril()")};
constexpr std::string_view kIndexExamples[] = {UC_STEP_EXAMPLE("where(index(x, 1) < 40, x, 0)"),
                                               UC_FUSED_EXAMPLE("map(it * (index(it, -1) == index(it, 0)))")};

constexpr OpSpec kRows[] = {
    {.name = "triu",
     .summary = "the upper triangle of the last two dimensions; zeros below",
     .family = "pointwise",
     .params = kTriangleParams,
     .infer = infer_triangle,
     .scalar = triangle<"ge">,
     .needs = kept<true>,
     .aten = kTriuAten,
     .examples = kTriuExamples},
    {.name = "tril",
     .summary = "the lower triangle of the last two dimensions; zeros above",
     .family = "pointwise",
     .params = kTriangleParams,
     .infer = infer_triangle,
     .scalar = triangle<"le">,
     .needs = kept<false>,
     .aten = kTrilAten,
     .examples = kTrilExamples},
    {.name = "index",
     .summary = "where each element stands along a dimension, from 0",
     .family = "pointwise",
     .params = kIndexParams,
     .infer = infer_index,
     .scalar = index,
     .examples = kIndexExamples},
};

}  // namespace

std::span<const OpSpec> triangles_rows() { return kRows; }

}  // namespace uc::ops
