// Pools over as many parts of each dimension as asked for.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ops/detail/parts.h"
#include "ops/detail/pool_rows.h"
#include "ops/detail/pool_type.h"
#include "ops/detail/pooling.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// The extents of the result: a list has one a spatial dimension, an integer is for all behind [N, C].
std::optional<std::vector<int64_t>> adaptive_sizes(const Value& x, const Attrs& attrs) {
  const size_t has = x.shape.size();
  const AttrValue* value = attrs.find("output_size");
  const auto* given = value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value);
  std::vector<int64_t> out = given == nullptr ? std::vector<int64_t>{1} : *given;
  if (out.size() == 1 && has >= 3 && has <= 5) out.resize(has - 2, out[0]);
  const bool fits = !out.empty() && out.size() <= 3 && (has == out.size() + 1 || has == out.size() + 2);
  if (!fits || std::ranges::any_of(out, [](int64_t size) { return size < 1; })) return std::nullopt;
  return out;
}

template <bool Mean>
bool infer_adaptive(InferContext& context) {
  const Value& x = context.in(0);
  if (!check_pool_type(context, Mean)) return false;
  const auto sizes = adaptive_sizes(x, context.op().attrs);
  if (!sizes) {
    context
        .error(kinds::window_setting,
               fmt::format("`{}` of {} to these extents", context.op().spec->name, describe(x)))
        .help =
        "x[N, C, ...] of rank 3 to 5, and one extent of 1 or more for all spatial dimensions, or one each";
    return false;
  }
  Shape shape(x.shape.begin(), x.shape.end() - static_cast<int64_t>(sizes->size()));
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  context.result(x.dtype, shape, dense_like(shape, x.stride));
  return true;
}

// Element o of the result has the inputs from floor(o in / out) to ceil((o + 1) in / out).
template <bool Mean>
void reference_adaptive(const Program& program, const Op& op, std::span<const HostTensor* const> in,
                        std::span<HostTensor> out) {
  const Value& x = program[op.in[0]];
  const auto sizes = *adaptive_sizes(x, op.attrs);
  std::array<int64_t, 3> inside{1, 1, 1};
  PoolRanges ranges;
  for (size_t d = 0; d < 3; ++d) {
    const size_t missing = 3 - sizes.size();
    if (d >= missing) inside[d] = x.shape[x.shape.size() - 3 + d];
    const int64_t to = d >= missing ? sizes[d - missing] : 1;
    for (int64_t o = 0; o < to; ++o)
      ranges[d].push_back({o * inside[d] / to, ((o + 1) * inside[d] + to - 1) / to, 1, 0});
  }
  if (Mean) {
    pool_mean(*in[0], inside, ranges, false, 0, out[0]);
  } else {
    pool_max(*in[0], inside, ranges, out[0]);
  }
}

RowDomain parts_domain(const Program& program, const Op& op) {
  const Value& x = program[op.in[0]];
  return adaptive_domain(x.shape, *adaptive_sizes(x, op.attrs));
}

template <bool Mean>
std::vector<NodeId> row_adaptive(ScalarBuilder& b, std::span<const NodeId> in, const Program& program,
                                 const Op& op) {
  const NodeId met = b.across(Mean ? Combine::sum : Combine::max, in[0]);
  if (!Mean) return {met};
  const auto elements = static_cast<double>(numel(program[op.in[0]].shape));
  return {b.mul(met, b.constant(static_cast<double>(numel(program[op.out[0]].shape)) / elements))};
}

Work work_adaptive(const Program& program, const Op& op) {
  return {.fma_ops = static_cast<double>(numel(program[op.in[0]].shape))};
}

