#include "ops/detail/attention_import.h"

#include <optional>
#include <utility>
#include <vector>

#include "ops/detail/affine.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// A mask as [batch, heads, queries, keys] has it: of three dimensions, one of q of rank 3 has no heads.
std::optional<ValueId> mask_of_scores(ImportContext& context, ValueId mask, ValueId q) {
  const Program& program = context.program();
  if (program[q].shape.size() != 3 || program[mask].shape.size() != 3) return mask;
  Attrs attrs;
  attrs.set("dim", int64_t{1});
  return context.apply("unsqueeze", {mask}, std::move(attrs));
}

// What is added to the scores: `score=it + mask`. A softmax of its own would make NaN of a row of -inf.
std::optional<ValueId> score_plus(ImportContext& context, const std::vector<ValueId>& qkv, ValueId mask,
                                  const Attrs& attention) {
  Attrs attrs;
  if (const AttrValue* scale = attention.find("scale")) attrs.set("scale", *scale);
  const auto it = context.inside("attention_scores", {qkv[0], qkv[1]}, std::move(attrs));
  return it ? context.inside("add", {*it, mask}) : std::nullopt;
}

}  // namespace

bool import_sdpa(ImportContext& context, const GraphOp& op) {
  std::vector<ValueId> in;
  for (size_t i = 0; i < 3; ++i) {
    const auto value = context.value(op, i);
    if (!value) return false;
    in.push_back(*value);
  }
  if (context.number(op, 4, "dropout_p").value_or(0.0) != 0.0) return false;
  Attrs attrs;
  if (context.integer(op, 5, "is_causal").value_or(0) != 0) attrs.set("causal", true);
  if (const auto scale = context.number(op, 6, "scale")) attrs.set("scale", *scale);
  std::optional<ValueId> mask = context.value(op, 3);
  std::optional<ValueId> score;
  if (mask) {
    mask = mask_of_scores(context, *mask, in[0]);
    if (!mask) return false;
    if (context.program()[*mask].dtype != DType::boolean) {
      score = score_plus(context, in, *mask, attrs);
      if (!score) return false;
      mask = std::nullopt;
    }
  }
  return finish(context, op,
                apply_given(context, "attention", {in[0], in[1], in[2], mask, score}, std::move(attrs)));
}

}  // namespace uc::ops
