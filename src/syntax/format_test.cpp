// tests/syntax/format/NAME.uc formats to NAME.golden, which was written by hand.
#include "syntax/format.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "diag/render.h"
#include "syntax/dump.h"
#include "syntax/parser.h"

namespace uc {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Formatted {
  std::string text;
  std::string tree;
  std::vector<std::string> comments;
};

Formatted formatted(const std::string& source) {
  DiagSink diags;
  const ast::File file = parse(source, diags);
  EXPECT_FALSE(diags.has_errors()) << render_text(diags.sorted(), source, "source") << source;
  Formatted out{format(file, source), dump(file), {}};
  for (const ast::Comment& comment : file.comments) out.comments.push_back(comment.text);
  return out;
}

class Format : public ::testing::TestWithParam<std::filesystem::path> {};
class Golden : public Format {};

std::vector<std::filesystem::path> cases(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> out;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(UC_SOURCE_DIR "/tests/syntax/" + folder)) {
      if (entry.path().extension() == ".uc") out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST_P(Golden, IsWhatFormatMakes) {
  std::filesystem::path golden = GetParam();
  golden.replace_extension(".golden");
  EXPECT_EQ(formatted(read(GetParam())).text, read(golden));
}

TEST_P(Format, KeepsTreeAndCommentsAndIsIdempotent) {
  const Formatted once = formatted(read(GetParam()));
  const Formatted twice = formatted(once.text);
  EXPECT_EQ(once.tree, twice.tree);
  EXPECT_EQ(once.comments, twice.comments);
  EXPECT_EQ(once.text, twice.text);
}

std::string stem(const ::testing::TestParamInfo<std::filesystem::path>& test) {
  return test.param.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(cases({"format"})), stem);
INSTANTIATE_TEST_SUITE_P(Files, Format, ::testing::ValuesIn(cases({"format", "valid"})), stem);

TEST(FormatText, ATreeWithoutSourceHasABlankLineBeforeItsSteps) {
  DiagSink diags;
  const ast::File file = parse("target sm_90a\ny = f()\n\n\nreturn y", diags);
  EXPECT_EQ(format(file, ""), "target sm_90a\n\ny = f()\nreturn y\n");
}

TEST(FormatText, NothingIsNothing) {
  EXPECT_EQ(formatted("").text, "");
  EXPECT_EQ(formatted("\n \n").text, "");
  EXPECT_EQ(formatted("#\n").text, "#\n");
}

}  // namespace
}  // namespace uc
