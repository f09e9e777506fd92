#include "diag/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace uc {
namespace {

constexpr DiagKind kKind{"UC9999", "test-kind", Severity::error, "for tests"};

TEST(Render, TextHasPlaceExcerptCaretsHelpAndRule) {
  DiagSink sink;
  Diag& diag = sink.add(kKind, Span{6, 8}, "tile M is 64");
  diag.label = "too small";
  diag.help = "`.tile(128x256x64)`";
  EXPECT_EQ(render_text(sink.sorted(), "one\n  64 two\n", "a.uc"),
            "error[UC9999]: tile M is 64\n"
            " --> a.uc:2:3\n"
            "  |\n"
            "2 |   64 two\n"
            "  |   ^^ too small\n"
            "help: `.tile(128x256x64)`\n"
            "rule: test-kind, see `ucutlass explain UC9999`\n");
}

TEST(Render, PlaceCountsCodePoints) {
  const SourcePlace place = place_of("# \xc3\xa9\xc3\xa9 x", 7);
  EXPECT_EQ(place.line, 1U);
  EXPECT_EQ(place.column, 6U);
}

TEST(Render, NoByteOfTheSourceReachesTheTerminalAsACommand) {
  DiagSink sink;
  sink.add(kKind, Span{2, 4}, "a \x1b[31m name");
  const std::string text = render_text(sink.sorted(),
                                       "\x1b[\xff\x80\xc3\xa9\xc2\x9b"
                                       "b\n",
                                       "a.uc");
  EXPECT_THAT(text, testing::HasSubstr("a  [31m name"));
  EXPECT_THAT(text, testing::HasSubstr("1 |  [??\xc3\xa9 b\n  |   ^^\n"));
  EXPECT_TRUE(is_utf8(text));
}

TEST(Render, LongLineShowsAWindow) {
  DiagSink sink;
  sink.add(kKind, Span{500000, 500001}, "here");
  const std::string text = render_text(sink.sorted(), std::string(1000000, 'x'), "a.uc");
  EXPECT_LT(text.size(), 1000U);
}

TEST(Render, JsonKeepsInvalidUtf8Printable) {
  DiagSink sink;
  sink.add(kKind, Span{0, 1}, "bad \xff byte");
  EXPECT_THAT(render_json(sink.sorted(), "x", "a.uc"), testing::HasSubstr("\"id\": \"UC9999\""));
}

}  // namespace
}  // namespace uc
