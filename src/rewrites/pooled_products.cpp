// Means of windows through what is linear: the pooled result of a product or convolution is a smaller product
// or convolution.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "rewrites/support/reduced_convolution.h"
#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr int kDeepest = 8;

// An average pool without padding whose windows lie side by side or overlap, all whole.
struct Pool {
  std::string name;
  std::vector<int64_t> kernel, stride;
  Attrs attrs;
};

std::optional<Pool> pool_of(const Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!is_any(op, {"avg_pool1d", "avg_pool2d", "avg_pool3d"}) || op.in.size() != 1) return std::nullopt;
  const auto spatial = static_cast<size_t>(op.spec->name[8] - '0');  // avg_pool2d
  if (s[op.in[0]].shape.size() != spatial + 2) return std::nullopt;
  const auto padding = spread(op, "padding", spatial, 0);
  if (std::ranges::any_of(padding, [](int64_t each) { return each != 0; }) ||
      op.attrs.get_bool("ceil_mode", false) || op.attrs.has("divisor_override"))
    return std::nullopt;
  Pool out{std::string(op.spec->name), spread(op, "kernel_size", spatial, 1), {}, op.attrs};
  out.stride = op.attrs.has("stride") ? spread(op, "stride", spatial, 1) : out.kernel;
  return out;
}

double power(const std::vector<int64_t>& extents) {
  return static_cast<double>(
      std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>()));
}

class PooledConvolution {
 public:
  PooledConvolution(Simplifier& s, const Pool& pool) : s_(s), pool_(pool) {}

  // The pool of x, when a convolution below takes less by it.
  std::optional<ValueId> push(ValueId x, int depth = 0) {
    const OpId id = s_.maker(x);
    if (!id || depth > kDeepest || !s_.read_once(x)) return std::nullopt;
    const Op& op = s_[id];
    if (op.spec->family == "conv") return convolution(op);
    if (!is_any(op, {"add", "sub", "mul", "div"})) return std::nullopt;
    for (size_t k = op.spec->name == "div" ? 1 : 0; k < 2; ++k) {
      if (!one_a_window(op.in[k], s_[x].shape.size()) || s_[op.in[1 - k]].shape != s_[x].shape) continue;
      const auto inner = push(op.in[1 - k], depth + 1);
      if (!inner) continue;
      return s_.op(op.spec->name, k == 1 ? std::vector{*inner, op.in[k]} : std::vector{op.in[k], *inner});
    }
    return std::nullopt;
  }

