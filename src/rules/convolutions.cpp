// Convolutions: operands that implicit GEMM gathers one by one, and tiles that TMA cannot read.
#include <array>
#include <fmt/format.h>

#include "plan/conv_product.h"
#include "plan/direct_conv.h"
#include "rules/gemm2_rule.h"

namespace uc::rules {
namespace {

constexpr std::array<std::string_view, 3> kLayouts{"nwc", "nhwc", "ndhwc"};

const Convolution* convolution(const RuleContext& context) {
  return std::get_if<Convolution>(&context.launch.kernel);
}

const Op& main_of(const RuleContext& context) {
  return context.program[context.program[context.launch.step].main];
}

// An operand with several channels that are not contiguous: 0 the input, 1 the filters.
std::optional<size_t> scattered(const Convolution& kernel) {
  const auto apart = [](const View& view, size_t at) { return view.shape[at] > 1 && view.stride[at] != 1; };
  const size_t last = kernel.x.shape.size() - 1;
  if (apart(kernel.x, last)) return 0;
  if (apart(kernel.w, kernel.transposed ? 0 : last)) return 1;
  return std::nullopt;
}

// Only of what was not asked for; depthwise ones are left to direct kernels, which read either layout.
std::optional<Finding> channels_apart(const RuleContext& context) {
  const Convolution* kernel = convolution(context);
  const Step& step = context.program[context.launch.step];
  if (kernel == nullptr || depthwise(*kernel) || step.knob("backend") != nullptr ||
      step.knob("algorithm") != nullptr)
    return std::nullopt;
  const auto which = scattered(*kernel);
  if (!which) return std::nullopt;
  const Value& value = context.program[main_of(context).in[*which]];
  const std::string name = value.name.empty() ? "x" : value.name;
  const std::string_view layout = kLayouts[spatial_rank(*kernel) - 1];
  const bool exchanged = *which == 1 && kernel->transposed;
  const std::string copy = exchanged ? fmt::format("to(permute({}, [1, 0, ...]), {})", name, layout)
                                     : fmt::format("to({}, {})", name, layout);
  return Finding{
      "", fmt::format("channels of `{}` are not contiguous, so its elements are gathered one by one", name),
      "",
      fmt::format("a step before: `{}_c = {}`; `.algorithm(implicit_gemm)` says that this is meant", name,
                  *which == 1 && value.params_only ? "prepack(" + copy + ")" : copy),
      ""};
}

// A thread of a direct kernel has neighbouring channels, so it reads their filters together.
std::optional<Finding> filters_apart(const RuleContext& context) {
  const Convolution* kernel = convolution(context);
  if (kernel == nullptr || kernel->transposed || direct_conv(*kernel).vector == 1 || kernel->w.stride[0] == 1)
    return std::nullopt;
  const Value& value = context.program[main_of(context).in[1]];
  const std::string name = value.name.empty() ? "W" : value.name;
  std::string there;
  const size_t rank = spatial_rank(*kernel);
  for (size_t d = 0; d < rank; ++d) there += fmt::format("{}, ", 2 + d);
  std::string back = fmt::format("{}, {}", rank + 1, rank);
  for (size_t d = 0; d < rank; ++d) back += fmt::format(", {}", d);
  const std::string copy = fmt::format("to(permute({}, [{}1, 0]), row)", name, there);
  return Finding{"",
                 fmt::format("a thread reads filters of {} channels, and those of `{}` lie {} elements apart",
                             direct_conv(*kernel).vector, name, kernel->w.stride[0]),
                 "",
                 fmt::format("a step before: `{0}_c = {1}`, and `permute({0}_c, [{2}])` in this one", name,
                             value.params_only ? "prepack(" + copy + ")" : copy, back),
                 ""};
}

// Tiles of the image come from TMA a line at a time, for one block.
std::optional<Finding> image_tiles(const RuleContext& context) {
  const Convolution* kernel = convolution(context);
  const ContractionConfig* config = context.config();
  if (kernel == nullptr || config == nullptr) return std::nullopt;
  const int64_t depth = 128 / size_bytes(kernel->x.dtype);
  if (config->tile_m != 0 && config->tile_k != depth) {
    const std::string fits = tile_text(config->tile_m, config->tile_n, depth);
    return Finding{"tile",
                   fmt::format("a tile of an image is a line of 128 bytes deep: {} elements, not {}", depth,
                               config->tile_k),
                   "", fmt::format("`.tile({})`", fits), fits};
  }
  if (config->cluster_n > 1) {
    const std::string fits = fmt::format("{}x1", config->cluster_m);
    return Finding{"cluster",
                   fmt::format("{} blocks of a cluster would share tiles of an image", config->cluster_n),
                   "along N", fmt::format("`.cluster({})`", fits), fits};
  }
  return std::nullopt;
}

constexpr std::string_view kDeep =
    "target sm_90a\ninput x: f16[2, 64, 16, 16] @nhwc\nparam W: f16[64, 64, 3, 3] @nhwc\n"
    "y = conv2d(x, W).backend(cutlass3).tile(128x64x32)\nreturn y\n";
constexpr std::string_view kOneLine =
    "target sm_90a\ninput x: f16[2, 64, 16, 16] @nhwc\nparam W: f16[64, 64, 3, 3] @nhwc\n"
    "y = conv2d(x, W).backend(cutlass3).tile(128x64x64)\nreturn y\n";
constexpr std::string_view kFirst =
    "target sm_90a\ninput x: f16[2, 64, 16, 16]\nparam W: f16[64, 64, 3, 3] @nhwc\ny = conv2d(x, W)\nreturn "
    "y\n";
constexpr std::string_view kLast =
    "target sm_90a\ninput x: f16[2, 64, 16, 16]\nparam W: f16[64, 64, 3, 3] @nhwc\nx_c = to(x, nhwc)\n"
    "y = conv2d(x_c, W)\nreturn y\n";
constexpr std::string_view kFilters =
    "target sm_90a\ninput x: f16[2, 64, 16, 16] @nhwc\nparam W: f16[64, 1, 3, 3]\n"
    "y = conv2d(x, W, groups=64).algorithm(direct)\nreturn y\n";
constexpr std::string_view kFiltersTogether =
    "target sm_90a\ninput x: f16[2, 64, 16, 16] @nhwc\nparam W: f16[64, 1, 3, 3]\n"
    "W_c = prepack(to(permute(W, [2, 3, 1, 0]), row))\n"
    "y = conv2d(x, permute(W_c, [3, 2, 0, 1]), groups=64).algorithm(direct)\nreturn y\n";

constexpr std::array<RuleSpec, 3> kRows{{
    {.id = "UC2901",
     .slug = "conv-channels-apart",
     .severity = Severity::warning,
     .summary = "Implicit GEMM reads vectors of channels, so those are contiguous in both operands.",
     .rationale = "Else every element is an access of its own, and a sector of memory is read for each.",
     .source =
         "emitted kernels: templates/uc_conv2_iterators.cuh; CUDA programming guide, device memory accesses",
     .archs = kGemm2Archs,
     .backend = kGemm2Backends,
     .check = channels_apart,
     .bad_example = kFirst,
     .good_example = kLast},
    {.id = "UC2903",
     .slug = "conv3-tile",
     .summary = "Tiles of an image are 128 bytes of channels deep, and blocks of a cluster lie along M.",
     .rationale = "TMA reads windows of an image in lines of 128 bytes, and here for one block at a time.",
     .source = "emitted kernels: templates/uc_im2col.cuh; CUDA driver API, cuTensorMapEncodeIm2col",
     .archs = "sm_90a",
     .backend = "cutlass3",
     .check = image_tiles,
     .bad_example = kDeep,
     .good_example = kOneLine},
    {.id = "UC2904",
     .slug = "conv-filters-apart",
     .severity = Severity::warning,
     .summary = "Direct kernels read filters of neighbouring channels together, so those are contiguous.",
     .rationale = "Else every weight is an access of its own, and there are more of them than of the input.",
     .source = "emitted kernels: templates/uc_conv_direct.cuh",
     .archs = kGemm2Archs,
     .backend = "cuda",
     .check = filters_apart,
     .bad_example = kFilters,
     .good_example = kFiltersTogether},
}};

}  // namespace

std::span<const RuleSpec> convolutions_rows();
std::span<const RuleSpec> convolutions_rows() { return kRows; }

}  // namespace uc::rules
