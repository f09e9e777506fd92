#include "report/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace uc::markup {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markup, CoordinatesAreShortAndPlain) {
  EXPECT_EQ(number(3), "3");
  EXPECT_EQ(number(3.14159), "3.14");
  EXPECT_EQ(number(2.5), "2.5");
  EXPECT_EQ(number(100), "100");
  EXPECT_EQ(number(-0.001), "0");
  EXPECT_EQ(number(1e6), "1000000");
}

TEST(Markup, HostileTextStaysText) {
  const Element element("td", {{"title", "a\" onload='x' <b>"}}, "</td><script>alert('&')</script>");
  EXPECT_EQ(
      element.to_text(),
      "<td title=\"a&quot; onload=&#39;x&#39; &lt;b&gt;\">&lt;/td&gt;&lt;script&gt;alert(&#39;&amp;&#39;)"
      "&lt;/script&gt;</td>");
}

TEST(Markup, WhatXmlForbidsIsReplaced) {
  EXPECT_EQ(escaped(std::string_view("a\x01"
                                     "b\0c",
                                     5)),
            "a b c");
  EXPECT_EQ(escaped("\xFF"), "?");
  EXPECT_EQ(escaped("\xEF\xBF\xBE\xEF\xBF\xBF"), "??");
  EXPECT_EQ(escaped("µ…"), "µ…");
}

TEST(Markup, EmptyElementsHaveAnEndTagUnlessHtmlHasNone) {
  EXPECT_EQ(Element("span").to_text(), "<span></span>");
  EXPECT_EQ(Element("meta", {{"charset", "utf-8"}}).to_text(), "<meta charset=\"utf-8\" />\n");
}

TEST(Markup, ClassesAddUpAndOtherAttributesAreReplaced) {
  Element element("td", {{"class", "bad"}, {"x", 1.0}});
  element.set({"class", "n"});
  element.set({"x", 2.0});
  EXPECT_EQ(element.to_text(), "<td class=\"bad n\" x=\"2\"></td>");
}

TEST(Markup, TextIsFoundAtAnyDepth) {
  EXPECT_TRUE(Element("td", {}, std::vector{Element("b", {}, "x")}).has_text());
  EXPECT_FALSE(Element("td", {}, std::vector{Element("b", {}, "")}).has_text());
}

}  // namespace
}  // namespace uc::markup
