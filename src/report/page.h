#pragma once
// Why: pages are one file that needs nothing from outside, reads without scripts, and prints.
#include <string>
#include <string_view>
#include <vector>

#include "report/markup.h"

namespace uc::page {

using markup::Element;

/// The whole page with the styles of report/theme.h.
std::string document(std::string_view title, Element main);

/// A figure in large letters with what it is and why.
Element card(std::string_view what, std::string_view figure, std::string_view why, bool first = false);

/// A picture; narrow screens scroll it rather than shrink its text away.
Element figure(Element picture);

Element cell(std::string_view content, std::string_view style = {});
/// A share of 0 to 1 as a bar with its number.
Element share(double share);

class Table {
 public:
  struct Column {
    std::string title;
    bool number = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns. A column without a text in any row is left out.
  void row(std::vector<Element> cells, std::string_view style = {});
  Element element() const;

 private:
  std::vector<Column> columns_;
  struct Row {
    std::vector<Element> cells;
    std::string style;
  };
  std::vector<Row> rows_;
};

}  // namespace uc::page
