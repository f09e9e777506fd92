// Parts of views, placed in the memory that they look at: against sets of addresses.
#include "sol/places.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

#include "sol/graph.h"

namespace uc::sol {
namespace {

Value memory(Shape shape) {
  Value out;
  out.shape = std::move(shape);
  out.stride = row_major(out.shape);
  return out;
}

bool holds(const Part& part, const std::vector<int64_t>& at) {
  for (size_t d = 0; d < at.size(); ++d) {
    if (at[d] < part.box[d].first || at[d] >= part.box[d].end()) return false;
  }
  if (!part.triangle) return true;
  const int64_t above = at[part.triangle->column] - at[part.triangle->row];
  return part.triangle->upper ? above >= part.triangle->diagonal : above <= part.triangle->diagonal;
}

std::set<int64_t> addresses(const Value& view, const Part& part) {
  std::set<int64_t> out;
  std::vector<int64_t> at(view.shape.size(), 0);
  for (int64_t i = 0; i < numel(view.shape); ++i) {
    int64_t rest = i;
    int64_t address = view.offset;
    for (size_t d = view.shape.size(); d-- > 0; rest /= view.shape[d]) {
      at[d] = rest % view.shape[d];
      address += at[d] * view.stride[d];
    }
    if (holds(part, at)) out.insert(address);
  }
  return out;
}

Value transposed(Value view, size_t a, size_t b) {
  std::swap(view.shape[a], view.shape[b]);
  std::swap(view.stride[a], view.stride[b]);
  return view;
}
Value sliced(Value view, size_t d, int64_t first, int64_t count, int64_t step = 1) {
  view.offset += first * view.stride[d];
  view.shape[d] = count;
  view.stride[d] *= step;
  return view;
}
Value split(Value view, size_t d, int64_t outer) {
  const int64_t inner = view.shape[d] / outer;
  view.shape[d] = outer;
  view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, inner);
  view.stride.insert(view.stride.begin() + static_cast<std::ptrdiff_t>(d) + 1, view.stride[d]);
  view.stride[d] *= inner;
  return view;
}
Value reversed(Value view, size_t d) {
  view.offset += (view.shape[d] - 1) * view.stride[d];
  view.stride[d] = -view.stride[d];
  return view;
}
Value expanded(Value view, size_t d, int64_t count) {
  view = sliced(view, d, 0, 1);
  view.shape[d] = count;
  view.stride[d] = 0;
  return view;
}
Value joined(const Value& root) {
  Value view = root;
  view.shape = {numel(root.shape)};
  view.stride = {1};
  return view;
}

std::vector<Value> views_of(const Value& root) {
  return {root,
          transposed(root, 0, 2),
          sliced(root, 1, 2, 3),
          sliced(transposed(root, 1, 2), 2, 1, 4),
          sliced(root, 2, 1, 4, 2),
          split(root, 2, 2),
          transposed(split(root, 1, 3), 1, 2),
          reversed(root, 1),
          expanded(root, 1, 5),
          joined(root)};
}

std::vector<Part> parts_of(const Value& view, std::mt19937& random) {
  std::vector<Part> out;
  for (int i = 0; i < 40; ++i) {
    Part part = Part::whole(view.shape);
    for (size_t d = 0; d < view.shape.size(); ++d) {
      if (random() % 2 == 0) continue;
      const auto extent = static_cast<uint32_t>(view.shape[d]);
      part.box[d].first = random() % extent;
      part.box[d].count = 1 + random() % (extent - static_cast<uint32_t>(part.box[d].first));
    }
    const size_t rank = view.shape.size();
    if (rank > 1 && random() % 2 == 0)
      part.keep({rank - 2, rank - 1, static_cast<int64_t>(random() % 5) - 2, random() % 2 == 0});
    out.push_back(part);
  }
  return out;
}

// Never more elements than there are; where all of the part's place is known they are those very ones.
TEST(Places, AreThoseOfTheMemory) {
  std::mt19937 random(7);
  const Value root = memory({4, 6, 8});
  size_t placed = 0;
  for (const Value& view : views_of(root)) {
    for (const Part& part : parts_of(view, random)) {
      const std::set<int64_t> truth = addresses(view, part);
      const Part found = in_root(view, root, part);
      EXPECT_LE(found.elements(), static_cast<double>(truth.size()) * (1 + 1e-9));
      if (found.inside < 1 || truth.empty()) continue;
      ++placed;
      EXPECT_EQ(addresses(root, found), truth);
    }
  }
  EXPECT_GT(placed, 200U);
}

// Rows and columns that a triangle touches, and no others.
TEST(Places, ProjectionsAreWhatIsTouched) {
  std::mt19937 random(11);
  const Value square = memory({7, 9});
  for (const Part& part : parts_of(square, random)) {
    if (part.inside < 1) continue;
    std::set<int64_t> rows;
    std::set<int64_t> columns;
    for (const int64_t at : addresses(square, part)) {
      rows.insert(at / 9);
      columns.insert(at % 9);
    }
    EXPECT_EQ(part.elements(), static_cast<double>(addresses(square, part).size()));
    EXPECT_EQ(projected(part, {7}, {0}).elements(), static_cast<double>(rows.size()));
    EXPECT_EQ(projected(part, {9}, {1}).elements(), static_cast<double>(columns.size()));
  }
}

TEST(Places, NeighboursAreOne) {
  Part a = Part::whole({4, 6});
  Part b = a;
  a.box[1] = {0, 2};
  b.box[1] = {2, 4};
  std::vector<Part> parts{a, b, a};
  unite(parts);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_TRUE(parts[0].is_whole({4, 6}));
}

// Elements that a structured matrix has to say in a part of it.
TEST(Places, CarryWhatIsNotZeroOrTold) {
  std::mt19937 random(13);
  for (const char* word : {"lower", "upper", "diag", "symmetric"}) {
    Value matrix = memory({8, 8});
    matrix.structure = {word};
    for (const Part& part : parts_of(matrix, random)) {
      if (part.inside < 1) continue;
      std::set<std::pair<int64_t, int64_t>> told;
      for (const int64_t at : addresses(matrix, part)) {
        const int64_t row = at / 8;
        const int64_t column = at % 8;
        const std::string_view kind = word;
        if ((kind == "lower" && column > row) || (kind == "upper" && column < row) ||
            (kind == "diag" && column != row))
          continue;
        told.insert(kind == "symmetric" ? std::pair(std::min(row, column), std::max(row, column))
                                        : std::pair(row, column));
      }
      EXPECT_LE(carried(matrix, part), static_cast<double>(told.size()) + 1e-9) << word;
      if (!part.triangle) {
        EXPECT_NEAR(carried(matrix, part), static_cast<double>(told.size()), 1e-9) << word;
      }
    }
  }
}

}  // namespace
}  // namespace uc::sol
