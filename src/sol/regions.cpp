#include "sol/regions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>

namespace uc::sol {
namespace {

struct Axis {
  int64_t step, count;
};

// The axes of a view that elements lie along, without memory of its own: bounds ask for them at every
// operand.
class Axes {
 public:
  // A dimension that runs backwards names the same elements forwards.
  explicit Axes(const Value& view) {
    for (size_t d = 0; d < view.shape.size(); ++d) {
      if (view.stride[d] == 0 || view.shape[d] <= 1) continue;
      if (count_ == few_.size()) more_.assign(few_.begin(), few_.end());
      const Axis axis{std::abs(view.stride[d]), view.shape[d]};
      if (count_ < few_.size()) {
        few_[count_] = axis;
      } else {
        more_.push_back(axis);
      }
      ++count_;
    }
  }
  std::span<Axis> all() { return count_ <= few_.size() ? std::span(few_.data(), count_) : std::span(more_); }

 private:
  std::array<Axis, 8> few_;
  std::vector<Axis> more_;
  size_t count_ = 0;
};

int64_t lowest(const Value& view) {
  int64_t out = view.offset;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.stride[d] < 0) out += view.stride[d] * (view.shape[d] - 1);
  }
  return out;
}

// One digit of a mixed-radix number: the positions first, first + 1, ... of a box.
struct Range {
  int64_t first = 0, count = 1;
  friend auto operator<=>(const Range&, const Range&) = default;
};
using Box = std::vector<Range>;  // the lowest digit first

// A memory's elements as mixed-radix numbers: each step divides the next, and a view that is a range of every
// digit is a box.
class Radix {
 public:
  explicit Radix(const Value& root) {
    Axes axes(root);
    for (const Axis& axis : axes.all()) {
      insert(axis.step);
      insert(axis.step * axis.count);
    }
  }

  /// Splits a digit at `step` where that divides evenly.
  void insert(int64_t step) {
    const auto above = std::ranges::upper_bound(steps_, step);
    if (step < 1 || *(above - 1) == step) return;
    const bool splits = step % *(above - 1) == 0 && (above == steps_.end() || *above % step == 0);
    if (splits) steps_.insert(above, step);
  }

  std::optional<Box> box(const Value& view) const {
    Box out(steps_.size());
    int64_t rest = lowest(view);
    if (rest < 0) return std::nullopt;
    for (size_t d = steps_.size(); d-- > 0; rest %= steps_[d]) out[d].first = rest / steps_[d];
    Axes axes(view);
    for (const Axis& axis : axes.all()) {
      if (!widen(out, axis)) return std::nullopt;
    }
    return out;
  }

 private:
  int64_t extent(size_t digit) const {
    const bool last = digit + 1 == steps_.size();
    return last ? std::numeric_limits<int64_t>::max() : steps_[digit + 1] / steps_[digit];
  }

  // An axis runs along one digit, or over all of it and on into the next.
  bool widen(Box& box, Axis axis) const {
    const auto found = std::ranges::lower_bound(steps_, axis.step);
    if (found == steps_.end() || *found != axis.step) return false;
    for (auto d = static_cast<size_t>(found - steps_.begin()); d < steps_.size(); ++d) {
      if (box[d].count != 1) return false;
      const int64_t whole = extent(d);
      if (axis.count <= whole - box[d].first) {
        box[d].count = axis.count;
        return true;
      }
      if (box[d].first != 0 || axis.count % whole != 0) return false;
      box[d].count = whole;
      axis.count /= whole;
    }
    return false;
  }

  std::vector<int64_t> steps_{1};
};

// Elements in the union of boxes, from digit `at` down; nothing when that takes too long to count.
class Union {
 public:
  std::optional<double> count(const std::vector<const Box*>& boxes, size_t at) {
    work_ += boxes.size();
    if (work_ > kMostWork) return std::nullopt;
    if (at == 0) return 1.0;
    const size_t digit = at - 1;
    std::vector<int64_t> cuts;
    for (const Box* box : boxes) {
      cuts.push_back((*box)[digit].first);
      cuts.push_back((*box)[digit].first + (*box)[digit].count);
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    double total = 0;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::vector<const Box*> inside;
      for (const Box* box : boxes) {
        const Range& range = (*box)[digit];
        if (range.first <= cuts[i] && cuts[i] < range.first + range.count) inside.push_back(box);
      }
      work_ += boxes.size();
      if (inside.empty()) continue;
      const auto below = count(inside, digit);
      if (!below) return std::nullopt;
      total += *below * static_cast<double>(cuts[i + 1] - cuts[i]);
    }
    return total;
  }

 private:
  static constexpr size_t kMostWork = 4'000'000;
  size_t work_ = 0;
};

}  // namespace

// Axes that do not reach into each other name as many elements as their product; one that does (a sliding
// window) is left out, which can only give less.
double distinct_elements(const Value& view) {
  Axes axes(view);
  std::ranges::sort(axes.all(), {}, &Axis::step);
  double count = 1;
  int64_t reach = 0;  // of the axes so far
  for (const Axis& axis : axes.all()) {
    if (axis.step <= reach) continue;
    count *= static_cast<double>(axis.count);
    reach += axis.step * (axis.count - 1);
  }
  return count;
}

double distinct_elements(const Value& root, const std::vector<const Value*>& views) {
  double most = 0;
  for (const Value* view : views) most = std::max(most, distinct_elements(*view));
  if (most >= distinct_elements(root)) return distinct_elements(root);
  if (views.size() < 2) return most;
  Radix radix(root);
  for (const Value* view : views) {
    Axes axes(*view);
    for (const Axis& axis : axes.all()) radix.insert(axis.step);
  }
  std::vector<Box> boxes;
  for (const Value* view : views) {
    if (auto box = radix.box(*view)) boxes.push_back(std::move(*box));
  }
  std::ranges::sort(boxes);
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  std::vector<const Box*> all;
  for (const Box& box : boxes) all.push_back(&box);
  const auto together = all.empty() ? std::nullopt : Union().count(all, boxes[0].size());
  return std::max(most, together.value_or(0));
}

}  // namespace uc::sol
