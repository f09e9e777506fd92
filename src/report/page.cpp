#include "report/page.h"

#include "report/quantity.h"
#include "report/theme.h"

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

void Table::row(std::vector<Element> cells) {
  for (size_t i = 0; i < cells.size() && i < columns_.size(); ++i) {
    if (columns_[i].number) cells[i].set({"class", "n"});
  }
  rows_.emplace_back("tr", std::vector<markup::Attr>{}, std::move(cells));
}

Element Table::element() const {
  std::vector<Element> titles;
  for (const Column& each : columns_) {
    Element title("th", {}, each.title);
    if (each.number) title.set({"class", "n"});
    titles.push_back(std::move(title));
  }
  const Element head("thead", {}, std::vector{Element("tr", {}, std::move(titles))});
  return Element("div", {{"class", "scroll"}},
                 std::vector{Element("table", {}, {head, Element("tbody", {}, rows_)})});
}

}  // namespace uc::page
