// Pools over windows.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ops/detail/pool_rows.h"
#include "ops/detail/pool_type.h"
#include "ops/detail/pooling.h"
#include "ops/detail/window.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// ---- windows

// Extents with ceil_mode as PyTorch has them: the last window starts inside the input or the padding before
// it.
Windows windows_of(const Value& x, const Attrs& attrs, size_t rank) {
  const auto kernel = spread(attrs, "kernel_size", 1, rank);
  const auto padding = spread(attrs, "padding", 0, rank);
  const auto dilation = spread(attrs, "dilation", 1, rank);
  const bool ceil = attrs.get_bool("ceil_mode", false);
  Windows out;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t stride = spread(attrs, "stride", kernel[d], rank)[d];
    Window& each = window(out, rank, d);
    each = {x.shape[x.shape.size() - rank + d], 0, kernel[d], stride, dilation[d], padding[d], padding[d]};
    const int64_t reach = each.in + 2 * padding[d] - each.span();
    if (reach + (ceil ? stride - 1 : 0) < 0) continue;
    each.out = (reach + (ceil ? stride - 1 : 0)) / stride + 1;
    if (ceil && (each.out - 1) * stride >= each.in + padding[d]) --each.out;
  }
  return out;
}

bool check_rank(InferContext& context, size_t rank) {
  const size_t has = context.in(0).shape.size();
  if (has == rank + 1 || has == rank + 2) return true;
  context
      .error(kinds::operand_rank, fmt::format("`{}` of {}", context.op().spec->name, describe(context.in(0))))
      .help = fmt::format("x[N, C, ...] of rank {}, or [C, ...] of rank {}", rank + 2, rank + 1);
  return false;
}

bool check_window_settings(InferContext& context, size_t rank) {
  if (!check_setting(context, "kernel_size", rank, 1) || !check_setting(context, "stride", rank, 1) ||
      !check_setting(context, "padding", rank, 0) || !check_setting(context, "dilation", rank, 1))
    return false;
  const auto kernel = spread(context.op().attrs, "kernel_size", 1, rank);
  const auto padding = spread(context.op().attrs, "padding", 0, rank);
  for (size_t d = 0; d < rank; ++d) {
    if (padding[d] <= kernel[d] / 2) continue;
    context.error(kinds::pool_padding, fmt::format("padding {} of a window of {}", padding[d], kernel[d]))
        .help = fmt::format("at most {}; `pad` pads by more", kernel[d] / 2);
    return false;
  }
  return true;
}

template <size_t Rank, bool Mean>
bool infer_window(InferContext& context) {
  if (!check_rank(context, Rank) || !check_pool_type(context, Mean) || !check_window_settings(context, Rank))
    return false;
  const Value& x = context.in(0);
  if (Mean && context.op().attrs.has("divisor_override") &&
      context.op().attrs.get_int("divisor_override", 1) == 0) {
    context.error(kinds::window_setting, "`divisor_override` of 0").help = "drop it, or give another";
    return false;
  }
  const Windows windows = windows_of(x, context.op().attrs, Rank);
  if (!check_windows(context, Rank, windows)) return false;
  const Shape shape = windowed_shape(x.shape, Rank, 0, windows);
  context.result(x.dtype, shape, dense_like(shape, x.stride));
  return true;
}

PoolRanges ranges_of(const Windows& windows) {
  PoolRanges out;
  for (size_t d = 0; d < 3; ++d) {
    const Window& w = windows[d];
    const int64_t count = std::max<int64_t>(w.out, 1);
    for (int64_t o = 0; o < count; ++o) {
      const int64_t first = o * w.stride - w.before;
      const int64_t inside = first >= 0 ? first : first + (-first + w.dilation - 1) / w.dilation * w.dilation;
      out[d].push_back({inside, std::min(first + w.span(), w.in), w.dilation,
                        std::min(first + w.kernel, w.in + w.after) - first});
    }
  }
  return out;
}

std::array<int64_t, 3> extents(const Windows& w) { return {w[0].in, w[1].in, w[2].in}; }

template <size_t Rank, bool Mean>
void reference_window(const Program& program, const Op& op, std::span<const HostTensor* const> in,
                      std::span<HostTensor> out) {
  const Windows windows = windows_of(program[op.in[0]], op.attrs, Rank);
  const PoolRanges ranges = ranges_of(windows);
  if (Mean) {
    pool_mean(*in[0], extents(windows), ranges, op.attrs.get_bool("count_include_pad", true),
              op.attrs.get_int("divisor_override", 0), out[0]);
  } else {
    pool_max(*in[0], extents(windows), ranges, out[0]);
  }
}

