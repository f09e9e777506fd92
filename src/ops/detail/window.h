#pragma once
// Why: convolutions and pools slide a window over spatial dimensions; its settings are read, checked and
// counted here.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "catalog/import_context.h"
#include "catalog/op_spec.h"

namespace uc::ops {

/// One spatial dimension. Element `o` of the result reads input elements o * stride - before + k * dilation,
/// k from 0 to kernel - 1 (a transposed convolution: the other way round).
struct Window {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, dilation = 1;
  int64_t before = 0, after = 0;  ///< padding

  int64_t span() const { return dilation * (kernel - 1) + 1; }
};

/// Up to three, the missing ones in front: loops are written once, for three.
using Windows = std::array<Window, 3>;

int64_t inputs(const Windows& windows);   ///< elements of a channel of the input
int64_t outputs(const Windows& windows);  ///< elements of a channel of the result
int64_t taps(const Windows& windows);     ///< elements of a window

/// Products of a tap with an element, of all windows of a channel, that padding does not make zero (of a
/// transposed convolution: that are not cut off), as a share of all.
double share_inside(const Windows& windows, bool transposed);

/// Products that fast algorithms take at least, as a share of all: one a result (of a transposed convolution:
/// an element) for each of the sequences that a stride cuts the filter's taps into.
double share_of_fast(const Windows& windows);

/// Elements of a channel of the input that some window reads.
double touched(const Windows& windows);

/// Along one dimension: the input elements that results of `out` are made of (of a transposed convolution no
/// more than these), and which share of the range that they lie in.
struct WindowPart {
  Part::Range range;
  double inside = 1;
};
WindowPart window_part(const Window& window, Part::Range out);
WindowPart transposed_part(const Window& window, Part::Range out);

/// The spatial dimensions of x, the last `rank`, of a part of the result's; other dimensions keep theirs, but
/// for the channels where a result needs all of them.
Part windowed_part(const Windows& windows, size_t rank, bool transposed, const Shape& shape, const Part& part,
                   bool all_channels);

/// Products of a tap with an element that the results of a range take, padding left out.
double pairs_of(const Window& window, Part::Range out);

/// The settings of attribute `key`, one a spatial dimension; an integer stands for all, `otherwise` without
/// it.
std::vector<int64_t> spread(const Attrs& attrs, std::string_view key, int64_t otherwise, size_t rank);

/// The same, checked: as many as there are spatial dimensions, none below `least`. False after an error.
bool check_setting(InferContext& context, std::string_view key, size_t rank, int64_t least);

/// Spatial dimension d, counted from 0 of `rank`.
inline Window& window(Windows& windows, size_t rank, size_t d) { return windows[3 - rank + d]; }
inline const Window& window(const Windows& windows, size_t rank, size_t d) { return windows[3 - rank + d]; }

/// The result's shape: `x` with other channels (its own when 0) and the windows' extents.
Shape windowed_shape(const Shape& x, size_t rank, int64_t channels, const Windows& windows);

/// Every window gives an element, or an error that says which does not.
bool check_windows(InferContext& context, size_t rank, const Windows& windows);

/// A captured setting, where it is not `otherwise`: one integer when all are equal.
void import_setting(ImportContext& context, const GraphOp& op, size_t index, std::string_view key,
                    std::optional<int64_t> otherwise, Attrs& attrs);

}  // namespace uc::ops
