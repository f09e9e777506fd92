#include "report/page.h"

#include <algorithm>

#include "report/theme.h"
#include "sol/quantity.h"

namespace uc::page {

std::string document(std::string_view title, Element main) {
  Element head(
      "head", {},
      {Element("meta", {{"charset", "utf-8"}}),
       Element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}),
       Element("title", {}, title), Element("style", {}, std::vector{Element::verbatim(page_style())})});
  const Element html("html", {{"lang", "en"}, {"xmlns", "http://www.w3.org/1999/xhtml"}},
                     {std::move(head), Element("body", {}, std::vector{std::move(main)})});
  return "<!DOCTYPE html>\n" + html.to_text();
}

Element card(std::string_view what, std::string_view figure, std::string_view why, bool first) {
  return Element("div", {{"class", first ? "card first" : "card"}},
                 {Element("div", {{"class", "what"}}, what), Element("div", {{"class", "big"}}, figure),
                  Element("div", {{"class", "why"}}, why)});
}

Element figure(Element picture) {
  return Element("div", {{"class", "scroll figure"}}, std::vector{std::move(picture)});
}

Element cell(std::string_view content, std::string_view style) {
  Element out("td", {}, content);
  if (!style.empty()) out.set({"class", style});
  return out;
}

Element share(double share) {
  const std::string style = "width:" + markup::number(share * 100) + "%";
  const Element fill("div", {{"style", style}});
  return Element("td", {},
                 {Element::text(percent(share)), Element("div", {{"class", "bar"}}, std::vector{fill})});
}

void Table::row(std::vector<Element> cells, std::string_view style) {
  rows_.push_back({std::move(cells), std::string(style)});
}

Element Table::element() const {
  Element head("tr");
  std::vector<Element> lines;
  for (const Row& row : rows_)
    lines.emplace_back("tr", row.style.empty() ? std::vector<markup::Attr>{}
                                               : std::vector<markup::Attr>{{"class", row.style}});
  for (size_t i = 0; i < columns_.size(); ++i) {
    const bool any = std::ranges::any_of(rows_, [&](const Row& row) { return row.cells[i].has_text(); });
    if (!any && !rows_.empty()) continue;
    const auto put = [&](Element& line, Element each) {
      if (columns_[i].number) each.set({"class", "n"});
      line.add(std::move(each));
    };
    put(head, Element("th", {}, columns_[i].title));
    for (size_t at = 0; at < rows_.size(); ++at) put(lines[at], rows_[at].cells[i]);
  }
  return Element("div", {{"class", "scroll"}},
                 std::vector{Element(
                     "table", {}, {Element("thead", {}, std::vector{head}), Element("tbody", {}, lines)})});
}

}  // namespace uc::page
