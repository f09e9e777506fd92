// The committed corpora against the parser; and that they are what the tool makes of any catalog: many, and
// varied.
#include "corpus.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>

#include "catalog/builtin.h"

namespace uc::corpus {
namespace {

std::vector<Entry> file(const std::string& name) {
  std::ifstream in(std::string(UC_SOURCE_DIR "/tests/language/corpus/") + name, std::ios::binary);
  return read({std::istreambuf_iterator<char>(in), {}});
}

TEST(Corpus, EveryValidProgramParses) {
  const auto entries = file("valid.txt");
  EXPECT_GE(entries.size(), 500U);
  for (const Entry& entry : entries)
    EXPECT_TRUE(parse_errors(entry.text).empty()) << entry.name << "\n" << entry.text;
}

TEST(Corpus, EveryBrokenProgramIsRefused) {
  const auto entries = file("broken.txt");
  std::map<std::string, int> kinds;
  EXPECT_GE(entries.size(), 500U);
  for (const Entry& entry : entries) {
    ++kinds[entry.name];
    EXPECT_FALSE(parse_errors(entry.text).empty()) << entry.name << "\n" << entry.text;
  }
  EXPECT_GE(kinds.size(), 30U);
  for (const auto& [kind, count] : kinds) EXPECT_GE(count, 3) << kind;
}

TEST(Corpus, IsReadAsItWasWritten) {
  const std::vector<Entry> entries{{"a", "x"}, {"b c", "y\n"}, {"d", ""}, {"e", "\n\n# z\r\n"}};
  const auto again = read(write(entries));
  ASSERT_EQ(again.size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(again[i].name, entries[i].name);
    EXPECT_EQ(again[i].text, entries[i].text);
  }
}

TEST(Corpus, AnotherLayoutHasTheSameMeaning) {
  const Catalog catalog = builtin_catalog();
  std::mt19937_64 engine(7);
  for (int i = 0; i < 60; ++i) {
    const std::string source = well_typed(catalog, engine);
    EXPECT_EQ(check_errors(catalog, laid_out(source, engine)), check_errors(catalog, source)) << source;
  }
}

}  // namespace
}  // namespace uc::corpus
