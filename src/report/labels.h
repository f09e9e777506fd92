#pragma once
// Why: names beside points must not cover points or one another; a name that finds no place is left out,
// since tooltips and tables have it.
#include <optional>
#include <string_view>
#include <vector>

#include "report/svg.h"

namespace uc::svg {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  bool overlaps(const Box& other) const;
};

class LabelPlacer {
 public:
  /// Labels stay within `room`.
  explicit LabelPlacer(Box room) : room_(room) {}

  /// Space that no label may take.
  void block(Box box) { taken_.push_back(box); }
  void block_point(Point at, double radius);
  /// True when something blocked lies in the box.
  bool covers(const Box& box) const;

  /// Text of `size` pixels beside a point, at the first free place around it. Takes that place.
  std::optional<Element> place(Point at, double gap, std::string_view content, double size,
                               std::string_view style);

 private:
  bool is_free(const Box& box) const;
  Box room_;
  std::vector<Box> taken_;
};

}  // namespace uc::svg