template <size_t Rank>
RowDomain window_domain(const Program& program, const Op& op) {
  const Value& x = program[op.in[0]];
  return windowed_domain(x.shape, windows_of(x, op.attrs, Rank), Rank);
}

template <size_t Rank, bool Mean>
std::vector<NodeId> row_window(ScalarBuilder& b, std::span<const NodeId> in, const Program& program,
                               const Op& op) {
  const Value& x = program[op.in[0]];
  const Windows windows = windows_of(x, op.attrs, Rank);
  if (!Mean) return {windowed_max(b, in[0], x.shape, windows, Rank)};
  const Divisor divisor{op.attrs.get_int("divisor_override", 0),
                        op.attrs.get_bool("count_include_pad", true)};
  return {windowed_mean(b, in[0], x.shape, windows, Rank, divisor)};
}

template <size_t Rank>
Part needs_window(const Program& program, const Op& op, size_t i, size_t, const Part& part) {
  const Value& x = program[op.in[i]];
  return windowed_part(windows_of(x, op.attrs, Rank), Rank, false, x.shape, part, false);
}

// The least that is known to do it, for bounds: windows that overlap share their sums and maxima, so an
// element that is read counts once, whatever the kernel.
template <size_t Rank>
Work work_window(const Program& program, const Op& op) {
  return {.fma_ops = needs_window<Rank>(program, op, 0, 0, Part::whole(program[op.out[0]].shape)).elements()};
}

// ---- import

void set_flag(ImportContext& context, const GraphOp& op, size_t index, std::string_view key, bool otherwise,
              Attrs& attrs) {
  const bool value = context.integer(op, index, key).value_or(otherwise ? 1 : 0) != 0;
  if (value != otherwise) attrs.set(key, value);
}

