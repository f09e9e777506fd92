// Attention: every query's weighted mean of the values. The scores may be any expression over the scaled
// products; what a mask hides is selected away, so no score can bring it back.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "exec/multiply.h"
#include "ops/detail/attention_import.h"
#include "ops/detail/attention_parts.h"
#include "ops/detail/attention_shape.h"
#include "ops/detail/step_math.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

constexpr ParamSpec kQ{"q", ParamKind::tensor,
                       {},  true,
                       {},  "[batch, heads, queries, head dimension] in `bhsd`; rank 3 has no heads"};
constexpr ParamSpec kK{"k", ParamKind::tensor, {}, true, {}, "as q; its heads divide those of q"};
constexpr ParamSpec kLayout{"layout", ParamKind::word, "bhsd",
                            false,    "bhsd|bshd",     "the order of batch, heads, positions, features"};
constexpr ParamSpec kScale{
    "scale", ParamKind::number, {}, false, {}, "of the products; 1/sqrt of the head dimension"};
constexpr ParamSpec kAttentionParams[] = {
    kQ,
    kK,
    {"v", ParamKind::tensor, {}, true, {}, "heads and positions as k; features of its own"},
    {"mask", ParamKind::tensor, {}, false, {}, "bool, true where seen; [batch, heads, queries, keys]"},
    {"score",
     ParamKind::expression,
     {},
     false,
     {},
     "over `it`, the scaled products [batch, heads, queries, keys] in any layout"},
    kLayout,
    {"causal", ParamKind::boolean, "false", false, {}, "query i sees keys 0 to i"},
    kScale,
    {"norm", ParamKind::word, "softmax", false, "softmax|none", "over the keys; none: hidden scores are 0"}};
constexpr ParamSpec kScoresParams[] = {kQ, kK, kLayout, kScale};

// ---- types and shapes

bool check_operands(InferContext& context, const Shape* v) {
  const Value& q = context.in(0);
  const Value& k = context.in(1);
  const bool one_type = q.dtype == k.dtype && (v == nullptr || q.dtype == context.in(2).dtype);
  if (!one_type || !is_floating(q.dtype)) {
    context
        .error(kinds::attention_type,
               fmt::format("attention of {} with {}{}", name(q.dtype), name(k.dtype),
                           v == nullptr ? "" : fmt::format(" and {}", name(context.in(2).dtype))))
        .help = "bring them to one floating type in a step before: `qh, kh, vh = to(q, k, v, f16)`";
    return false;
  }
  if (attention_shape(context.op().attrs, q.shape, k.shape, v)) return true;
  context
      .error(kinds::attention_shape,
             fmt::format("attention of {} with {}{}", describe(q), describe(k),
                         v == nullptr ? "" : fmt::format(" and {}", describe(context.in(2)))))
      .help =
      "bhsd is [batch, heads, positions, features], `layout=bshd` is [batch, positions, heads, features]: "
      "equal batches, heads of q a multiple of those of k and v";
  return false;
}

bool infer_scores(InferContext& context) {
  if (!check_operands(context, nullptr)) return false;
  const auto shape = attention_shape(context.op().attrs, context.in(0).shape, context.in(1).shape, nullptr);
  context.result(context.in(0).dtype, shape->scores());
  return true;
}

bool check_mask(InferContext& context, const Shape& scores) {
  const auto at = operand(context.op(), "mask");
  if (!at) return true;
  const Value& mask = context.in(*at);
  if (mask.dtype == DType::boolean && broadcast(mask.shape, scores) == scores) return true;
  auto& diag = context.error(
      kinds::attention_mask,
      fmt::format("mask {} of {} for scores of {}", describe(mask), name(mask.dtype), to_text(scores)));
  const std::string text = mask.name.empty() ? "m" : mask.name;
  diag.help = mask.dtype == DType::boolean
                  ? "a mask broadcasts to [batch, heads, queries, keys]; add dimensions with `unsqueeze`"
              : is_floating(mask.dtype) ? fmt::format("what is added to the scores: `score=it + {}`", text)
                                        : fmt::format("compare in a step before: `seen = {} != 0`", text);
  return false;
}

bool check_score(InferContext& context, const Shape& scores) {
  const auto at = operand(context.op(), "score");
  if (!at) return true;
  const Value& score = context.in(*at);
  if (is_floating(score.dtype) && score.shape == scores) return true;
  context
      .error(kinds::attention_score, fmt::format("a score of {} {} where `it` is {}", name(score.dtype),
                                                 to_text(score.shape), to_text(scores)))
      .help = fmt::format("a floating expression over `it`: operands broadcast to {}", to_text(scores));
  return false;
}

bool infer_attention(InferContext& context) {
  const Shape& v = context.in(2).shape;
  if (!check_operands(context, &v)) return false;
  const auto shape = attention_shape(context.op().attrs, context.in(0).shape, context.in(1).shape, &v);
  if (!check_mask(context, shape->scores()) || !check_score(context, shape->scores())) return false;
  context.result(context.in(0).dtype, shape->result());
  return true;
}