Part needs_adaptive(const Program& program, const Op& op, size_t i, size_t result, const Part& part) {
  const Value& x = program[op.in[i]];
  const auto sizes = adaptive_sizes(x, op.attrs);
  if (!sizes || part.inside < 1 || part.triangle) return needs_all_or_none(program, op, i, result, part);
  Part out = part;
  for (size_t d = 0; d < sizes->size(); ++d) {
    const size_t at = x.shape.size() - sizes->size() + d;
    const Part::Range range = part.box[at];
    const int64_t to = (*sizes)[d];
    const int64_t first = range.first * x.shape[at] / to;
    out.box[at] = {first, range.count == 0 ? 0 : (range.end() * x.shape[at] + to - 1) / to - first};
  }
  return out;
}

// ---- import

template <Word Name>
bool import_adaptive(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  auto sizes = context.integers(op, 1, "output_size");
  if (!x || !sizes) return false;
  const bool batched = context.program()[*x].shape.size() == sizes->size() + 2;
  const bool ones = std::ranges::all_of(*sizes, [](int64_t size) { return size == 1; });
  Attrs attrs;
  if (!ones || !batched) attrs.set("output_size", std::move(*sizes));
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

// ---- rows

constexpr ParamSpec kAdaptiveParams[] = {
    kX, {"output_size", ParamKind::integers, "1", false, {}, "extents of the result; 1: a global pool"}};

constexpr AtenImport kAdaptiveMeanAten[] = {
    {"aten.adaptive_avg_pool1d.default", import_adaptive<"adaptive_avg_pool">},
    {"aten.adaptive_avg_pool2d.default", import_adaptive<"adaptive_avg_pool">},
    {"aten.adaptive_avg_pool3d.default", import_adaptive<"adaptive_avg_pool">},
    {"aten._adaptive_avg_pool2d.default", import_adaptive<"adaptive_avg_pool">},
    {"aten._adaptive_avg_pool3d.default", import_adaptive<"adaptive_avg_pool">}};
constexpr AtenImport kAdaptiveMaxAten[] = {
    {"aten.adaptive_max_pool1d.default", import_adaptive<"adaptive_max_pool">},
    {"aten.adaptive_max_pool2d.default", import_adaptive<"adaptive_max_pool">},
    {"aten.adaptive_max_pool3d.default", import_adaptive<"adaptive_max_pool">}};

#define UC_POOL_EXAMPLE(shape, call) "target sm_90a\ninput x: " shape "\ny = " call "\nreturn y\n"

constexpr std::string_view kAdaptiveMean[] = {
    UC_POOL_EXAMPLE("f32[2, 8, 16, 16]", "adaptive_avg_pool(x, 1)"),
    UC_POOL_EXAMPLE("f16[2, 8, 16, 15]", "adaptive_avg_pool(x, [7, 4])")};
constexpr std::string_view kAdaptiveMax[] = {UC_POOL_EXAMPLE("f32[2, 8, 33]", "adaptive_max_pool(x, 5)"),
                                             UC_POOL_EXAMPLE("f32[2, 4, 8, 8, 8]", "adaptive_max_pool(x)")};

template <bool Mean>
constexpr OpSpec adaptive(std::string_view name, std::string_view summary, std::span<const AtenImport> aten,
                          std::span<const std::string_view> examples) {
  OpSpec out;
  out.name = name;
  out.summary = summary;
  out.family = "pool";
  out.place = Place::step;
  out.aten = aten;
  out.examples = examples;
  out.params = kAdaptiveParams;
  out.infer = infer_adaptive<Mean>;
  out.row_scalar = row_adaptive<Mean>;
  out.row_domain = parts_domain;
  out.reference = reference_adaptive<Mean>;
  out.work = work_adaptive;
  out.needs = needs_adaptive;
  return out;
}

constexpr OpSpec kRows[] = {
    adaptive<true>("adaptive_avg_pool", "the mean of as many parts of each spatial dimension as asked for",
                   kAdaptiveMeanAten, kAdaptiveMean),
    adaptive<false>("adaptive_max_pool",
                    "the greatest of as many parts of each spatial dimension as asked for", kAdaptiveMaxAten,
                    kAdaptiveMax),
};

}  // namespace

std::span<const OpSpec> adaptive_pool_rows() { return kRows; }

}  // namespace uc::ops
