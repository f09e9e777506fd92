#include "ops/detail/window.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>

#include "catalog/diags_window.h"
#include "catalog/infer.h"

namespace uc::ops {

int64_t inputs(const Windows& windows) { return windows[0].in * windows[1].in * windows[2].in; }
int64_t outputs(const Windows& windows) { return windows[0].out * windows[1].out * windows[2].out; }
int64_t taps(const Windows& windows) { return windows[0].kernel * windows[1].kernel * windows[2].kernel; }

namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Sweeps o from 0 to `swept` - 1: how often o * stride - before + k * dilation lies within [0, `inside`).
double pairs_inside(const Window& w, int64_t swept, int64_t inside) {
  double count = 0;
  for (int64_t k = 0; k < w.kernel; ++k) {
    const int64_t shift = w.before - k * w.dilation;
    const int64_t first = std::max<int64_t>(0, ceil_div(shift, w.stride));
    const int64_t last = std::min(swept - 1, floor_div(inside - 1 + shift, w.stride));
    count += static_cast<double>(std::max<int64_t>(0, last - first + 1));
  }
  return count;
}

// Tap k reads o * stride + c, c = k * dilation - before: elements c % stride apart from multiples of the
// stride, a run of as many of these as there are results. Runs of the same remainder are united.
double touched(const Window& w) {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> runs;  // of a remainder: first, last multiple
  for (int64_t k = 0; k < w.kernel; ++k) {
    const int64_t at = k * w.dilation - w.before;
    const int64_t first = floor_div(at, w.stride);
    const int64_t rest = at - first * w.stride;
    const int64_t last = std::min(first + w.out - 1, floor_div(w.in - 1 - rest, w.stride));
    runs[rest].emplace_back(std::max<int64_t>(0, first), last);
  }
  double count = 0;
  for (auto& [rest, each] : runs) {
    std::ranges::sort(each);
    int64_t next = 0;  // the first multiple that is not counted yet
    for (const auto& [first, last] : each) {
      count += static_cast<double>(std::max<int64_t>(0, last - std::max(first, next) + 1));
      next = std::max(next, last + 1);
    }
  }
  return count;
}

}  // namespace

double share_inside(const Windows& windows, bool transposed) {
  double share = 1;
  for (const Window& w : windows) {
    const int64_t swept = transposed ? w.in : w.out;
    const auto all = static_cast<double>(swept) * static_cast<double>(w.kernel);
    if (all > 0) share *= pairs_inside(w, swept, transposed ? w.out : w.in) / all;
  }
  return share;
}

double share_of_fast(const Windows& windows) {
  double share = 1;
  for (const Window& w : windows) {
    const int64_t sequences = std::min(w.kernel, w.stride / std::gcd(w.stride, w.dilation));
    share *= static_cast<double>(sequences) / static_cast<double>(w.kernel);
  }
  return share;
}

double touched(const Windows& windows) {
  return touched(windows[0]) * touched(windows[1]) * touched(windows[2]);
}

WindowPart window_part(const Window& w, Part::Range out) {
  if (out.count <= 0) return {};
  const int64_t first = std::max<int64_t>(0, out.first * w.stride - w.before);
  const int64_t last =
      std::min(w.in - 1, (out.end() - 1) * w.stride - w.before + w.dilation * (w.kernel - 1));
  if (last < first) return {};
  Window own = w;
  own.out = out.count;
  own.before = w.before - out.first * w.stride;
  const Part::Range range{first, last - first + 1};
  return {range, std::min(1.0, touched(own) / static_cast<double>(range.count))};
}

// Those of which some tap meets the range, unless taps can pass it by.
WindowPart transposed_part(const Window& w, Part::Range out) {
  if (out.count <= 0) return {};
  const int64_t reach = out.count >= w.dilation ? w.dilation * (w.kernel - 1) : 0;
  const int64_t first = std::max<int64_t>(0, ceil_div(out.first + w.before - reach, w.stride));
  const int64_t last = std::min(w.in - 1, floor_div(out.end() - 1 + w.before, w.stride));
  return {{first, std::max<int64_t>(0, last - first + 1)}, 1};
}