// torch: max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode); the indices of
// max_pool2d_with_indices have no value, so what reads them is not imported.
template <Word Name>
bool import_max(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  import_setting(context, op, 1, "kernel_size", {}, attrs);
  import_setting(context, op, 2, "stride", {}, attrs);
  import_setting(context, op, 3, "padding", 0, attrs);
  import_setting(context, op, 4, "dilation", 1, attrs);
  set_flag(context, op, 5, "ceil_mode", false, attrs);
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

// torch: avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override).
template <Word Name>
bool import_mean(ImportContext& context, const GraphOp& op) {
  const auto x = context.value(op, 0);
  if (!x) return false;
  Attrs attrs;
  import_setting(context, op, 1, "kernel_size", {}, attrs);
  import_setting(context, op, 2, "stride", {}, attrs);
  import_setting(context, op, 3, "padding", 0, attrs);
  set_flag(context, op, 4, "ceil_mode", false, attrs);
  set_flag(context, op, 5, "count_include_pad", true, attrs);
  if (const auto divisor = context.integer(op, 6, "divisor_override"))
    attrs.set("divisor_override", *divisor);
  return finish(context, op, context.apply(Name.view(), {*x}, std::move(attrs)));
}

// ---- rows

constexpr ParamSpec kKernel{
    "kernel_size", ParamKind::integers, {}, true, {}, "one for all, or one a dimension"};
constexpr ParamSpec kStride{"stride", ParamKind::integers, {}, false, {}, "the kernel size without it"};
constexpr ParamSpec kPadding{"padding", ParamKind::integers, "0", false, {}, "on both sides"};
constexpr ParamSpec kCeil{
    "ceil_mode", ParamKind::boolean, "false", false, {}, "a last window that is not whole"};
constexpr ParamSpec kMaxParams[] = {
    kX,   kKernel, kStride, kPadding, {"dilation", ParamKind::integers, "1", false, {}, "between elements"},
    kCeil};
constexpr ParamSpec kMeanParams[] = {
    kX,
    kKernel,
    kStride,
    kPadding,
    kCeil,
    {"count_include_pad", ParamKind::boolean, "true", false, {}, "padding counts as elements"},
    {"divisor_override", ParamKind::integer, {}, false, {}, "what sums are divided by"}};

constexpr AtenImport kMax1dAten[] = {{"aten.max_pool1d.default", import_max<"max_pool1d">},
                                     {"aten.max_pool1d_with_indices.default", import_max<"max_pool1d">}};
constexpr AtenImport kMax2dAten[] = {{"aten.max_pool2d.default", import_max<"max_pool2d">},
                                     {"aten.max_pool2d_with_indices.default", import_max<"max_pool2d">}};
constexpr AtenImport kMax3dAten[] = {{"aten.max_pool3d.default", import_max<"max_pool3d">},
                                     {"aten.max_pool3d_with_indices.default", import_max<"max_pool3d">}};
constexpr AtenImport kMean1dAten[] = {{"aten.avg_pool1d.default", import_mean<"avg_pool1d">}};
constexpr AtenImport kMean2dAten[] = {{"aten.avg_pool2d.default", import_mean<"avg_pool2d">}};
constexpr AtenImport kMean3dAten[] = {{"aten.avg_pool3d.default", import_mean<"avg_pool3d">}};

#define UC_POOL_EXAMPLE(shape, call) "target sm_90a\ninput x: " shape "\ny = " call "\nreturn y\n"

constexpr std::string_view kMax1d[] = {UC_POOL_EXAMPLE("f32[2, 8, 32]", "max_pool1d(x, 4)"),
                                       UC_POOL_EXAMPLE("f16[2, 8, 32]",
                                                       "max_pool1d(x, 3, stride=1, padding=1, "
                                                       "dilation=3) >> relu()")};
constexpr std::string_view kMax2d[] = {
    UC_POOL_EXAMPLE("f32[2, 8, 16, 16]", "max_pool2d(x, 3, stride=2, padding=1)"),
    UC_POOL_EXAMPLE("f16[2, 8, 15, 16] @nhwc", "max_pool2d(x, [2, 4], ceil_mode=true)")};
constexpr std::string_view kMax3d[] = {
    UC_POOL_EXAMPLE("f32[2, 4, 8, 8, 8]", "max_pool3d(x, 2)"),
    UC_POOL_EXAMPLE("f16[4, 8, 8, 8]", "max_pool3d(x, [1, 3, 3], stride=2, padding=[0, 1, 1])")};
constexpr std::string_view kMean1d[] = {
    UC_POOL_EXAMPLE("f32[2, 8, 32]", "avg_pool1d(x, 4)"),
    UC_POOL_EXAMPLE("f16[2, 8, 32]", "avg_pool1d(x, 5, stride=1, padding=2, count_include_pad=false)")};
constexpr std::string_view kMean2d[] = {
    UC_POOL_EXAMPLE("f32[2, 8, 16, 16]", "avg_pool2d(x, 2) >> sigmoid()"),
    UC_POOL_EXAMPLE("f16[2, 8, 15, 16] @nhwc", "avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=true)")};
constexpr std::string_view kMean3d[] = {
    UC_POOL_EXAMPLE("f32[2, 4, 8, 8, 8]", "avg_pool3d(x, 2)"),
    UC_POOL_EXAMPLE("f32[2, 4, 8, 8, 8]", "avg_pool3d(x, 3, stride=2, padding=1, divisor_override=8)")};

template <size_t Rank, bool Mean>
constexpr OpSpec windowed(std::string_view name, std::string_view summary, std::span<const AtenImport> aten,
                          std::span<const std::string_view> examples) {
  OpSpec out;
  out.name = name;
  out.summary = summary;
  out.family = "pool";
  out.place = Place::step;
  out.aten = aten;
  out.examples = examples;
  out.params = Mean ? std::span<const ParamSpec>(kMeanParams) : std::span<const ParamSpec>(kMaxParams);
  out.infer = infer_window<Rank, Mean>;
  out.row_scalar = row_window<Rank, Mean>;
  out.row_domain = window_domain<Rank>;
  out.reference = reference_window<Rank, Mean>;
  out.work = work_window<Rank>;
  out.needs = needs_window<Rank>;
  return out;
}

constexpr OpSpec kRows[] = {
    windowed<1, false>("max_pool1d", "the greatest of each window of x[N, C, L]", kMax1dAten, kMax1d),
    windowed<2, false>("max_pool2d", "the greatest of each window of x[N, C, H, W]", kMax2dAten, kMax2d),
    windowed<3, false>("max_pool3d", "the greatest of each window of x[N, C, D, H, W]", kMax3dAten, kMax3d),
    windowed<1, true>("avg_pool1d", "the mean of each window of x[N, C, L]", kMean1dAten, kMean1d),
    windowed<2, true>("avg_pool2d", "the mean of each window of x[N, C, H, W]", kMean2dAten, kMean2d),
    windowed<3, true>("avg_pool3d", "the mean of each window of x[N, C, D, H, W]", kMean3dAten, kMean3d),
};

}  // namespace

std::span<const OpSpec> pool_rows() { return kRows; }

}  // namespace uc::ops
