// The captures of this repository: all readable, with answers that torch gave.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace uc {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> captures() {
  std::vector<std::string> files;
  const fs::path root = UC_SOURCE_DIR;
  for (const fs::path& folder : {root / "data" / "kernelbench", root / "examples"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
  }
  return files;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Unit roundoff of a dtype.
double roundoff(DType type) {
  switch (type) {
    case DType::f16: return std::ldexp(1.0, -11);
    case DType::bf16: return std::ldexp(1.0, -8);
    default: return std::ldexp(1.0, -24);
  }
}

/// Error norm relative to the norm of the float64 answer, or to 0.01 an element where that is less: some
/// problems return what cancels to nothing.
double relative_error(const HostTensor& data, const HostTensor& f64) {
  double error = 0;
  double norm = 0;
  for (int64_t i = 0; i < data.count(); ++i) {
    error += std::pow(data.at(i) - f64.at(i), 2);
    norm += std::pow(f64.at(i), 2);
  }
  return std::sqrt(error / std::max(norm, 1e-4 * static_cast<double>(data.count())));
}

TEST(Captures, AllAreThere) { EXPECT_GE(captures().size(), 255U); }

TEST(Captures, SameGraphAtBothSizes) {
  for (const std::string& file : captures()) {
    SCOPED_TRACE(file);
    const auto problem = read_problem(read_file(file));
    ASSERT_TRUE(problem) << problem.error().message;
    EXPECT_NE(problem->reduced.has_value(), !problem->reduced_missing.empty());
    if (!problem->reduced) continue;
    const Graph& small = problem->reduced->graph;
    ASSERT_EQ(small.ops.size(), problem->graph.ops.size());
    ASSERT_EQ(small.tensors.size(), problem->graph.tensors.size());
    for (size_t i = 0; i < small.ops.size(); ++i)
      EXPECT_EQ(small.ops[i].target, problem->graph.ops[i].target);
  }
}

TEST(Captures, RecordedAnswersAgreeWithTheirFloat64Form) {
  size_t compared = 0;
  size_t different = 0;
  for (const std::string& file : captures()) {
    SCOPED_TRACE(file);
    const auto problem = read_problem(read_file(file));
    ASSERT_TRUE(problem);
    if (!problem->reduced) continue;
    EXPECT_GE(problem->reduced->cases.size(), 1U);
    for (const ReducedCase& one : problem->reduced->cases) {
      for (const CaseOutput& output : one.outputs) {
        if (!output.f64) continue;  // integers, and problems that fix f32 themselves
        ++compared;
        const double error = relative_error(output.data, *output.f64);
        // Deep networks of batch norms amplify what each layer rounds.
        const double bound =
            problem->reduced->graph.ops.size() > 20 ? 1e-3 : 64 * roundoff(output.data.dtype);
        EXPECT_LT(error, bound) << one.distribution;
        if (error > 0.0) ++different;  // equal where a problem only selects or gives zeros
      }
    }
  }
  EXPECT_GE(compared, 450U);
  EXPECT_GE(different, compared * 4 / 5) << "float64 forms are float32 answers";
}

}  // namespace
}  // namespace uc