 private:
  // The same at all places of a channel.
  bool one_a_window(ValueId value, size_t rank) const {
    const Shape& shape = s_[value].shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i + rank - shape.size() >= 2 && shape[i] != 1) return false;
    }
    return true;
  }

  std::optional<ValueId> convolution(const Op& op) {
    const auto window = window_of(s_, op);
    if (!window || window->spatial != pool_.kernel.size()) return std::nullopt;
    const auto ones = [](const std::vector<int64_t>& each) {
      return std::ranges::count(each, 1) == std::ssize(each);
    };
    if (!ones(window->dilation)) return std::nullopt;
    if (window->transposed) return transposed(op, *window);
    if (!ones(window->stride)) return std::nullopt;
    const Shape& weight = s_[op.in[1]].shape;
    const std::vector<int64_t> taps(weight.begin() + 2, weight.end());
    if (ones(taps) && std::ranges::count(window->padding, 0) == std::ssize(window->padding)) {
      const auto pooled = s_.op(pool_.name, {op.in[0]}, pool_.attrs);
      return pooled ? s_.op(op.spec->name, {*pooled, op.in[1]}, op.attrs) : std::nullopt;
    }
    return composed(op, *window, taps);
  }

  // One window that spans what the windows of a pool's window span: taps + kernel - 1.
  std::optional<ValueId> composed(const Op& op, Window window, const std::vector<int64_t>& taps) {
    double spans = 1;
    std::vector<int64_t> pads;
    for (size_t d = window.spatial; d-- > 0;) {
      spans *= static_cast<double>(taps[d] + pool_.kernel[d] - 1);
      pads.insert(pads.end(), 2, pool_.kernel[d] - 1);
    }
    if (!s_[op.in[1]].params_only || spans >= power(taps) * power(pool_.stride)) return std::nullopt;
    Attrs wide;
    wide.set("pads", pads);
    const auto padded = s_.op("pad", {op.in[1]}, std::move(wide));
    Attrs one;
    one.set("kernel_size", pool_.kernel);
    one.set("stride", std::vector<int64_t>{1});
    const auto weight = padded ? s_.op(pool_.name, {*padded}, std::move(one)) : std::nullopt;
    window.stride = pool_.stride;
    return weight ? s_.op(op.spec->name, {op.in[0], *weight}, window_attrs(window)) : std::nullopt;
  }

  // Windows as wide as the stride that spread the input: place q of the pool meets inputs q + m, through the
  // taps padding - m stride to padding - m stride + stride - 1.
  std::optional<ValueId> transposed(const Op& op, const Window& window) {
    if (window.groups != 1 || window.stride != pool_.kernel || window.stride != pool_.stride ||
        !s_[op.in[1]].params_only)
      return std::nullopt;
    std::optional<ValueId> weight = op.in[1];
    std::vector<int64_t> pads;
    Shape in = s_[op.in[0]].shape;
    for (size_t d = window.spatial; d-- > 0 && weight;) {
      const int64_t t = window.stride[d];
      const int64_t taps = s_[op.in[1]].shape[d + 2];
      const int64_t least = -((taps - 1 - window.padding[d]) / t);
      const int64_t most = (window.padding[d] + t - 1) / t;
      if (taps - 1 < window.padding[d]) return std::nullopt;
      const int64_t places = s_[op.out[0]].shape[d + 2] / t;
      pads.insert(pads.end(), {-least, places - 1 + most - (in[d + 2] - 1)});
      weight = joined_taps(*weight, d + 2, window.padding[d], t, least, most);
    }
    if (!weight) return std::nullopt;
    const auto swapped = channels_swapped(*weight);
    Attrs wide;
    wide.set("pads", pads);
    const bool padded = std::ranges::any_of(pads, [](int64_t each) { return each != 0; });
    const auto x = padded ? s_.op("pad", {op.in[0]}, std::move(wide)) : std::optional(op.in[0]);
    constexpr std::string_view kPlain[] = {"conv1d", "conv2d", "conv3d"};
    return x && swapped ? s_.op(kPlain[window.spatial - 1], {*x, *swapped}) : std::nullopt;
  }

  std::optional<ValueId> joined_taps(ValueId weight, size_t dim, int64_t padding, int64_t stride,
                                     int64_t least, int64_t most) {
    std::vector<ValueId> parts;
    const int64_t taps = s_[weight].shape[dim];
    for (int64_t m = least; m <= most; ++m) {
      const int64_t from = std::max<int64_t>(0, padding - m * stride);
      const int64_t to = std::min(taps, padding - m * stride + stride);
      if (from >= to) return std::nullopt;
      const auto run = sliced(s_, weight, dim, from, to);
      const auto sum = run ? reduced(s_, "sum", *run, {dim}) : std::nullopt;
      const auto part = sum ? s_.op("div", {*sum, s_.literal(static_cast<double>(stride))}) : std::nullopt;
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    if (parts.size() == 1) return parts[0];
    Attrs attrs;
    attrs.set("dim", static_cast<int64_t>(dim));
    return s_.op("concat", std::move(parts), std::move(attrs));
  }

  std::optional<ValueId> channels_swapped(ValueId weight) {
    Attrs swap;
    swap.set("dims", std::vector<int64_t>{0, 1});
    const auto view = s_.op("transpose", {weight}, std::move(swap));
    Attrs row;
    row.set("layout", std::string("row"));
    return view ? s_.op("to", {*view}, std::move(row)) : std::nullopt;
  }

  Simplifier& s_;
  const Pool& pool_;
};

std::optional<ValueId> pooled_convolution(Simplifier& s, OpId id) {
  const auto pool = pool_of(s, id);
  return pool ? PooledConvolution(s, *pool).push(s[id].in[0]) : std::nullopt;
}

