#include "sol/places.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "sol/regions.h"

namespace uc::sol {
namespace {

constexpr size_t kMostParts = 12;

bool lies(const Value& value, size_t d) { return value.shape[d] > 1 && value.stride[d] != 0; }

// Where each dimension of a memory has what a view names.
class Placing {
 public:
  Placing(const Value& view, const Value& root, Part part)
      : view_(view),
        root_(root),
        part_(std::move(part)),
        inside_(root.shape.size()),
        start_(root.shape.size(), 0),
        joined_(root.shape.size()) {}

  std::optional<Part> run() {
    forwards();
    if (!offsets() || !assign()) return std::nullopt;
    Part out = Part::whole(root_.shape);
    out.inside = part_.inside;
    for (size_t r = 0; r < root_.shape.size(); ++r) {
      if (lies(root_, r)) place(r, out);
    }
    return triangle(out) ? std::optional(out) : std::nullopt;
  }

 private:
  // Dimensions that run backwards, and those that name one element again and again.
  void forwards() {
    for (size_t d = 0; d < view_.shape.size(); ++d) {
      if (view_.stride[d] < 0) {
        if (touched(d)) part_.lose_triangle();
        part_.box[d].first = view_.shape[d] - part_.box[d].end();
      }
    }
    if (!part_.triangle) return;
    std::vector<int> along(view_.shape.size(), kAll);
    for (size_t d = 0; d < along.size(); ++d) {
      if (lies(view_, d)) along[d] = static_cast<int>(d);
    }
    part_ = projected(part_, view_.shape, along);
  }

  bool touched(size_t d) const {  // by the triangle
    return part_.triangle && (part_.triangle->row == d || part_.triangle->column == d);
  }

  std::vector<size_t> by_step() const {
    std::vector<size_t> out;
    for (size_t r = 0; r < root_.shape.size(); ++r) {
      if (lies(root_, r)) out.push_back(r);
    }
    std::ranges::sort(out, std::greater{}, [&](size_t r) { return root_.stride[r]; });
    return out;
  }

  bool offsets() {
    int64_t rest = view_.offset - root_.offset;
    for (size_t d = 0; d < view_.shape.size(); ++d) {
      if (view_.stride[d] < 0) rest += view_.stride[d] * (view_.shape[d] - 1);
    }
    for (const size_t r : by_step()) {
      if (root_.stride[r] < 0 || rest < 0) return false;
      start_[r] = std::min(rest / root_.stride[r], root_.shape[r] - 1);
      rest -= start_[r] * root_.stride[r];
    }
    return rest == 0;
  }

  // Each dimension of the view lies in one of the memory, or runs over several that are whole.
  bool assign() {
    const auto dims = by_step();
    for (size_t d = 0; d < view_.shape.size(); ++d) {
      if (!lies(view_, d)) continue;
      const int64_t step = std::abs(view_.stride[d]);
      const auto fits = std::ranges::find_if(dims, [&](size_t r) {
        return step % root_.stride[r] == 0 && step * (view_.shape[d] - 1) < root_.stride[r] * root_.shape[r];
      });
      if (fits != dims.end()) {
        inside_[*fits].push_back(d);
      } else if (!spans(dims, d, step)) {
        return false;
      }
    }
    return true;
  }

  // Dimension d of the view is several of the memory one after another: those within the outermost are whole.
  bool spans(const std::vector<size_t>& dims, size_t d, int64_t step) {
    const Part::Range& range = part_.box[d];
    int64_t within = 1;  // elements that one index of the next dimension outwards stands for
    for (size_t i = dims.size(); i-- > 0;) {
      const size_t r = dims[i];
      if (root_.stride[r] < step) continue;
      if (root_.stride[r] != step * within || start_[r] != 0) return false;
      if (view_.shape[d] <= within * root_.shape[r]) {
        const bool even =
            view_.shape[d] % within == 0 && range.first % within == 0 && range.count % within == 0;
        joined_[r] = Part::Range{range.first / within, range.count / within};
        return even && !touched(d);
      }
      joined_[r] = Part::Range{0, root_.shape[r]};
      within *= root_.shape[r];
    }
    return false;
  }

