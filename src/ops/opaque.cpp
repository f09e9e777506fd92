// Operators that no program says, and speed of light bounds all the same: what import cannot read, and random
// numbers.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "ir/graph.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// ---- opaque

// Types as words in attribute `out`, and in `out_shape` each result's rank and extents.
bool infer_opaque(InferContext& context) {
  const Attrs& attrs = context.op().attrs;
  const AttrValue* shapes = attrs.find("out_shape");
  const auto* numbers = shapes == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(shapes);
  if (numbers == nullptr) return false;
  auto at = numbers->begin();
  const std::string words = attrs.get_word("out", "");
  for (const std::string_view word : split(words, ' ')) {
    const auto type = parse_dtype(word);
    if (!type || at == numbers->end() || *at >= numbers->end() - at) return false;
    context.result(*type, Shape(at + 1, at + 1 + *at));
    at += *at + 1;
  }
  return true;
}

constexpr ParamSpec kOpaqueParams[] = {{"x", ParamKind::tensors, {}, false, {}, "all that it reads"}};

// ---- random

bool infer_random(InferContext& context) {
  const Attrs& attrs = context.op().attrs;
  const AttrValue* shape = attrs.find("shape");
  const AttrValue* type = attrs.find("dtype");
  if (shape == nullptr || type == nullptr) return false;
  context.result(std::get<DType>(*type), std::get<std::vector<int64_t>>(*shape));
  return true;
}

// Which instructions draw a number is the generator's choice: none are counted.
Work random_work(const Program&, const Op&) { return {}; }

// torch: randn(size), rand(size).
bool import_drawn(ImportContext& context, const GraphOp& op) {
  auto shape = context.integers(op, 0, "size");
  if (!shape || !context.bounds_only()) return false;
  Attrs attrs;
  attrs.set("shape", std::move(*shape));
  attrs.set("dtype", context.dtype(op, 1, "dtype").value_or(DType::f32));
  return finish(context, op, context.apply("random", {}, std::move(attrs)));
}

constexpr AtenImport kRandomAten[] = {{"aten.randn.default", import_drawn},
                                      {"aten.rand.default", import_drawn}};

constexpr OpSpec kRows[] = {
    {.name = "opaque",
     .summary = "an operator that import cannot read; its bytes are counted",
     .family = "bounds",
     .place = Place::inner,
     .params = kOpaqueParams,
     .infer = infer_opaque},
    {.name = "random",
     .summary = "numbers that every call draws anew, from `low` to `high` where these are known",
     .family = "bounds",
     .place = Place::inner,
     .params = {},
     .drawn = true,
     .infer = infer_random,
     .work = random_work,
     .aten = kRandomAten},
};

}  // namespace

std::span<const OpSpec> opaque_rows() { return kRows; }

}  // namespace uc::ops
