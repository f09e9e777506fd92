#pragma once
// Why: what moves data along each dimension by itself (roll, pad) moves boxes: all combinations of what it
// does along each.
#include <vector>

#include "catalog/op_spec.h"

namespace uc::ops {

/// A stretch of one dimension of the result: element start + k is element from + k * step of the operand.
struct Segment {
  int64_t start, extent, from, step;
};

/// Boxes of operand 0 out of segments that are the whole of each dimension; empty ones are left out.
std::vector<Piece> boxes_of(const std::vector<std::vector<Segment>>& along);

}  // namespace uc::ops