// ---- meaning

double scale_of(const Op& op, const AttentionShape& shape) {
  return op.attrs.get_float("scale", 1.0 / std::sqrt(static_cast<double>(shape.head_dim)));
}

HostTensor scaled_products(const Program& program, const Op& op, const AttentionShape& shape,
                           const HostTensor& q, const HostTensor& k) {
  HostTensor out = HostTensor::zeros(q.dtype, shape.scores());
  multiply(head_major(q, shape, shape.heads), head_major(k, shape, shape.heads), true, math_of(program, op),
           out);
  const double scale = scale_of(op, shape);
  std::visit(
      [scale](auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        for (T& value : values) value *= static_cast<T>(scale);
      },
      out.data);
  return out;
}

void scores_reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
                      std::span<HostTensor> out) {
  out[0].data = scaled_products(program, op, attention_shape(program, op), *in[0], *in[1]).data;
}

// Which keys a query sees.
class Seen {
 public:
  Seen(const Op& op, const Shape& scores, const HostTensor* mask)
      : causal_(op.attrs.get_bool("causal", false)), scores_(scores), mask_(mask) {
    if (mask != nullptr) strides_ = broadcast_strides(mask->shape, row_major(mask->shape), scores);
  }
  bool operator()(int64_t row, int64_t key) const {
    if (causal_ && key > row % scores_[2]) return false;
    if (mask_ == nullptr) return true;
    const int64_t head = row / scores_[2];
    const int64_t at = head / scores_[1] * strides_[0] + head % scores_[1] * strides_[1] +
                       row % scores_[2] * strides_[2] + key * strides_[3];
    return mask_->at(at) != 0;
  }

 private:
  bool causal_;
  const Shape& scores_;
  const HostTensor* mask_;
  Strides strides_;
};

// A row of which nothing is seen, or whose scores are all -inf, weighs nothing (torch's _safe_softmax).
template <class T>
void softmax_row(std::span<T> row) {
  T most = -std::numeric_limits<T>::infinity();
  for (const T score : row) most = score > most || std::isnan(score) ? score : most;
  T sum = 0;
  for (T& score : row) {
    score = most == -std::numeric_limits<T>::infinity() ? T{0} : std::exp(score - most);
    sum += score;
  }
  for (T& score : row) score = sum == 0 ? T{0} : score / sum;
}

template <class T>
void weigh(std::vector<T>& scores, int64_t keys, const Seen& seen, bool softmax) {
  const T hidden = softmax ? -std::numeric_limits<T>::infinity() : T{0};
  const auto rows = static_cast<int64_t>(scores.size()) / keys;
  for (int64_t row = 0; row < rows; ++row) {
    const std::span<T> line(scores.data() + row * keys, static_cast<size_t>(keys));
    for (int64_t key = 0; key < keys; ++key) {
      if (!seen(row, key)) line[static_cast<size_t>(key)] = hidden;
    }
    if (softmax) softmax_row(line);
  }
}

void attention_reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
                         std::span<HostTensor> out) {
  const AttentionShape shape = attention_shape(program, op);
  const auto score = operand(op, "score");
  const auto mask = operand(op, "mask");
  HostTensor weights = score ? *in[*score] : scaled_products(program, op, shape, *in[0], *in[1]);
  // Wider than the operands when the score is computed in f64: the weights are as wide as the operands.
  if (weights.data.index() != out[0].data.index()) {
    HostTensor same = HostTensor::zeros(out[0].dtype, weights.shape);
    for (int64_t i = 0; i < weights.count(); ++i) same.set(i, weights.at(i));
    weights = std::move(same);
  }
  const Shape scores = shape.scores();
  const Seen seen(op, scores, mask ? in[*mask] : nullptr);
  const bool softmax = op.attrs.get_word("norm", "softmax") == "softmax";
  std::visit(
      [&](auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_floating_point_v<T>) weigh<T>(values, shape.keys, seen, softmax);
      },
      weights.data);
  HostTensor means =
      HostTensor::zeros(out[0].dtype, {shape.batch, shape.heads, shape.queries, shape.value_dim});
  multiply(weights, head_major(*in[2], shape, shape.heads), false, math_of(program, op), means);
  store_heads(means, shape, out[0]);
}

// ---- lowering

std::optional<Kernel> lower_attention(const Program& program, const Op& op) {
  const AttentionShape shape = attention_shape(program, op);
  Attention kernel;
  kernel.q = head_view(program, op.in[0], shape.bshd);
  kernel.k = head_view(program, op.in[1], shape.bshd);
  kernel.v = head_view(program, op.in[2], shape.bshd);
  kernel.scale = scale_of(op, shape);
  kernel.causal = op.attrs.get_bool("causal", false);
  kernel.softmax = op.attrs.get_word("norm", "softmax") == "softmax";
  kernel.bshd = shape.bshd && shape.has_heads;
  return kernel;
}

