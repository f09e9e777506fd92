#include "agent/shrink.h"

#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "agent/testing.h"
#include "import/captures.h"
#include "syntax/print.h"

namespace uc {
namespace {

using namespace agent_testing;

struct Both {
  Program full, reduced;
};

std::optional<Both> both(const std::string& path) {
  const auto problem = read_problem(real_files().read(path).value());
  if (!problem || !problem->reduced) return std::nullopt;
  const ImportOptions options{.name = {}, .target = "sm_90a", .precision = Precision::strict};
  Imported full = import_graph(catalog(), problem->graph, options);
  Imported reduced = import_graph(catalog(), problem->reduced->graph, options);
  if (!full.ok() || !reduced.ok()) return std::nullopt;
  return Both{std::move(full.program), std::move(reduced.program)};
}

Program from_text(const std::string& text) {
  Compiled compiled = resolve_source(catalog(), text);
  EXPECT_TRUE(compiled.ok()) << text;
  return std::move(compiled.program);
}

// A problem's own program, read as text, becomes the program that import made at the recorded sizes.
TEST(Shrink, FindsTheRecordedSizesOfEveryProblemThatIsImported) {
  const std::string folder = std::string(UC_SOURCE_DIR) + "/data/kernelbench";
  const auto captures = find_captures(real_files(), folder).value();
  size_t tried = 0;
  std::vector<std::string> failed;
  for (const std::string& each : captures) {
    const auto programs = both(folder + "/" + each);
    if (!programs) continue;
    ++tried;
    const Shrunk got =
        shrink(catalog(), from_text(print(catalog(), programs->full)), programs->full, programs->reduced);
    if (!got.program) {
      failed.push_back(each + ": " + got.why_not);
    } else if (print(catalog(), *got.program) != print(catalog(), programs->reduced)) {
      failed.push_back(each + ": differs");
    }
  }
  EXPECT_GT(tried, 150U);
  EXPECT_THAT(failed, testing::IsEmpty());
}

const std::string kFolder = std::string(UC_SOURCE_DIR) + "/data/kernelbench/";

std::string declarations(const Program& program) {
  const std::string text = print(catalog(), program);
  return text.substr(0, text.find("\n\n") + 2);
}

Shrunk of(const Both& problem, const std::string& steps) {
  return shrink(catalog(), from_text(declarations(problem.full) + steps), problem.full, problem.reduced);
}

TEST(Shrink, ReadsNumbersOfAttributesInEveryWayThatFits) {
  // 1024 is the batch and a width; at the recorded sizes they differ.
  const auto problem = *both(kFolder + "level2/45_Gemm_Sigmoid_LogSumExp.json");
  const Shrunk got =
      of(problem,
         "a = linear(x, linear1_weight) >> bias(linear1_bias) >> sigmoid()\n"
         "b = reshape(a, [16384, 1, 4096])\nc = linear(b, linear2_weight) >> bias(linear2_bias)\n"
         "d = reshape(c, [16384, 1024])\ny = logsumexp(d, dim=1)\nreturn y\n");
  ASSERT_TRUE(got.program) << got.why_not;
  EXPECT_EQ((*got.program)[got.program->results[0]].shape, problem.reduced[problem.reduced.results[0]].shape);
}

TEST(Shrink, APartThatIsTheWholeAtRecordedSizesIsNotTried) {
  const auto problem = *both(kFolder + "level2/45_Gemm_Sigmoid_LogSumExp.json");
  const int64_t width = problem.reduced[problem.reduced.params[2]].shape[0];
  const Shrunk got =
      of(problem, fmt::format("a = linear(x, linear1_weight) >> bias(linear1_bias) >> sigmoid()\n"
                              "b = linear(a, linear2_weight) >> bias(linear2_bias)\n"
                              "c = slice(b, 1, 0, {})\ny = logsumexp(c, dim=1)\nreturn y\n",
                              width));
  EXPECT_FALSE(got.program);
  EXPECT_THAT(got.why_not, testing::HasSubstr("cannot tell a part from the whole"));
}

TEST(Shrink, ReciprocalsOfSizesFollowThem) {
  const auto problem = *both(kFolder + "level1/98_KLDivLoss.json");
  const Shrunk got = of(problem,
                        "a = log(predictions)\nb = targets * (log(targets) - a)\nc = sum(b, dim=[0, 1])\n"
                        "y = c * 0.00006103515625\nreturn y\n");
  ASSERT_TRUE(got.program) << got.why_not;
  EXPECT_THAT(print(catalog(), *got.program), testing::HasSubstr("* 0.015625"));
}

TEST(Shrink, ProgramsThatTheSearchFindsKeepTheirMeaning) {
  for (const char* name : {kRelu, kSwish}) {
    World world(load(name));
    const auto result = world.go(world.begin(), options(6));
    ASSERT_TRUE(result && result->has_best());
    const Program& best = result->outcomes[result->best].candidate->program;
    Candidate candidate = make_candidate(catalog(), print(catalog(), best), h200());
    candidate.reduced =
        shrink(catalog(), candidate.program, world.loaded.start.program, *world.loaded.start.reduced).program;
    ASSERT_TRUE(candidate.reduced) << name;
    EXPECT_TRUE(world.meaning.check(candidate).passed) << name;
  }
}

}  // namespace
}  // namespace uc
