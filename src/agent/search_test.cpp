#include "agent/proposers/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/problem.h"
#include "catalog/builtin.h"
#include "import/importer.h"
#include "import/verify.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

const DeviceSpec& h200() { return *catalog().device("h200"); }

struct Started {
  CapturedProblem problem;
  Imported full, small;
  std::shared_ptr<const Candidate> candidate;
};

Started start(const std::string& name, Precision precision = Precision::tf32) {
  Started out;
  out.problem = read_problem(real_files().read(std::string(UC_SOURCE_DIR) + "/" + name).value()).value();
  out.full =
      import_graph(catalog(), out.problem.graph, {.name = {}, .target = "sm_90a", .precision = precision});
  out.small = import_graph(catalog(), out.problem.reduced->graph,
                           {.name = {}, .target = "sm_90a", .precision = precision});
  out.candidate = std::make_shared<const Candidate>(
      make_candidate(catalog(), out.full.program, out.small.program, h200()));
  return out;
}

Hypothesis structure_of(const Started& from, Precision allowed, bool prepack = true) {
  const std::vector<Outcome> none;
  const SearchState state{catalog(), h200(), allowed, prepack, false, 0, 0, none, nullptr, nullptr, 1, 40};
  return search::ladder(state, from.candidate);
}

constexpr const char* kFused = "data/kernelbench/level2/81_Gemm_Swish_Divide_Clamp_Tanh_Clamp.json";

TEST(Ladder, TurnsANaiveProblemIntoOneKernelAndAConversion) {
  const Started from = start(kFused);
  const Hypothesis structure = structure_of(from, Precision::f16);
  ASSERT_FALSE(structure.proposals.empty());
  std::string all;
  for (const Proposal& each : structure.proposals)
    all += std::string(name(each.cause)) + ": " + each.rewrite + "\n" + each.candidate->source + "\n";
  const Candidate& last = *structure.proposals.back().candidate;
  EXPECT_EQ(last.compiled->launches.size(), 3U) << all;  // convert x, prepack W, one gemm
  EXPECT_THAT(last.source, testing::HasSubstr("prepack("));
  EXPECT_THAT(last.source, testing::HasSubstr("silu()"));
  EXPECT_GT(structure.speedup, 1.5) << all;
  std::cout << all;
}

}  // namespace
}  // namespace uc
