#include "catalog/part.h"

#include <algorithm>
#include <numeric>

namespace uc {
namespace {

// The sum of clamp(x, 0, most) over x from -infinity to `last`.
double clamped_sum(int64_t last, int64_t most) {
  if (last <= 0) return 0;
  const auto low = static_cast<double>(std::min(last, most));
  return low * (low + 1) / 2 +
         static_cast<double>(std::max<int64_t>(0, last - most)) * static_cast<double>(most);
}

Part::Range cut(Part::Range range, int64_t first, int64_t end) {
  const int64_t from = std::max(range.first, first);
  return {from, std::max<int64_t>(0, std::min(range.end(), end) - from)};
}

// Rows and columns of the box of which some element is in the triangle.
void shrink(Part& part) {
  const Part::Triangle& t = *part.triangle;
  Part::Range& rows = part.box[t.row];
  Part::Range& columns = part.box[t.column];
  const Part::Range all_rows = rows;
  const Part::Range all_columns = columns;
  if (t.upper) {
    rows = cut(all_rows, all_rows.first, all_columns.end() - t.diagonal);
    columns = cut(all_columns, all_rows.first + t.diagonal, all_columns.end());
  } else {
    rows = cut(all_rows, all_columns.first - t.diagonal, all_rows.end());
    columns = cut(all_columns, all_columns.first, all_rows.end() + t.diagonal);
  }
}

// Of what was left of a box of `all` elements, at least this much is in the smaller one: all that was left
// out may have been outside.
void narrowed(Part& part, double left, double all) {
  part.inside = 1;
  const double now = part.elements();
  part.inside = now > 0 ? std::clamp((left - (all - now)) / now, 0.0, 1.0) : 0;
}

bool touches(const Part& part, size_t dim) {
  return part.triangle && (part.triangle->row == dim || part.triangle->column == dim);
}

}  // namespace

double pairs_in_triangle(Part::Range rows, Part::Range columns, int64_t diagonal, bool upper) {
  // Of row r the columns up to r + diagonal.
  const auto lower = [&](int64_t at) {
    const int64_t last = rows.end() - 1 + at - columns.first + 1;
    return clamped_sum(last, columns.count) - clamped_sum(last - rows.count, columns.count);
  };
  if (rows.count <= 0 || columns.count <= 0) return 0;
  if (!upper) return lower(diagonal);
  return static_cast<double>(rows.count) * static_cast<double>(columns.count) - lower(diagonal - 1);
}

Part Part::whole(const Shape& shape) { return share(shape, 1); }

Part Part::share(const Shape& shape, double inside) {
  Part out;
  out.inside = inside;
  for (const int64_t extent : shape) out.box.push_back({0, extent});
  return out;
}

double Part::elements() const {
  double out = inside;
  for (size_t d = 0; d < box.size(); ++d) {
    if (!touches(*this, d)) out *= static_cast<double>(box[d].count);
  }
  if (!triangle) return out;
  return out *
         pairs_in_triangle(box[triangle->row], box[triangle->column], triangle->diagonal, triangle->upper);
}

bool Part::is_whole(const Shape& shape) const {
  double all = 1;
  for (const int64_t extent : shape) all *= static_cast<double>(extent);
  return elements() >= all * (1 - 1e-9);
}

void Part::keep(const Triangle& other) {
  const double before = elements();
  Part all = *this;
  all.inside = 1;
  all.triangle.reset();
  const bool parallel = triangle && triangle->row == other.row && triangle->column == other.column &&
                        triangle->upper == other.upper;
  if (triangle && !parallel) {  // a band: of unknown place
    Part second = all;
    second.triangle = other;
    *this = all;
    inside =
        all.elements() > 0 ? std::max(0.0, before + second.elements() - all.elements()) / all.elements() : 0;
    return;
  }
  Part first = *this;
  first.inside = 1;
  const double all_left = first.elements();
  if (!triangle) triangle = other;
  triangle->diagonal = other.upper ? std::max(triangle->diagonal, other.diagonal)
                                   : std::min(triangle->diagonal, other.diagonal);
  narrowed(*this, before, all_left);
}

void Part::lose_triangle() {
  if (!triangle) return;
  const double before = elements();
  triangle.reset();
  inside = 1;
  const double all = elements();
  inside = all > 0 ? before / all : 0;
}

Part shifted(const Part& part, const Shape& shape, const std::vector<int64_t>& shift) {
  Part out = part;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Part::Range moved{part.box[d].first - shift[d], part.box[d].count};
    out.box[d] = cut(moved, 0, shape[d]);
  }
  if (out.triangle) out.triangle->diagonal += shift[out.triangle->row] - shift[out.triangle->column];
  Part full = part;
  full.inside = 1;
  narrowed(out, part.elements(), full.elements());
  return out;
}

Part projected(const Part& part, const Shape& shape, const std::vector<int>& along) {
  Part from = part;
  const auto taken = [&](size_t dim) { return std::ranges::find(along, static_cast<int>(dim)); };
  std::optional<Part::Triangle> triangle;
  if (from.triangle) {
    const auto row = taken(from.triangle->row);
    const auto column = taken(from.triangle->column);
    if (row != along.end() && column != along.end()) {
      triangle = from.triangle;
      triangle->row = static_cast<size_t>(row - along.begin());
      triangle->column = static_cast<size_t>(column - along.begin());
    } else {
      shrink(from);
    }
  }
  Part out = Part::share(shape, from.inside);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (along[d] != kAll) out.box[d] = from.box[static_cast<size_t>(along[d])];
  }
  out.triangle = triangle;
  const bool empty = std::ranges::any_of(from.box, [](const Part::Range& range) { return range.count == 0; });
  return empty ? Part::none(shape) : out;
}

Part broadcast_part(const Part& part, const Shape& result, const Shape& shape,
                    std::initializer_list<size_t> all) {
  std::vector<int> along(shape.size(), kAll);
  for (size_t back = 1; back <= shape.size() && back <= result.size(); ++back) {
    const size_t at = shape.size() - back;
    const size_t dim = result.size() - back;
    const bool whole = std::ranges::find(all, back) != all.end();
    if (!whole && shape[at] == result[dim]) along[at] = static_cast<int>(dim);
  }
  return projected(part, shape, along);
}

}  // namespace uc
