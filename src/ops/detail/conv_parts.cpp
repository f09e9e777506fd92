#include "ops/detail/conv_parts.h"

#include <algorithm>

namespace uc::ops {
namespace {

// Channels of x that a range of the result's channels needs, in groups.
Part::Range channels_of(Part::Range range, int64_t groups, int64_t made, int64_t given) {
  if (range.count <= 0) return {};
  const int64_t first = range.first / (made / groups);
  const int64_t last = (range.end() - 1) / (made / groups);
  return {first * (given / groups), (last - first + 1) * (given / groups)};
}

// Share of a filter's taps that results of a part meet for sure: all where one of them (of a transposed
// convolution as many as its stride) is far from the edges, else one.
double taps_met(const Windows& windows, size_t rank, bool transposed, const Part& part) {
  double out = 1;
  for (size_t d = 0; d < rank; ++d) {
    const Window& w = window(windows, rank, d);
    const Part::Range range = part.box[part.box.size() - rank + d];
    const int64_t reach = w.dilation * (w.kernel - 1);
    const auto up = [](int64_t a, int64_t b) { return a <= 0 ? int64_t{0} : (a + b - 1) / b; };
    const int64_t first = transposed ? std::max<int64_t>(0, reach - w.before) : up(w.before, w.stride);
    const int64_t end =
        transposed ? (w.in - 1) * w.stride - w.before + 1
                   : (w.in - 1 - reach + w.before >= 0 ? (w.in - 1 - reach + w.before) / w.stride + 1 : 0);
    const int64_t inner = std::min(range.end(), std::min(end, w.out)) - std::max(range.first, first);
    const bool known = part.inside == 1 && !part.triangle;
    if (!known || inner < (transposed ? w.stride : 1)) out /= static_cast<double>(w.kernel);
  }
  return out;
}

// Products that one result at a corner takes: no result takes fewer.
double fewest_pairs(const Windows& windows, size_t rank) {
  double out = 1;
  for (size_t d = 0; d < rank; ++d) {
    const Window& w = window(windows, rank, d);
    out *= std::min(pairs_of(w, {0, 1}), pairs_of(w, {w.out - 1, 1}));
  }
  return out;
}

}  // namespace

Part convolution_needs(const Program& program, const Op& op, const Windows& windows, ConvKind kind, size_t i,
                       const Part& part) {
  const Shape& shape = program[op.in[i]].shape;
  const Shape& result = program[op.out[0]].shape;
  const size_t channel = result.size() - kind.rank - 1;
  const int64_t groups = op.attrs.get_int("groups", 1);
  const bool all_groups = part.box[channel].count == result[channel] || groups == 1;
  if (i == 0) {
    Part out = windowed_part(windows, kind.rank, kind.transposed, shape, part, true);
    if (!all_groups)
      out.box[channel] = channels_of(part.box[channel], groups, result[channel], shape[channel]);
    return out;
  }
  const double all_taps = taps_met(windows, kind.rank, kind.transposed, part);
  std::vector<int> along(shape.size(), kAll);
  if (!kind.transposed) {
    along[0] = static_cast<int>(channel);
  } else if (groups == 1) {
    along[1] = static_cast<int>(channel);
  } else if (!all_groups) {
    return Part::none(shape);
  }
  Part out = projected(part, shape, along);
  out.inside *= all_taps;
  return out;
}

double convolution_part_flops(const Program& program, const Op& op, const Windows& windows, double dense,
                              const Part& part) {
  const size_t rank = program[op.in[1]].shape.size() - 2;
  const auto all = static_cast<double>(numel(program[op.out[0]].shape));
  const double a_pair = dense / std::max(1.0, all * static_cast<double>(taps(windows)));
  if (part.inside < 1 || part.triangle) return a_pair * part.elements() * fewest_pairs(windows, rank);
  double pairs = 1;
  for (size_t d = 0; d < part.box.size(); ++d) {
    const bool spatial = d >= part.box.size() - rank;
    pairs *= spatial ? pairs_of(window(windows, rank, d + rank - part.box.size()), part.box[d])
                     : static_cast<double>(part.box[d].count);
  }
  return a_pair * pairs;
}

}  // namespace uc::ops
