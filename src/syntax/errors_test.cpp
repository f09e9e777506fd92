// Every file of tests/syntax/errors begins with what it must raise, exactly: `# expect: UC1003 at 3:7`, one a
// line.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "base/text.h"
#include "diag/render.h"
#include "syntax/diags.h"
#include "syntax/parser.h"

namespace uc {
namespace {

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(UC_SOURCE_DIR "/tests/syntax/errors")) {
    out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<std::string> expected(const std::string& source) {
  constexpr std::string_view kExpect = "# expect: ";
  std::vector<std::string> out;
  for (const std::string_view line : split(source, '\n')) {
    if (!starts_with(line, kExpect)) break;
    out.emplace_back(line.substr(kExpect.size()));
  }
  return out;
}

std::vector<Diag> errors(const std::string& source) {
  DiagSink diags;
  parse(source, diags);
  return diags.sorted();
}

class SyntaxError : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(SyntaxError, IsReportedWhereItStands) {
  const std::string source = read(GetParam());
  std::vector<std::string> seen;
  for (const Diag& diag : errors(source)) {
    const SourcePlace place = place_of(source, diag.span.begin);
    seen.push_back(fmt::format("{} at {}:{}", diag.id, place.line, place.column));
    EXPECT_FALSE(diag.help.empty()) << seen.back() << " has no help";
    EXPECT_LE(diag.span.end, source.size());
  }
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(seen, expected(source)) << render_text(errors(source), source, GetParam().filename().string());
}

// A replacement, put in place, passes that rule, and raises nothing new.
TEST_P(SyntaxError, ReplacementsMendIt) {
  std::string source = read(GetParam());
  const std::vector<Diag> before = errors(source);
  std::vector<std::string> left;
  for (size_t i = before.size(); i-- > 0;) {
    const Diag& diag = before[i];
    if (diag.replacement.empty()) {
      left.push_back(diag.id);
    } else {
      source.replace(diag.span.begin, diag.span.end - diag.span.begin, diag.replacement);
    }
  }
  std::vector<std::string> after;
  for (const Diag& diag : errors(source)) after.push_back(diag.id);
  EXPECT_THAT(after, ::testing::UnorderedElementsAreArray(left)) << source;
}

INSTANTIATE_TEST_SUITE_P(Files, SyntaxError, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(SyntaxErrors, EveryIdIsReachedByACase) {
  // Reached in parser_test.cpp: a text over 16 MiB, and over 100 errors.
  std::set<std::string_view> reached{"UC1035", "UC1036"};
  std::vector<std::string> all;
  for (const auto& path : cases()) {
    for (std::string& line : expected(read(path))) all.push_back(std::move(line));
  }
  for (const std::string& line : all) reached.insert(std::string_view(line).substr(0, 6));
  std::set<std::string_view> ids;
  for (const DiagKind& kind : syntax_diag_kinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id << " is declared twice";
    EXPECT_EQ(kind.id.substr(0, 4), "UC10");
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_TRUE(reached.contains(kind.id)) << kind.id << " has no case in tests/syntax/errors";
  }
  for (const std::string_view id : reached) EXPECT_TRUE(ids.contains(id)) << id << " is not declared";
}

}  // namespace
}  // namespace uc