  // The dimensions of the view that make up one of the memory: the least range around, and what they leave
  // out of it as a share.
  void place(size_t r, Part& out) const {
    if (joined_[r]) {
      out.box[r] = *joined_[r];
      return;
    }
    int64_t first = start_[r];
    int64_t last = start_[r];
    double count = 1;
    for (const size_t d : inside_[r]) {
      const int64_t step = std::abs(view_.stride[d]) / root_.stride[r];
      first += part_.box[d].first * step;
      last += (part_.box[d].end() - 1) * step;
      count *= static_cast<double>(part_.box[d].count);
    }
    out.box[r] = {first, std::max<int64_t>(0, last - first + 1)};
    if (out.box[r].count > 0) out.inside *= std::min(1.0, count / static_cast<double>(out.box[r].count));
  }

  // The triangle of two dimensions that are the memory's own.
  bool triangle(Part& out) {
    if (!part_.triangle) return true;
    const auto own = [&](size_t d) -> std::optional<size_t> {
      for (size_t r = 0; r < root_.shape.size(); ++r) {
        if (inside_[r] == std::vector{d} && view_.stride[d] == root_.stride[r]) return r;
      }
      return std::nullopt;
    };
    const auto row = own(part_.triangle->row);
    const auto column = own(part_.triangle->column);
    if (!row || !column) {
      const double share = part_.elements();
      part_.triangle.reset();
      const double all = part_.elements();
      out.inside *= all > 0 ? share / all : 0;
      return true;
    }
    out.triangle = Part::Triangle{*row, *column, part_.triangle->diagonal + start_[*column] - start_[*row],
                                  part_.triangle->upper};
    return true;
  }

  const Value& view_;
  const Value& root_;
  Part part_;
  std::vector<std::vector<size_t>> inside_;         // of each dimension of the memory: of the view
  std::vector<int64_t> start_;                      // of each dimension of the memory: the view's first index
  std::vector<std::optional<Part::Range>> joined_;  // of those that one of the view runs over
};

// Elements of a part of a view, each once.
double distinct(const Value& view, const Part& part) {
  double repeats = 1;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.stride[d] == 0) repeats *= static_cast<double>(std::max<int64_t>(1, part.box[d].count));
  }
  return part.elements() / repeats;
}

bool within(const Part& inner, const Part& outer) {
  if (outer.inside < 1 || outer.triangle) return inner == outer;
  for (size_t d = 0; d < inner.box.size(); ++d) {
    if (inner.box[d].first < outer.box[d].first || inner.box[d].end() > outer.box[d].end()) return false;
  }
  return true;
}

// Two boxes that differ along one dimension, where they meet, are one.
bool join(Part& a, const Part& b) {
  if (a.inside < 1 || b.inside < 1 || a.triangle || b.triangle) return false;
  std::optional<size_t> differs;
  for (size_t d = 0; d < a.box.size(); ++d) {
    if (a.box[d] == b.box[d]) continue;
    if (differs) return false;
    differs = d;
  }
  if (!differs) return true;
  Part::Range& own = a.box[*differs];
  const Part::Range& other = b.box[*differs];
  if (own.end() < other.first || other.end() < own.first) return false;
  const int64_t first = std::min(own.first, other.first);
  own = {first, std::max(own.end(), other.end()) - first};
  return true;
}

}  // namespace

Part in_root(const Value& view, const Value& root, const Part& part) {
  const double elements = distinct(view, part);
  if (auto placed = Placing(view, root, part).run(); placed && placed->elements() <= elements * (1 + 1e-9))
    return *std::move(placed);
  const double all = distinct_elements(root);
  return Part::share(root.shape, all > 0 ? std::min(1.0, elements / all) : 0);
}

Value cut_out(const Value& view, const Part& part) {
  Value out;
  out.offset = view.offset;
  out.stride = view.stride;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    out.shape.push_back(part.box[d].count);
    out.offset += part.box[d].first * view.stride[d];
  }
  return out;
}

void unite(std::vector<Part>& parts) {
  std::erase_if(parts, [](const Part& part) { return part.elements() <= 0; });
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < parts.size() && !again; ++i) {
      for (size_t j = 0; j < parts.size() && !again; ++j) {
        again = i != j && (within(parts[j], parts[i]) || join(parts[i], parts[j]));
        if (again) parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
  }
  if (parts.size() <= kMostParts) return;
  std::ranges::stable_sort(parts, std::greater{}, &Part::elements);
  parts.resize(kMostParts);
}

}  // namespace uc::sol
