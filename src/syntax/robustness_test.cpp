// Mutated and random programs, seeded: no text crashes the parser, and what parses survives the formatter.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "syntax/dump.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace uc {
namespace {

using Random = std::mt19937;

// UC_ROBUSTNESS_SEED tries other programs than the ones that every run tries.
uint32_t seed(uint32_t fixed) {
  const char* other = std::getenv("UC_ROBUSTNESS_SEED");
  return other == nullptr ? fixed : fixed + static_cast<uint32_t>(std::strtoul(other, nullptr, 10));
}

size_t below(Random& random, size_t n) { return n == 0 ? 0 : random() % n; }

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"valid", "errors", "format"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(UC_SOURCE_DIR "/tests/syntax/") + folder)) {
      if (entry.path().extension() == ".uc") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    out.push_back(text.str());
  }
  return out;
}

std::string word(Random& random) {
  static const std::vector<std::string> kWords{"(",        ")",        "[",
                                               "]",        "{",        "}",
                                               ",",        ".",        "..",
                                               ">>",       "=",        "==",
                                               "\n",       "\n.",      "\n>>",
                                               "#",        "\"",       "'",
                                               "\"\"\"",   "@",        "**",
                                               "-",        "*",        "<",
                                               "<=",       "0",        "007",
                                               "1.",       ".5",       "1e400",
                                               "64x64",    "0x10",     "9999999999999999999",
                                               "it",       "dim",      "return",
                                               "input",    "f32[",     "prepack(",
                                               "map(",     "step",     "\\\n",
                                               ";",        "//",       "/*",
                                               "\xff",     "\xc3",     "\xe2\x80\x9c",
                                               "\xc2\xa0", "\xce\xb1", "\xf0\x9f\x99\x82",
                                               "&&",       "|>",       ":=",
                                               ":",        "\r\n",     "\t",
                                               "!",        "$",        "x\n  y"};
  return std::string(1, '\0').substr(0, below(random, 50) == 0 ? 1 : 0) +
         kWords[below(random, kWords.size())];
}

void mutate(std::string& text, const std::vector<std::string>& all, Random& random) {
  const size_t at = below(random, text.size() + 1);
  const size_t length = std::min(below(random, 12), text.size() - at);
  switch (below(random, 7)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, word(random)); break;
    case 2: text.replace(at, length, word(random)); break;
    case 3: text.insert(below(random, text.size() + 1), text.substr(at, length)); break;
    case 4: text.resize(at); break;
    case 5: text.insert(at, 1, static_cast<char>(below(random, 256))); break;
    default: {
      const std::string& other = all[below(random, all.size())];
      text.insert(at, other.substr(below(random, other.size()), below(random, 80)));
    }
  }
}

// The promises that hold for any bytes; true when the text parsed.
bool check(const std::string& source) {
  DiagSink diags;
  const ast::File file = parse(source, diags);
  const std::string tree = dump(file);
  for (const Diag& diag : diags.diags()) {
    EXPECT_LE(diag.span.begin, diag.span.end) << diag.id << "\n" << source;
    EXPECT_LE(diag.span.end, source.size()) << diag.id << "\n" << source;
    EXPECT_FALSE(diag.help.empty()) << diag.id << " " << diag.message << "\n" << source;
    EXPECT_EQ(diag.message.find('\n'), std::string::npos) << source;
  }
  if (diags.has_errors()) return false;
  const std::string once = format(file, source);
  DiagSink again;
  const ast::File second = parse(once, again);
  EXPECT_FALSE(again.has_errors()) << source << "\n----\n" << once;
  EXPECT_EQ(dump(second), tree) << source;
  EXPECT_EQ(format(second, once), once) << source;
  EXPECT_EQ(second.comments.size(), file.comments.size()) << source;
  return true;
}

TEST(Robustness, MutatedProgramsNeverCrash) {
  const std::vector<std::string> all = corpus();
  Random random(seed(20240607));
  size_t parsed = 0;
  for (int i = 0; i < 5000 && !::testing::Test::HasFailure(); ++i) {
    std::string text = all[below(random, all.size())];
    for (size_t n = 1 + below(random, 4); n > 0; --n) mutate(text, all, random);
    parsed += check(text) ? 1 : 0;
  }
  EXPECT_GT(parsed, 100U);  // the formatter was tried too
}

TEST(Robustness, RandomBytesAndWordsNeverCrash) {
  Random random(seed(7));
  for (int i = 0; i < 2000 && !::testing::Test::HasFailure(); ++i) {
    std::string text;
    for (size_t n = below(random, 60); n > 0; --n) {
      i % 2 == 0 ? text += static_cast<char>(below(random, 256)) : text += word(random);
    }
    check(text);
  }
}

std::string random_expr(Random& random, int depth) {
  static const std::vector<std::string> kOps{" + ", " - ", " * ", " / ", " ** ", " + ", " * "};
  if (depth == 0)
    return std::vector<std::string>{"a", "some_longer_name", "3", "0.5", "1e-5"}[below(random, 5)];
  const auto inner = [&] { return random_expr(random, depth - 1); };
  switch (below(random, 6)) {
    case 0: return "(" + inner() + " < " + inner() + ")";
    case 1: return "-" + inner();
    case 2: return "f(" + inner() + ", key=" + inner() + ", [" + inner() + ", " + inner() + "])";
    case 3: return "(" + inner() + ")";
    default: return "(" + inner() + ")" + kOps[below(random, kOps.size())] + "(" + inner() + ")";
  }
}

std::string random_step(Random& random) {
  std::string text = "y = " + random_expr(random, static_cast<int>(below(random, 6)));
  for (size_t n = below(random, 4); n > 0; --n)
    text += below(random, 4) == 0 ? "  # comment\n  .knob(64x64)" : ".another_knob(1)";
  for (size_t n = below(random, 5); n > 0; --n) {
    text += below(random, 4) == 0 ? "\n# own line\n" : "";
    text += " >> g(" + random_expr(random, static_cast<int>(below(random, 4))) + ")";
  }
  return text + "\n";
}

TEST(Robustness, FormatKeepsRandomPrograms) {
  Random random(seed(11));
  for (int i = 0; i < 2000 && !::testing::Test::HasFailure(); ++i) {
    EXPECT_TRUE(check(random_step(random) + random_step(random)));
  }
}

// Lines stay within the width wherever there is a place to break.
TEST(Robustness, FormattedLinesFit) {
  Random random(seed(13));
  for (int i = 0; i < 300; ++i) {
    const std::string source = random_step(random);
    DiagSink diags;
    const std::string text = format(parse(source, diags), source);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(std::min(line.size(), line.find("  #")), 100U) << text;
  }
}

TEST(Robustness, LargeTextsTakeLinearTime) {
  std::string long_line = "y = f(";
  while (long_line.size() < (size_t{1} << 20)) long_line += "abc, 12, [x + 1], ";
  std::string many_lines;
  while (many_lines.size() < (size_t{1} << 20)) many_lines += "y = f(x, [1, 2]).tile(64x64) >> relu()  # c\n";
  for (const std::string& source : {long_line + "z)", many_lines}) {
    const auto start = std::chrono::steady_clock::now();
    DiagSink diags;
    const ast::File file = parse(source, diags);
    EXPECT_FALSE(diags.has_errors());
    EXPECT_GT(format(file, source).size(), source.size() / 2);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

}  // namespace
}  // namespace uc
