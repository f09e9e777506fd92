#include "plan/direct_conv.h"

#include <algorithm>

#include "plan/conv_product.h"
#include "plan/model_parts.h"

namespace uc {
namespace {

constexpr int64_t kMostTaps = 64;     // that are unrolled
constexpr int64_t kMostWeights = 64;  // that a thread holds at once
// Assumed, of the rate of multiply-adds: addresses, bounds and conversions stand beside each of them.
constexpr double kShareTiled = 0.3;
constexpr double kShareGeneral = 0.04;
// Fitted to audio_stem_conv1d of bench/conv_layers.py on an H200: 4879 us, each weight an access of its own.
constexpr double kShareSingle = 0.016;
constexpr double kScatteredFilters = 4;  // what takes its place when each weight is an access of its own
constexpr double kMemoryShare = 0.8;     // of the bandwidth that streams see
constexpr double kFillUs = 1.5;

// Channels that 16 bytes hold and that every step in memory is a multiple of.
int64_t vector_of(const Convolution& kernel) {
  if (!depthwise(kernel) || kernel.x.stride.back() != 1) return 1;
  int64_t most = 16 / size_bytes(kernel.x.dtype);
  while (most > 1 && kernel.out.back() % most != 0) most /= 2;
  return std::min<int64_t>(most, 8);
}

}  // namespace

bool depthwise(const Convolution& kernel) {
  return kernel.groups == kernel.x.shape.back() && kernel.groups == kernel.out.back();
}

DirectWindow direct_window(const Convolution& kernel, size_t d) {
  const size_t missing = 3 - spatial_rank(kernel);
  if (d < missing) return {};
  const size_t at = d - missing;
  return {kernel.w.shape[1 + at], kernel.out[1 + at], kernel.stride[at], kernel.dilation[at]};
}

DirectConv direct_conv(const Convolution& kernel) {
  DirectConv out;
  if (!kernel.epilogue.effects.empty()) {
    const View& result = kernel.epilogue.views[kernel.epilogue.effects.back().view];
    out.channels_first = result.stride.back() != 1 && kernel.out.back() != 1;
  }
  const DirectWindow window = direct_window(kernel, 1);
  int64_t taps = 1;
  for (size_t d = 0; d < 3; ++d) taps *= direct_window(kernel, d).filter;
  out.tiled = !kernel.transposed && taps <= kMostTaps;
  if (!out.tiled) return out;
  if (!out.channels_first) out.vector = vector_of(kernel);
  while (out.vector > 1 && window.filter * out.vector > kMostWeights) out.vector /= 2;
  out.places = window.out >= 3 ? 4 : window.out;
  return out;
}

Estimate direct_conv_model(const Launch& launch, const DeviceSpec& device) {
  const auto& kernel = std::get<Convolution>(launch.kernel);
  const Product product(launch);
  const DirectConv form = direct_conv(kernel);
  const double results = real(numel(kernel.out));
  const double macs = results * real(product->k());
  const Math units = kernel.accumulate == DType::f64 ? Math::f64 : Math::f32;
  Estimate out;
  const bool single =
      form.tiled && form.vector == 1 && (form.places == 1 || !form.channels_first) && !depthwise(kernel);
  const double share = single ? kShareSingle : form.tiled ? kShareTiled : kShareGeneral;
  const double rate = device.peak_flops(units) / 2 * share;
  out.compute_us = macs / rate * 1e6;
  const bool apart = form.vector > 1 && kernel.w.stride[0] != 1;
  if (apart) out.compute_us *= kScatteredFilters;
  const double bytes = conv_operand_bytes(kernel) + results * epilogue_bytes(*product);
  out.memory_us = bytes / (seen_bandwidth(device) * kMemoryShare) * 1e6;
  const double threads = results / real(form.vector * form.places);
  out.waves = threads / (2048.0 * device.sms);
  // Too few threads keep neither memory nor units busy.
  const double busy = std::min(1.0, out.waves * 4);
  out.total_us = std::max(out.compute_us, out.memory_us) / std::max(0.01, busy) + kFillUs + device.launch_us;
  out.efficiency = efficiency(*product, kernel.math, out.total_us, device);
  return out;
}

}  // namespace uc
