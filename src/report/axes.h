#pragma once
// Why: plots of both kinds have two logarithmic axes with the same looks.
#include <functional>
#include <string>

#include "report/scale.h"
#include "report/svg.h"

namespace uc::svg {

/// Where a plot's points lie. y grows downwards, so its scale goes from the bottom to the top.
struct Frame {
  LogScale x, y;
  double left() const { return x.from(); }
  double right() const { return x.to(); }
  double top() const { return y.to(); }
  double bottom() const { return y.from(); }
  Point at(double across, double up) const { return {x(across), y(up)}; }
  /// Where the line through two values leaves the frame, towards larger x. Equal ratios are straight lines.
  Point exit(Point from, Point to) const;
};

struct AxisText {
  std::string x_title, y_title;
  std::function<std::string(double)> x_label, y_label;
};

/// Grid, marks, labels and titles.
Element axes(const Frame& frame, const AxisText& text);

/// The clip path `id`: elements of style "clip" within it stay inside the frame.
Element clip(const Frame& frame, std::string_view id);
Element clipped(std::string_view id, std::vector<Element> children);

}  // namespace uc::svg