// ---- work

double pairs(const AttentionShape& shape) { return static_cast<double>(numel(shape.scores())); }

Work scores_work(const Program& program, const Op& op) {
  const AttentionShape shape = attention_shape(program, op);
  return {.tensor_flops = 2.0 * pairs(shape) * static_cast<double>(shape.head_dim), .fma_ops = pairs(shape)};
}

// Pairs of which the query sees the key: all, or under `causal` query i sees keys 0 to i.
double seen_pairs(const AttentionShape& shape, bool causal) {
  if (!causal) return pairs(shape);
  const auto queries = static_cast<double>(shape.queries);
  const double full = std::max(0.0, queries - static_cast<double>(shape.keys));  // queries that see all
  const double growing = queries - full;
  const double each = growing * (growing + 1) / 2 + full * static_cast<double>(shape.keys);
  return each * static_cast<double>(shape.batch) * static_cast<double>(shape.heads);
}

// Dense: every pair, hidden or not. A softmax is a maximum, a difference and a sum a score that is seen, and
// one exponential.
Work attention_work(const Program& program, const Op& op) {
  const AttentionShape shape = attention_shape(program, op);
  Work work;
  if (!operand(op, "score")) work = scores_work(program, op);
  work.tensor_flops += 2.0 * pairs(shape) * static_cast<double>(shape.value_dim);
  const double seen = seen_pairs(shape, op.attrs.get_bool("causal", false));
  if (seen < pairs(shape)) {
    work.minimum_flops = work.tensor_flops * seen / pairs(shape);
    work.reduced_by = &work_rules::kCausalScores;
    work.fma_ops *= seen / pairs(shape);
  }
  if (op.attrs.get_word("norm", "softmax") == "softmax") {
    work.fma_ops += 3.0 * seen;
    work.special_ops += seen;
  }
  return work;
}

double attention_part(const Program& program, const Op& op, const Part& part) {
  const Work work = attention_work(program, op);
  return attention_part_flops(program, op, work.minimum_flops.value_or(work.tensor_flops), part);
}

constexpr AtenImport kAttentionAten[] = {{"aten.scaled_dot_product_attention.default", import_sdpa}};

constexpr std::string_view kAttentionExamples[] = {
    "target sm_90a\ninput q: f16[2, 64, 8, 32]\ninput k: f16[2, 64, 2, 32]\ninput v: f16[2, 64, 2, 48]\n"
    "o = attention(q, k, v, layout=bshd, causal=true) >> to(f32)\nreturn o\n",
    "target sm_90a\nprecision tf32\ninput q: f32[2, 4, 64, 32]\ninput k: f32[2, 4, 96, 32]\n"
    "input v: f32[2, 4, 96, 32]\ninput seen: bool[2, 1, 1, 96]\ninput c: f32[4, 1, 1]\n"
    "o = attention(q, k, v, mask=seen, scale=1, norm=none, score=relu(it) * c)\nreturn o\n"};
constexpr std::string_view kScoresExamples[] = {
    "target sm_90a\nprecision tf32\ninput q: f32[2, 4, 64, 32]\ninput k: f32[2, 4, 64, 32]\n"
    "input v: f32[2, 4, 64, 32]\ninput t: f32[2, 4, 64]\n"
    "o = attention(q, k, v, causal=true, scale=1, norm=none,\n"
    "              score=it * exp(unsqueeze(t, 3) - unsqueeze(t, 2)))\nreturn o\n",
    "target sm_90a\ninput q: f16[2, 64, 32]\ninput k: f16[2, 64, 32]\ninput v: f16[2, 64, 32]\n"
    "o = attention(q, k, v, score=20 * tanh(it / 20))\nreturn o\n"};

constexpr OpSpec kRows[] = {
    {.name = "attention",
     .summary = "softmax over keys of the scaled products q k, times v; `score` changes them before mask and "
                "softmax",
     .family = "attention",
     .place = Place::step,
     .params = kAttentionParams,
     .memory_operands = true,
     .running = "attention_scores",
     .infer = infer_attention,
     .reference = attention_reference,
     .lower = lower_attention,
     .work = attention_work,
     .needs = attention_needs,
     .part_flops = attention_part,
     .aten = kAttentionAten,
     .examples = kAttentionExamples},
    {.name = "attention_scores",
     .summary = "`it` in the score of `attention`: the scaled products of queries and keys",
     .family = "attention",
     .place = Place::inner,
     .params = kScoresParams,
     .memory_operands = true,
     .infer = infer_scores,
     .reference = scores_reference,
     .work = scores_work,
     .examples = kScoresExamples},
};

}  // namespace

std::span<const OpSpec> attention_rows() { return kRows; }

}  // namespace uc::ops