// ---- pools over the columns of a product

class PooledColumns {
 public:
  PooledColumns(Simplifier& s, int64_t window) : s_(s), window_(window) {}

  std::optional<ValueId> push(ValueId x, int depth = 0) {
    const OpId id = s_.maker(x);
    if (!id || depth > kDeepest || !s_.read_once(x)) return std::nullopt;
    const Op& op = s_[id];
    if (op.spec->name == "linear") return product(op, s_[op.in[1]].shape.size() - 2);
    if (op.spec->name == "gemm") return product(op, s_[op.in[1]].shape.size() - 1);
    if (op.spec->name == "unsqueeze" || op.spec->name == "squeeze") {
      const auto rank = static_cast<int64_t>(s_[op.in[0]].shape.size());
      const int64_t dim = op.attrs.get_int("dim", 0);
      const bool last =
          op.spec->name == "unsqueeze" ? dim == -1 || dim == rank : dim == -1 || dim == rank - 1;
      const auto inner = last ? std::nullopt : push(op.in[0], depth + 1);
      return inner ? s_.op(op.spec->name, {*inner}, op.attrs) : std::nullopt;
    }
    return is_any(op, {"add", "sub", "mul", "div"}) ? joined(op, depth) : std::nullopt;
  }

 private:
  std::optional<ValueId> joined(const Op& op, int depth) {
    const Shape& shape = s_[op.out[0]].shape;
    const auto wide = [&](ValueId id) {
      return !s_[id].shape.empty() && s_[id].shape.back() == shape.back();
    };
    const bool adds = is_any(op, {"add", "sub"});
    if (!adds && wide(op.in[0]) && wide(op.in[1])) return std::nullopt;
    if (op.spec->name == "div" && wide(op.in[1])) return std::nullopt;
    bool pushed = false;
    std::vector<ValueId> parts;
    for (const ValueId each : op.in) {
      auto part = std::optional(each);
      if (wide(each)) {
        part = push(each, depth + 1);
        pushed = pushed || part.has_value();
        if (!part) part = means(each, s_[each].shape.size() - 1);
      }
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    return pushed ? s_.op(op.spec->name, std::move(parts)) : std::nullopt;
  }

  std::optional<ValueId> product(const Op& op, size_t columns) {
    const auto b = means(op.in[1], columns);
    return b ? s_.op(op.spec->name, {op.in[0], *b}) : std::nullopt;
  }

  // The mean of every window along a dimension.
  std::optional<ValueId> means(ValueId x, size_t dim) {
    Shape shape = s_[x].shape;
    shape[dim] /= window_;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dim) + 1, window_);
    const auto apart = reshaped(s_, x, shape);
    Attrs attrs;
    attrs.set("dim", std::vector<int64_t>{static_cast<int64_t>(dim) + 1});
    return apart ? s_.op("mean", {*apart}, std::move(attrs)) : std::nullopt;
  }

  Simplifier& s_;
  int64_t window_;
};

std::optional<ValueId> pooled_columns(Simplifier& s, OpId id) {
  const auto pool = pool_of(s, id);
  if (!pool || pool->name != "avg_pool1d" || pool->kernel != pool->stride ||
      s[s[id].in[0]].shape.back() % pool->kernel[0] != 0)
    return std::nullopt;
  return PooledColumns(s, pool->kernel[0]).push(s[id].in[0]);
}

constexpr RewriteSpec kRows[] = {
    simplifying<pooled_convolution>(
        "pool-of-convolution",
        "average pooling after a convolution is one convolution with wider windows and steps, or one of the "
        "pooled input where its windows are one place",
        "both are linear: each pooled place is a fixed weighted sum of the places that the windows in it "
        "see"),
    simplifying<pooled_columns>(
        "pool-of-product", "average pooling over the columns of a product is the product with pooled columns",
        "a mean of columns of x W is x times the mean of columns of W"),
};

}  // namespace

std::span<const RewriteSpec> pooled_products_rows() { return kRows; }

}  // namespace uc::rewrites
