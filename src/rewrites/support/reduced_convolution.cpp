#include "rewrites/support/reduced_convolution.h"

#include <algorithm>
#include <map>

namespace uc::rewrites {
namespace {

// Indices of the input that one element of a window meets: first, first + step, ..., below end.
struct Met {
  int64_t first = 0, end = 0, step = 1;
  auto operator<=>(const Met&) const = default;
};

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
int64_t ceil_div(int64_t a, int64_t b) { return -floor_div(-a, b); }

Met met_by(const Window& window, size_t d, int64_t tap, int64_t in, int64_t out) {
  const int64_t shift = window.padding[d] - tap * window.dilation[d];
  const int64_t least = std::max<int64_t>(0, ceil_div(shift, window.stride[d]));
  if (window.transposed) {  // result at i * stride - shift
    const int64_t last = std::min(in - 1, floor_div(out - 1 + shift, window.stride[d]));
    return {least, std::max(least, last + 1), 1};
  }
  // Input at p * stride - shift of place p.
  const int64_t last = std::min(out - 1, floor_div(in - 1 + shift, window.stride[d]));
  if (last < least) return {0, 0, 1};
  return {least * window.stride[d] - shift, last * window.stride[d] - shift + 1, window.stride[d]};
}

class Spatial {
 public:
  Spatial(Simplifier& s, const Op& op, const Window& window) : s_(s), op_(op), window_(window) {}

  // Pairs of a summed input and the weights that meet it.
  struct Part {
    ValueId x, weight;
  };

  std::optional<std::vector<Part>> parts(ValueId x, ValueId weight, const std::vector<size_t>& spatial) {
    std::vector<Part> out{{x, weight}};
    for (const size_t d : spatial) {
      std::vector<Part> next;
      for (const Part& part : out) {
        for (const auto& [met, taps] : taps_by_met(d)) {
          if (met.first >= met.end) continue;
          const auto of_x = summed(part.x, d + 2, met);
          const auto of_w = of_x ? summed_taps(part.weight, d + 2, taps) : std::nullopt;
          if (!of_w) return std::nullopt;
          next.push_back({*of_x, *of_w});
        }
      }
      out = std::move(next);
    }
    return out;
  }

 private:
  std::map<Met, std::vector<int64_t>> taps_by_met(size_t d) const {
    std::map<Met, std::vector<int64_t>> out;
    const int64_t taps = s_[op_.in[1]].shape[d + 2];
    for (int64_t tap = 0; tap < taps; ++tap)
      out[met_by(window_, d, tap, s_[op_.in[0]].shape[d + 2], s_[op_.out[0]].shape[d + 2])].push_back(tap);
    return out;
  }

  // Consecutive places: the sum of all less what lies beyond both ends, so that x is read once.
  std::optional<ValueId> summed(ValueId x, size_t dim, const Met& met) {
    const int64_t extent = s_[x].shape[dim];
    if (met.step != 1) {
      const auto some = sliced(s_, x, dim, met.first, met.end, met.step);
      return some ? reduced(s_, "sum", *some, {dim}) : std::nullopt;
    }
    auto all = reduced(s_, "sum", x, {dim});
    for (const auto& [from, to] : {std::pair{int64_t{0}, met.first}, std::pair{met.end, extent}}) {
      if (from >= to || !all) continue;
      const auto beyond = sliced(s_, x, dim, from, to);
      const auto sum = beyond ? reduced(s_, "sum", *beyond, {dim}) : std::nullopt;
      all = sum ? s_.op("sub", {*all, *sum}) : std::nullopt;
    }
    return all;
  }

  std::optional<ValueId> summed_taps(ValueId weight, size_t dim, const std::vector<int64_t>& taps) {
    std::optional<ValueId> out;
    for (size_t i = 0; i < taps.size();) {
      size_t end = i + 1;
      while (end < taps.size() && taps[end] == taps[end - 1] + 1) ++end;
      const auto run = sliced(s_, weight, dim, taps[i], taps[end - 1] + 1);
      const auto sum = run ? reduced(s_, "sum", *run, {dim}) : std::nullopt;
      if (!sum) return std::nullopt;
      out = out ? s_.op("add", {*out, *sum}) : sum;
      i = end;
    }
    return out;
  }

