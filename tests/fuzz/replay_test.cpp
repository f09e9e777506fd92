// Replays the kept corpus of one fuzz target: what once was found stays mended, with any compiler.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "fuzz.h"

namespace {

TEST(Replay, EveryInputOfTheCorpus) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(UC_FUZZ_CORPUS)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  ASSERT_GT(paths.size(), 10U) << "the corpus " UC_FUZZ_CORPUS " is missing";
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream bytes;
    bytes << in.rdbuf();
    const std::string text = bytes.str();
    RecordProperty("input", path.filename().string());
    // Its name last before a crash says which input it is.
    std::fprintf(stderr, "%s\n", path.filename().c_str());
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size()), 0);
  }
}

}  // namespace
