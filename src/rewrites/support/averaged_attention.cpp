#include "rewrites/support/averaged_attention.h"

#include <algorithm>
#include <cmath>

namespace uc::rewrites {
namespace {

// Scores where `seen`, else what weighs nothing.
std::optional<ValueId> hidden(Simplifier& s, std::optional<ValueId> scores, std::optional<ValueId> seen) {
  if (!scores || !seen) return std::nullopt;
  return s.op("where", {*seen, *scores, s.literal(-INFINITY)});
}

// A triangle of the scores, and where a query sees them.
std::optional<ValueId> causal(Simplifier& s, ValueId scores) {
  Attrs rows;
  rows.set("dim", int64_t{-2});
  Attrs columns;
  columns.set("dim", int64_t{-1});
  const auto query = s.op("index", {scores}, std::move(rows));
  const auto key = s.op("index", {scores}, std::move(columns));
  const auto seen = query && key ? s.op("le", {*key, *query}) : std::nullopt;
  return hidden(s, s.op("tril", {scores}), seen);
}

std::optional<ValueId> weights(Simplifier& s, const Op& op) {
  const auto turned = s.op("transpose", {op.in[1]});
  auto scores = turned ? s.op("gemm", {op.in[0], *turned}) : std::nullopt;
  if (!scores) return std::nullopt;
  const auto features = static_cast<double>(s[op.in[0]].shape.back());
  scores = s.op("mul", {*scores, s.literal(op.attrs.get_float("scale", 1 / std::sqrt(features)))});
  if (scores && op.attrs.get_bool("causal", false)) scores = causal(s, *scores);
  if (const auto mask = operand(op, "mask")) scores = hidden(s, scores, op.in[*mask]);
  return scores ? s.op("softmax", {*scores}) : std::nullopt;
}

}  // namespace

std::optional<ValueId> averaged_attention(Simplifier& s, const Op& op, std::string_view reduction,
                                          const DimSet& dims) {
  const size_t rank = s[op.out[0]].shape.size();
  const size_t positions = rank - 2;
  const bool bshd = op.attrs.get_word("layout", "bhsd") == "bshd";
  const bool whole = op.attrs.get_word("norm", "softmax") == "softmax" && !operand(op, "score");
  const Shape& q = s[op.in[0]].shape;
  const Shape& k = s[op.in[1]].shape;
  if ((rank == 4 && (bshd || q[1] != k[1])) || !whole || std::ranges::find(dims, positions) == dims.end())
    return std::nullopt;
  const auto all = weights(s, op);
  const auto mean = all ? reduced(s, reduction, *all, {positions}) : std::nullopt;
  const auto y = mean ? s.op("gemm", {*mean, op.in[2]}) : std::nullopt;
  DimSet rest = dims;
  std::erase(rest, positions);
  return y && !rest.empty() ? reduced(s, reduction, *y, rest) : y;
}

}  // namespace uc::rewrites
