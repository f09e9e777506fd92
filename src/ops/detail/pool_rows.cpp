#include "ops/detail/pool_rows.h"

#include <cmath>
#include <limits>
#include <optional>

namespace uc::ops {
namespace {

bool over_padding(const Window& w) {
  return w.before > 0 || (w.out - 1) * w.stride - w.before + w.span() > w.in;
}

// Windows of a shape whose spatial dimensions are the last, as a builder over their domain sees them.
class Places {
 public:
  Places(ScalarBuilder& b, const Shape& shape, const Windows& windows, size_t rank)
      : whole_(b.whole()), windows_(windows), rank_(rank), lead_(shape.size() - rank) {}

  // 1 where the tap is inside the input; nothing when all are.
  std::optional<NodeId> inside() {
    std::optional<NodeId> out;
    for (size_t d = 0; d < rank_; ++d) {
      const Window& w = window(windows_, rank_, d);
      if (!over_padding(w)) continue;
      const NodeId tap = whole_.mul(coordinate(lead_ + rank_ + d), number(w.dilation));
      const NodeId at = whole_.add(first(d), tap);
      const NodeId fits =
          whole_.minimum(whole_.call("ge", {at, number(0)}), whole_.call("lt", {at, number(w.in)}));
      out = out ? whole_.minimum(*out, fits) : fits;
    }
    return out;
  }

  // Elements of a window with the padding, which ends.
  NodeId padded() {
    NodeId out = number(1);
    for (size_t d = 0; d < rank_; ++d) {
      const Window& w = window(windows_, rank_, d);
      const bool beyond = (w.out - 1) * w.stride + w.kernel > w.before + w.in + w.after;
      const NodeId end = whole_.minimum(whole_.add(first(d), number(w.kernel)), number(w.in + w.after));
      out = whole_.mul(out, beyond ? whole_.sub(end, first(d)) : number(w.kernel));
    }
    return out;
  }

  ScalarBuilder& whole() { return whole_; }

 private:
  NodeId number(int64_t value) { return whole_.constant(static_cast<double>(value)); }
  NodeId coordinate(size_t d) { return whole_.coordinate(static_cast<int64_t>(d)); }
  // Where window `o` begins.
  NodeId first(size_t d) {
    const Window& w = window(windows_, rank_, d);
    return whole_.sub(whole_.mul(coordinate(lead_ + d), number(w.stride)), number(w.before));
  }

  ScalarBuilder whole_;
  const Windows& windows_;
  size_t rank_;
  size_t lead_;
};

}  // namespace

RowDomain windowed_domain(const Shape& x, const Windows& windows, size_t rank) {
  const size_t lead = x.size() - rank;
  RowDomain out;
  out.shape.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(lead));
  for (size_t d = 0; d < rank; ++d) out.shape.push_back(window(windows, rank, d).out);
  for (size_t d = 0; d < rank; ++d) {
    const Window& w = window(windows, rank, d);
    out.shape.push_back(w.kernel);
    out.meet.push_back(lead + rank + d);
    out.windows.push_back({lead + d, lead + d, lead + rank + d, w.stride, w.dilation, w.before});
  }
  out.domain = out.shape;
  return out;
}

NodeId windowed_max(ScalarBuilder& b, NodeId x, const Shape& shape, const Windows& windows, size_t rank) {
  const double lowest = b.compute() == DType::i64
                            ? static_cast<double>(std::numeric_limits<int64_t>::lowest())
                            : -std::numeric_limits<double>::infinity();
  const auto inside = Places(b, shape, windows, rank).inside();
  return b.across(Combine::max, inside ? b.select(*inside, x, b.constant(lowest)) : x);
}

NodeId windowed_mean(ScalarBuilder& b, NodeId x, const Shape& shape, const Windows& windows, size_t rank,
                     Divisor divisor) {
  Places places(b, shape, windows, rank);
  const auto inside = places.inside();
  const NodeId sum = b.across(Combine::sum, inside ? b.select(*inside, x, b.constant(0)) : x);
  if (divisor.given != 0) return b.mul(sum, b.constant(1.0 / static_cast<double>(divisor.given)));
  if (!inside) return b.mul(sum, b.constant(1.0 / static_cast<double>(taps(windows))));
  return b.div(sum, divisor.padded ? places.padded() : places.whole().across(Combine::sum, *inside));
}

RowDomain adaptive_domain(const Shape& x, const std::vector<int64_t>& sizes) {
  const size_t lead = x.size() - sizes.size();
  RowDomain out;
  out.shape.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(lead));
  for (size_t d = 0; d < sizes.size(); ++d) {
    out.shape.push_back(sizes[d]);
    out.shape.push_back(x[lead + d] / sizes[d]);
    out.meet.push_back(lead + 2 * d + 1);
    if (x[lead + d] % sizes[d] != 0) return {.shape = x, .domain = {}, .meet = {}};
  }
  out.domain = out.shape;
  out.operands = {out.shape};
  return out;
}

}  // namespace uc::ops
