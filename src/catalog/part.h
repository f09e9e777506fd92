#pragma once
// Why: of a result that is cut off, masked or looked up in afterwards, a part is needed. Operators say of
// which part of their operands that part is made: by place, so that what several readers need can be united,
// and what is made of a triangle or a slice is not mistaken for a share of everything.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "ir/shape.h"

namespace uc {

/// Indices of a tensor that are needed at least: a box, of two of its dimensions perhaps a triangle alone,
/// and of that a share whose place is not known. Whatever makes a part of another one may leave elements out,
/// never add any.
struct Part {
  struct Range {
    int64_t first = 0, count = 0;
    int64_t end() const { return first + count; }
    friend bool operator==(const Range&, const Range&) = default;
  };
  /// Elements whose index of `column` less that of `row` is at least (upper) or at most (lower) `diagonal`.
  struct Triangle {
    size_t row = 0, column = 0;
    int64_t diagonal = 0;
    bool upper = false;
    friend bool operator==(const Triangle&, const Triangle&) = default;
  };

  std::vector<Range> box;  ///< one a dimension
  std::optional<Triangle> triangle;
  double inside = 1;

  static Part whole(const Shape& shape);
  /// Of unknown place.
  static Part share(const Shape& shape, double inside);
  static Part none(const Shape& shape) { return share(shape, 0); }

  double elements() const;
  bool is_whole(const Shape& shape) const;
  /// Leaves out what is not within the triangle.
  void keep(const Triangle& other);
  /// The same number of elements, of unknown place within the box.
  void lose_triangle();
  friend bool operator==(const Part&, const Part&) = default;
};

/// Pairs of `rows` and `columns` on the kept side of a diagonal (Part::Triangle).
double pairs_in_triangle(Part::Range rows, Part::Range columns, int64_t diagonal, bool upper);

inline constexpr int kAll = -1;

/// What of a tensor of `shape` goes with the indices of a part of another one. `along`: for each dimension of
/// `shape` the dimension of `part` whose index it shares, or kAll where every index goes with every one. Of a
/// dimension that is left out it counts whether any of its indices is needed.
Part projected(const Part& part, const Shape& shape, const std::vector<int>& along);

/// The part whose indices are less by `shift`, one a dimension, as far as they lie in a tensor of `shape`.
Part shifted(const Part& part, const Shape& shape, const std::vector<int64_t>& shift);

/// What is projected for an operand that is broadcast to the part's tensor: dimensions are matched from the
/// last; those of `all`, counted from the end (1 the last), are taken whole.
Part broadcast_part(const Part& part, const Shape& result, const Shape& shape,
                    std::initializer_list<size_t> all = {});

}  // namespace uc
