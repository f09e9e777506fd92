// Convolutions of one to three spatial dimensions, and their transposes. Bias follows in the chain.
#include <fmt/format.h>
#include <span>

#include "catalog/diags.h"
#include "catalog/diags_window.h"
#include "catalog/infer.h"
#include "ir/graph.h"
#include "ops/detail/contraction_shape.h"
#include "ops/detail/conv_kernel.h"
#include "ops/detail/conv_parts.h"
#include "ops/detail/convolve.h"
#include "ops/detail/step_math.h"
#include "ops/support.h"

namespace uc::ops {
namespace {

// ---- shape

struct Sizes {
  int64_t batch, channels, out_channels;
};

// W is [O, C / groups, k...], transposed [C, O / groups, k...].
Sizes sizes_of(const Value& x, const Value& w, size_t rank, bool transposed, int64_t groups) {
  const size_t channels_at = x.shape.size() - rank - 1;
  return {channels_at == 0 ? 1 : x.shape[0], x.shape[channels_at],
          transposed ? w.shape[1] * groups : w.shape[0]};
}

bool is_same(const Attrs& attrs) { return attrs.get_word("padding", "") == "same"; }

Windows windows_of(const Program& program, const Op& op, size_t rank, bool transposed) {
  const Value& x = program[op.in[0]];
  const Value& w = program[op.in[1]];
  const auto stride = spread(op.attrs, "stride", 1, rank);
  const auto padding = spread(op.attrs, "padding", 0, rank);
  const auto dilation = spread(op.attrs, "dilation", 1, rank);
  const auto extra = spread(op.attrs, "output_padding", 0, rank);
  Windows out;
  for (size_t d = 0; d < rank; ++d) {
    Window& each = window(out, rank, d);
    each = {x.shape[x.shape.size() - rank + d],
            0,
            w.shape[2 + d],
            stride[d],
            dilation[d],
            padding[d],
            padding[d]};
    if (is_same(op.attrs)) {  // the odd element goes behind, as in PyTorch
      each.before = (each.span() - 1) / 2;
      each.after = each.span() - 1 - each.before;
    }
    const int64_t reach = each.in + each.before + each.after - each.span();
    each.out = transposed  ? (each.in - 1) * each.stride - each.before - each.after + each.span() + extra[d]
               : reach < 0 ? 0
                           : reach / each.stride + 1;
  }
  return out;
}

bool check_ranks(InferContext& context, size_t rank, bool transposed) {
  const Value& x = context.in(0);
  const Value& w = context.in(1);
  const bool batched = x.shape.size() == rank + 2;
  if ((batched || x.shape.size() == rank + 1) && w.shape.size() == rank + 2) return true;
  context
      .error(kinds::operand_rank,
             fmt::format("`{}` of {} and {}", context.op().spec->name, describe(x), describe(w)))
      .help = fmt::format("x[N, C, ...] of rank {0}, or [C, ...] without batch, and W[{1}, ...] of rank {0}",
                          rank + 2, transposed ? "C, O / groups" : "O, C / groups");
  return false;
}

bool check_settings(InferContext& context, size_t rank, bool transposed) {
  const Attrs& attrs = context.op().attrs;
  if (!check_setting(context, "stride", rank, 1) || !check_setting(context, "padding", rank, 0) ||
      !check_setting(context, "dilation", rank, 1) || !check_setting(context, "output_padding", rank, 0))
    return false;
  const auto stride = spread(attrs, "stride", 1, rank);
  const auto dilation = spread(attrs, "dilation", 1, rank);
  const auto extra = spread(attrs, "output_padding", 0, rank);
  for (size_t d = 0; d < rank; ++d) {
    if (is_same(attrs) && stride[d] != 1) {
      context.error(kinds::window_setting, fmt::format("padding `same` with stride {}", stride[d])).help =
          "`same` keeps the extents, so the stride is 1; give the padding in numbers";
      return false;
    }
    if (transposed && extra[d] >= std::max(stride[d], dilation[d])) {
      context
          .error(kinds::output_padding, fmt::format("output_padding {} with stride {} and dilation {}",
                                                    extra[d], stride[d], dilation[d]))
          .help = fmt::format("at most {}", std::max(stride[d], dilation[d]) - 1);
      return false;
    }
  }
  return true;
}

bool check_channels(InferContext& context, size_t rank, bool transposed) {
  const Value& x = context.in(0);
  const Value& w = context.in(1);
  const int64_t groups = context.op().attrs.get_int("groups", 1);
  const int64_t channels = x.shape[x.shape.size() - rank - 1];
  const bool divide = groups >= 1 && channels % groups == 0 && w.shape[0] % groups == 0;
  const int64_t wanted = !divide ? 0 : transposed ? channels : channels / groups;
  if (divide && w.shape[transposed ? 0 : 1] == wanted) return true;
  auto& diag = context.error(
      kinds::conv_channels, fmt::format("{} channels of {} in {} group{} against W {}", channels, describe(x),
                                        groups, groups == 1 ? "" : "s", describe(w)));
  if (!divide) {
    diag.help = fmt::format("`groups` divides both {} and {}", channels, w.shape[0]);
  } else if (!transposed && channels != 0 && w.shape[1] != 0 && channels % w.shape[1] == 0 &&
             w.shape[0] % (channels / w.shape[1]) == 0) {
    diag.help = fmt::format("`groups={}` would fit this W", channels / w.shape[1]);
  } else {
    diag.help = transposed ? fmt::format("W is [{}, O / groups, ...]", wanted)
                           : fmt::format("W is [O, {}, ...]", wanted);
  }
  return false;
}

template <size_t Rank, bool Transposed>
bool infer(InferContext& context) {
  if (!check_ranks(context, Rank, Transposed) || !check_operand_types(context) ||
      !check_settings(context, Rank, Transposed) || !check_channels(context, Rank, Transposed))
    return false;
  const Value& x = context.in(0);
  const Windows windows = windows_of(context.program(), context.op(), Rank, Transposed);
  if (!check_windows(context, Rank, windows)) return false;
  const int64_t groups = context.op().attrs.get_int("groups", 1);
  const Sizes sizes = sizes_of(x, context.in(1), Rank, Transposed, groups);
  const Shape shape = windowed_shape(x.shape, Rank, sizes.out_channels, windows);
  context.result(is_floating(x.dtype) ? x.dtype : DType::i32, shape, dense_like(shape, x.stride));
  return true;
}

// ---- kernel, meaning and work

template <size_t Rank, bool Transposed>
std::optional<Kernel> lower(const Program& program, const Op& op) {
  return convolution_kernel(program, op, windows_of(program, op, Rank, Transposed), Rank, Transposed);
}

template <size_t Rank, bool Transposed>
void reference(const Program& program, const Op& op, std::span<const HostTensor* const> in,
               std::span<HostTensor> out) {
  const int64_t groups = op.attrs.get_int("groups", 1);
  const Sizes sizes = sizes_of(program[op.in[0]], program[op.in[1]], Rank, Transposed, groups);
  const ConvShape shape{sizes.batch, groups, sizes.channels / groups, sizes.out_channels / groups,
                        windows_of(program, op, Rank, Transposed)};
  const Math math = math_of(program, op);
  if (Transposed) {
    convolve_transposed(*in[0], *in[1], shape, math, out[0]);
  } else {
    convolve(*in[0], *in[1], shape, math, out[0]);
  }
}

// Dense: every tap of every element, padding included; minimum: without the taps that meet padding, or of a
// transposed one what is cut off.
template <size_t Rank, bool Transposed>
Work work(const Program& program, const Op& op) {
  const Shape& w = program[op.in[1]].shape;
  double taps_and_channels = 1;
  for (size_t i = 1; i < w.size(); ++i) taps_and_channels *= static_cast<double>(w[i]);
  const Shape& swept = program[Transposed ? op.in[0] : op.out[0]].shape;
  Work work{.tensor_flops = 2.0 * static_cast<double>(numel(swept)) * taps_and_channels};
  const Windows windows = windows_of(program, op, Rank, Transposed);
  const double share = share_inside(windows, Transposed);
  if (share < 1) {
    work.minimum_flops = work.tensor_flops * share;
    work.reduced_by = &work_rules::kPaddingTaps;
  }
  const double fast = share_of_fast(windows);
  if (fast < share) {
    work.fast_flops = work.tensor_flops * fast;
    work.fast_by = &work_rules::kFastConvolution;
  }
  return work;
}

template <size_t Rank, bool Transposed>
Part needs(const Program& program, const Op& op, size_t i, size_t, const Part& part) {
  return convolution_needs(program, op, windows_of(program, op, Rank, Transposed), {Rank, Transposed}, i,
                           part);
}

template <size_t Rank>
double part_flops(const Program& program, const Op& op, const Part& part) {
  return convolution_part_flops(program, op, windows_of(program, op, Rank, false),
                                work<Rank, false>(program, op).tensor_flops, part);
}

// ---- import

struct Settings {
  size_t stride, padding, output_padding, dilation, groups;  ///< where they stand among the arguments
};

// None, or a tensor of one value a channel.
bool fine_bias(ImportContext& context, const GraphOp& op) {
  if (const GraphArg* named = op.kwarg("bias"); named != nullptr && !named->is_none()) return false;
  if (op.args.size() < 3 || op.args[2].is_none()) return true;
  const auto bias = op.args[2].as<GraphTensorId>() ? context.value(op, 2) : std::nullopt;
  return bias && context.program()[*bias].shape.size() == 1;
}

// torch adds the bias: one value a channel.
bool with_bias(ImportContext& context, const GraphOp& op, std::optional<ValueId> y, size_t rank) {
  const auto bias = context.value(op, 2);
  if (!y || !bias) return finish(context, op, y);
  Shape columns(rank + 1, 1);
  columns[0] = context.program()[*bias].shape[0];
  Attrs attrs;
  attrs.set("shape", std::move(columns));
  const auto view = context.apply("reshape", {*bias}, std::move(attrs));
  return view && finish(context, op, context.apply("add", {*y, *view}));
}

bool import_settings(ImportContext& context, const GraphOp& op, std::string_view name, size_t rank,
                     const Settings& at) {
  const auto x = context.value(op, 0);
  const auto w = context.value(op, 1);
  if (!x || !w || !fine_bias(context, op)) return false;
  Attrs attrs;
  import_setting(context, op, at.stride, "stride", 1, attrs);
  if (const auto word = context.word(op, at.padding, "padding")) {
    if (*word == "same") attrs.set("padding", *word);
  } else {
    import_setting(context, op, at.padding, "padding", 0, attrs);
  }
  if (name.find("transpose") != std::string_view::npos)
    import_setting(context, op, at.output_padding, "output_padding", 0, attrs);
  import_setting(context, op, at.dilation, "dilation", 1, attrs);
  const int64_t groups = context.integer(op, at.groups, "groups").value_or(1);
  if (groups != 1) attrs.set("groups", groups);
  return with_bias(context, op, context.apply(name, {*x, *w}, std::move(attrs)), rank);
}

// torch: conv2d(input, weight, bias, stride, padding, dilation, groups).
template <Word Name, size_t Rank>
bool import_conv(ImportContext& context, const GraphOp& op) {
  return import_settings(context, op, Name.view(), Rank, {3, 4, 99, 5, 6});
}

// torch: conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation).
template <Word Name, size_t Rank>
bool import_transposed(ImportContext& context, const GraphOp& op) {
  return import_settings(context, op, Name.view(), Rank, {3, 4, 5, 7, 6});
}

// torch: convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups).
bool import_convolution(ImportContext& context, const GraphOp& op) {
  constexpr std::string_view kNames[] = {"conv1d",           "conv2d",           "conv3d",
                                         "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  const auto w = context.value(op, 1);
  const size_t rank = w ? context.program()[*w].shape.size() : 0;
  if (rank < 3 || rank > 5) return false;
  const bool transposed = context.integer(op, 6, "transposed").value_or(0) != 0;
  return import_settings(context, op, kNames[rank - 3 + (transposed ? 3 : 0)], rank - 2, {3, 4, 7, 5, 8});
}

// ---- rows

constexpr ParamSpec kStride{"stride", ParamKind::integers, "1", false, {}, "one for all, or one a dimension"};
constexpr ParamSpec kDilation{"dilation", ParamKind::integers,           "1", false,
                              {},         "between elements of a window"};
constexpr ParamSpec kGroups{"groups", ParamKind::integer, "1", false, {}, "channels that see each other"};
constexpr ParamSpec kConvParams[] = {{"x", ParamKind::tensor, {}, true, {}, "[N, C, ...]"},
                                     {"W", ParamKind::tensor, {}, true, {}, "[O, C / groups, ...]"},
                                     kStride,
                                     {"padding", ParamKind::integers, "0", false, "same|valid",
                                      "zeros on both sides; same: keeps the extents"},
                                     kDilation,
                                     kGroups};
constexpr ParamSpec kTransposedParams[] = {
    {"x", ParamKind::tensor, {}, true, {}, "[N, C, ...]"},
    {"W", ParamKind::tensor, {}, true, {}, "[C, O / groups, ...]"},
    kStride,
    {"padding", ParamKind::integers, "0", false, {}, "elements cut off at both sides of the result"},
    {"output_padding", ParamKind::integers, "0", false, {}, "elements more at the end of the result"},
    kDilation,
    kGroups};

constexpr AtenImport kConv1dAten[] = {{"aten.conv1d.default", import_conv<"conv1d", 1>},
                                      {"aten.conv1d.padding", import_conv<"conv1d", 1>}};
constexpr AtenImport kConv2dAten[] = {{"aten.conv2d.default", import_conv<"conv2d", 2>},
                                      {"aten.conv2d.padding", import_conv<"conv2d", 2>},
                                      {"aten.convolution.default", import_convolution}};
constexpr AtenImport kConv3dAten[] = {{"aten.conv3d.default", import_conv<"conv3d", 3>},
                                      {"aten.conv3d.padding", import_conv<"conv3d", 3>}};
constexpr AtenImport kTransposed1dAten[] = {
    {"aten.conv_transpose1d.default", import_transposed<"conv_transpose1d", 1>}};
constexpr AtenImport kTransposed2dAten[] = {
    {"aten.conv_transpose2d.input", import_transposed<"conv_transpose2d", 2>}};
constexpr AtenImport kTransposed3dAten[] = {
    {"aten.conv_transpose3d.input", import_transposed<"conv_transpose3d", 3>}};

constexpr std::string_view kConv1dExamples[] = {
    "target sm_90a\ninput x: f16[2, 8, 32]\nparam W: f16[16, 8, 3]\nparam b: f16[16]\ny = conv1d(x, W, "
    "padding=1) >> bias(b) >> relu()\nreturn y\n",
    "target sm_90a\ninput x: f32[2, 8, 32] @nwc\nparam W: f32[8, 1, 5]\ny = conv1d(x, W, padding=same, "
    "groups=8)\nreturn y\n"};
constexpr std::string_view kConv2dExamples[] = {
    "target sm_90a\ninput x: f16[2, 8, 16, 16] @nhwc\nparam W: f16[16, 8, 3, 3]\nparam b: f16[16]\ny = "
    "conv2d(x, "
    "W, stride=2, padding=1).tile(128x128x64) >> bias(b) >> relu()\nreturn y\n",
    "target sm_90a\nprecision tf32\ninput x: f32[2, 8, 16, 16]\nparam W: f32[8, 4, 3, 5]\ny = conv2d(x, W, "
    "padding=[0, 2], dilation=[2, 1], groups=2) >> mul(0.5)\nreturn y\n"};
constexpr std::string_view kConv3dExamples[] = {
    "target sm_90a\ninput x: f16[1, 4, 6, 8, 8] @ndhwc\nparam W: f16[8, 4, 3, 3, 3]\nparam b: f16[8]\ny = "
    "conv3d(x, W, stride=[1, 2, 2], padding=1) >> bias(b)\nreturn y\n",
    "target sm_90a\ninput x: f32[1, 4, 6, 8, 8]\nparam W: f32[8, 4, 1, 1, 1]\ny = conv3d(x, W)\nreturn y\n"};
constexpr std::string_view kTransposed1dExamples[] = {
    "target sm_90a\ninput x: f16[2, 8, 32]\nparam W: f16[8, 16, 4]\nparam b: f16[16]\ny = "
    "conv_transpose1d(x, W, "
    "stride=2, padding=1) >> bias(b)\nreturn y\n",
    "target sm_90a\ninput x: f32[2, 8, 32]\nparam W: f32[8, 2, 3]\ny = conv_transpose1d(x, W, groups=4, "
    "dilation=2)\nreturn y\n"};
constexpr std::string_view kTransposed2dExamples[] = {
    "target sm_90a\ninput x: f16[2, 8, 8, 8] @nhwc\nparam W: f16[8, 4, 3, 3]\nparam b: f16[4]\ny = "
    "conv_transpose2d(x, W, stride=2, padding=1, output_padding=1) >> bias(b) >> relu()\nreturn y\n",
    "target sm_90a\ninput x: f32[2, 8, 8, 8]\nparam W: f32[8, 4, 3, 5]\ny = conv_transpose2d(x, W, "
    "stride=[1, "
    "2])\nreturn y\n"};
constexpr std::string_view kTransposed3dExamples[] = {
    "target sm_90a\ninput x: f16[1, 4, 4, 6, 6] @ndhwc\nparam W: f16[4, 8, 3, 3, 3]\nparam b: f16[8]\ny = "
    "conv_transpose3d(x, W, stride=2) >> bias(b)\nreturn y\n",
    "target sm_90a\ninput x: f32[1, 4, 4, 6, 6]\nparam W: f32[4, 1, 3, 3, 3]\ny = conv_transpose3d(x, W, "
    "groups=4, padding=1)\nreturn y\n"};

template <size_t Rank, bool Transposed>
constexpr OpSpec row(std::string_view name, std::string_view summary, std::span<const AtenImport> aten,
                     std::span<const std::string_view> examples) {
  OpSpec out;
  out.name = name;
  out.summary = summary;
  out.family = "conv";
  out.place = Place::step;
  out.params =
      Transposed ? std::span<const ParamSpec>(kTransposedParams) : std::span<const ParamSpec>(kConvParams);
  out.memory_operands = true;
  out.columns = -static_cast<int64_t>(Rank) - 1;
  out.infer = infer<Rank, Transposed>;
  out.lower = lower<Rank, Transposed>;
  out.reference = reference<Rank, Transposed>;
  out.work = work<Rank, Transposed>;
  out.needs = needs<Rank, Transposed>;
  if (!Transposed) out.part_flops = part_flops<Rank>;
  out.aten = aten;
  out.examples = examples;
  return out;
}

constexpr OpSpec kRows[] = {
    row<1, false>("conv1d", "convolution of x[N, C, L] with W[O, C / groups, K]", kConv1dAten,
                  kConv1dExamples),
    row<2, false>("conv2d", "convolution of x[N, C, H, W] with W[O, C / groups, R, S]", kConv2dAten,
                  kConv2dExamples),
    row<3, false>("conv3d", "convolution of x[N, C, D, H, W] with W[O, C / groups, T, R, S]", kConv3dAten,
                  kConv3dExamples),
    row<1, true>("conv_transpose1d", "transposed convolution of x[N, C, L] with W[C, O / groups, K]",
                 kTransposed1dAten, kTransposed1dExamples),
    row<2, true>("conv_transpose2d", "transposed convolution of x[N, C, H, W] with W[C, O / groups, R, S]",
                 kTransposed2dAten, kTransposed2dExamples),
    row<3, true>("conv_transpose3d",
                 "transposed convolution of x[N, C, D, H, W] with W[C, O / groups, T, R, S]",
                 kTransposed3dAten, kTransposed3dExamples),
};

}  // namespace

std::span<const OpSpec> conv_rows() { return kRows; }

}  // namespace uc::ops
