#include "base/diff.h"

#include <charconv>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "base/text.h"

namespace uc {
namespace {

TEST(UnifiedDiff, HasTheFormOfDiffU) {
  EXPECT_EQ(unified_diff("a\n", "a\n", "x", "y"), "");
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "a.uc", "b.uc"),
            "--- a.uc\n+++ b.uc\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("", "a\n", "x", "y"), "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a", "a\n", "x", "y"),
            "--- x\n+++ y\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

/// What `patch` does, written from the format's description: context and removed lines must be there.
std::string patched(const std::string& before, const std::string& diff) {
  std::vector<std::string> old_lines;
  for (size_t at = 0; at < before.size();) {
    const size_t end = before.find('\n', at);
    const size_t stop = end == std::string::npos ? before.size() : end + 1;
    old_lines.push_back(before.substr(at, stop - at));
    at = stop;
  }
  std::string out;
  size_t next = 0;
  const std::vector<std::string_view> lines = split(diff, '\n');
  for (size_t i = 2; i + 1 < lines.size(); ++i) {
    const std::string_view line = lines[i];
    if (line.starts_with("@@ -")) {
      size_t start = 0;
      std::from_chars(line.data() + 4, line.data() + line.size(), start);
      const size_t comma = line.find_first_of(", ", 4);
      if (line.substr(comma, 3) != ",0 ") --start;  // an empty range names the line before it
      while (next < start) out += old_lines.at(next++);
      continue;
    }
    const bool bare = lines[i + 1].starts_with("\\ No newline");
    const std::string text = std::string(line.substr(1)) + (bare ? "" : "\n");
    if (line[0] != '+') {
      EXPECT_EQ(old_lines.at(next++), text);
    }
    if (line[0] != '-') out += text;
    if (bare) ++i;
  }
  while (next < old_lines.size()) out += old_lines.at(next++);
  return out;
}

std::string random_text(std::mt19937& random) {
  std::string out;
  for (size_t lines = random() % 30; lines > 0; --lines) out += std::string(1, "abcd"[random() % 4]) + "\n";
  if (random() % 4 == 0 && !out.empty()) out.pop_back();
  return out;
}

TEST(UnifiedDiff, PatchesTheOldIntoTheNew) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string before = random_text(random);
    const std::string after = random_text(random);
    ASSERT_EQ(patched(before, unified_diff(before, after, "a", "b")), after) << before << "\n=>\n" << after;
  }
}

TEST(UnifiedDiff, GivesUpOnTheShortestForLargeChanges) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += std::to_string(i) + " old\n";
    after += std::to_string(i) + " new\n";
  }
  EXPECT_EQ(patched(before, unified_diff(before, after, "a", "b")), after);
}

}  // namespace
}  // namespace uc