Part windowed_part(const Windows& windows, size_t rank, bool transposed, const Shape& shape, const Part& part,
                   bool all_channels) {
  std::vector<int> along(shape.size());
  std::iota(along.begin(), along.end(), 0);
  const size_t spatial = shape.size() - rank;
  if (all_channels) along[spatial - 1] = kAll;
  Part from = part;
  if (from.triangle && (from.triangle->row >= spatial || from.triangle->column >= spatial))
    from.lose_triangle();
  Part out = projected(from, shape, along);
  for (size_t d = 0; d < rank; ++d) {
    const Window& each = window(windows, rank, d);
    const Part::Range range = from.box[spatial + d];
    const WindowPart own = transposed ? transposed_part(each, range) : window_part(each, range);
    out.box[spatial + d] = own.range;
    out.inside *= own.inside;
  }
  return out;
}

double pairs_of(const Window& window, Part::Range out) {
  Window own = window;
  own.before -= out.first * window.stride;
  return pairs_inside(own, out.count, own.in);
}

std::vector<int64_t> spread(const Attrs& attrs, std::string_view key, int64_t otherwise, size_t rank) {
  std::vector<int64_t> out(rank, otherwise);
  const AttrValue* value = attrs.find(key);
  const auto* given = value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value);
  if (given == nullptr) return out;
  for (size_t i = 0; i < rank && !given->empty(); ++i)
    out[i] = given->size() == 1 ? given->front() : (*given)[std::min(i, given->size() - 1)];
  return out;
}

bool check_setting(InferContext& context, std::string_view key, size_t rank, int64_t least) {
  const AttrValue* value = context.op().attrs.find(key);
  const auto* given = value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value);
  if (given == nullptr) return true;
  constexpr int64_t kMost = int64_t{1} << 20;
  const bool fits = given->size() == 1 || given->size() == rank;
  const bool good =
      std::ranges::all_of(*given, [least](int64_t each) { return each >= least && each <= kMost; });
  if (fits && good) return true;
  context
      .error(kinds::window_setting, fmt::format("`{}` of {} for {} spatial dimension{}", key, to_text(*given),
                                                rank, rank == 1 ? "" : "s"))
      .help = fits ? fmt::format("`{}` is {} or more", key, least)
                   : fmt::format("one integer for all, or one for each of the {}", rank);
  return false;
}

Shape windowed_shape(const Shape& x, size_t rank, int64_t channels, const Windows& windows) {
  Shape out(x.begin(), x.end() - static_cast<int64_t>(rank));
  if (channels != 0) out.back() = channels;
  for (size_t d = 0; d < rank; ++d) out.push_back(window(windows, rank, d).out);
  return out;
}

bool check_windows(InferContext& context, size_t rank, const Windows& windows) {
  for (size_t d = 0; d < rank; ++d) {
    const Window& each = window(windows, rank, d);
    if (each.out >= 1) continue;
    context
        .error(kinds::window_fit,
               fmt::format("a window of {} does not fit spatial dimension {} of {}: {} with its padding",
                           each.span(), d, describe(context.in(0)), each.in + each.before + each.after))
        .help = "pad more, or take a smaller kernel or dilation";
    return false;
  }
  return true;
}

void import_setting(ImportContext& context, const GraphOp& op, size_t index, std::string_view key,
                    std::optional<int64_t> otherwise, Attrs& attrs) {
  auto values = context.integers(op, index, key);
  if (!values || values->empty()) return;
  const bool uniform = std::ranges::all_of(*values, [&](int64_t each) { return each == values->front(); });
  if (uniform && values->front() == otherwise) return;
  if (uniform) values->erase(values->begin() + 1, values->end());
  attrs.set(key, std::move(*values));
}

}  // namespace uc::ops
