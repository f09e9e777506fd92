#include "ops/detail/pieces.h"

namespace uc::ops {

std::vector<Piece> boxes_of(const std::vector<std::vector<Segment>>& along) {
  std::vector<Piece> out{{{}, {}, 0}};
  for (const std::vector<Segment>& segments : along) {
    std::vector<Piece> longer;
    for (const Piece& box : out) {
      for (const Segment& each : segments) {
        if (each.extent == 0) continue;
        Piece next = box;
        next.start.push_back(each.start);
        next.extent.push_back(each.extent);
        next.from.push_back(each.from);
        next.step.push_back(each.step);
        longer.push_back(std::move(next));
      }
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace uc::ops
