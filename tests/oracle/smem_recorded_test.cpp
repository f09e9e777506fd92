// The shared-memory model against what CUTLASS 4.2 itself computed (smem_oracle.sh's output, recorded).
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "catalog/builtin.h"
#include "smem_cases.h"

namespace uc {
namespace {

std::map<std::string, std::string> recorded() {
  std::map<std::string, std::string> out;
  std::ifstream file(UC_SOURCE_DIR "/tests/oracle/smem_cutlass42.txt");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    out[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return out;
}

TEST(SharedMemory, ModelEqualsCutlass) {
  const Catalog catalog = builtin_catalog();
  const auto truth = recorded();
  size_t compared = 0;
  for (const auto& epilogue : oracle::kEpilogues) {
    for (const auto& tile : oracle::kTiles) {
      const oracle::Case at = oracle::make_case(catalog, epilogue, tile);
      const auto found = truth.find(at.name);
      if (found == truth.end()) continue;
      EXPECT_EQ(oracle::modelled(at), found->second) << at.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, truth.size());
  EXPECT_GE(compared, 20U);
}

}  // namespace
}  // namespace uc