  Simplifier& s_;
  const Op& op_;
  const Window& window_;
};

}  // namespace

std::optional<Window> window_of(const Simplifier& s, const Op& op) {
  if (op.spec->family != "conv" || op.in.size() != 2) return std::nullopt;
  const AttrValue* padding = op.attrs.find("padding");
  if (padding != nullptr && std::holds_alternative<std::string>(*padding) &&
      std::get<std::string>(*padding) != "valid")
    return std::nullopt;
  Window out;
  out.transposed = op.spec->name.starts_with("conv_transpose");
  out.spatial = s[op.in[1]].shape.size() - 2;
  out.stride = spread(op, "stride", out.spatial, 1);
  out.padding = spread(op, "padding", out.spatial, 0);
  out.dilation = spread(op, "dilation", out.spatial, 1);
  out.output_padding = spread(op, "output_padding", out.spatial, 0);
  out.groups = op.attrs.get_int("groups", 1);
  return s[op.in[0]].shape.size() == out.spatial + 2 ? std::optional(out) : std::nullopt;
}

Attrs window_attrs(const Window& window) {
  Attrs attrs;
  const auto set = [&](std::string_view key, const std::vector<int64_t>& value, int64_t otherwise) {
    if (std::ranges::any_of(value, [&](int64_t each) { return each != otherwise; })) attrs.set(key, value);
  };
  set("stride", window.stride, 1);
  set("padding", window.padding, 0);
  if (window.transposed) set("output_padding", window.output_padding, 0);
  set("dilation", window.dilation, 1);
  if (window.groups != 1) attrs.set("groups", window.groups);
  return attrs;
}

std::optional<ValueId> sliced(Simplifier& s, ValueId x, size_t dim, int64_t start, int64_t end,
                              int64_t step) {
  if (start == 0 && end >= s[x].shape[dim] && step == 1) return x;
  Attrs attrs;
  attrs.set("dim", static_cast<int64_t>(dim));
  attrs.set("start", start);
  attrs.set("end", end);
  if (step != 1) attrs.set("step", step);
  return s.op("slice", {x}, std::move(attrs));
}

std::optional<ValueId> reduced_convolution(Simplifier& s, const Op& op, std::string_view name,
                                           const DimSet& dims) {
  auto window = window_of(s, op);
  if (!window) return std::nullopt;
  std::optional<ValueId> x = op.in[0];
  std::optional<ValueId> weight = op.in[1];
  DimSet left;
  std::vector<size_t> spatial;
  double places = 1;
  for (const size_t dim : dims) {
    if (s[op.out[0]].shape[dim] == 1) continue;
    if (dim == 0 && x) {
      x = reduced(s, name, *x, {0});
    } else if (dim == 1 && window->groups == 1 && weight) {
      weight = reduced(s, name, *weight, {window->transposed ? size_t{1} : size_t{0}});
    } else if (dim >= 2) {
      spatial.push_back(dim - 2);
      places *= static_cast<double>(s[op.out[0]].shape[dim]);
    } else {
      left.push_back(dim);
    }
  }
  if (!x || !weight || left.size() == dims.size()) return std::nullopt;
  auto parts = Spatial(s, op, *window).parts(*x, *weight, spatial);
  if (!parts || parts->empty()) return std::nullopt;
  for (const size_t d : spatial) {
    window->stride[d] = window->dilation[d] = 1;
    window->padding[d] = window->output_padding[d] = 0;
  }
  std::optional<ValueId> out;
  for (const auto& part : *parts) {
    std::optional<ValueId> scaled = part.weight;
    if (name == "mean" && places != 1) scaled = s.op("div", {part.weight, s.literal(places)});
    const auto y = scaled ? s.op(op.spec->name, {part.x, *scaled}, window_attrs(*window)) : std::nullopt;
    if (!y) return std::nullopt;
    out = out ? s.op("add", {*out, *y}) : y;
  }
  return out ? reduced(s, name, *out, left) : std::nullopt;
}

}  // namespace uc::rewrites
