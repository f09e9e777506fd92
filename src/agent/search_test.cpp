#include "agent/proposers/search.h"

#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

#include "agent/testing.h"
#include "syntax/print.h"

namespace uc {
namespace {

using namespace agent_testing;
using testing::HasSubstr;
using testing::Not;

struct Started {
  Loaded loaded;
  std::shared_ptr<const Candidate> candidate;
};

Started start(Loaded loaded) {
  Started out;
  out.loaded = std::move(loaded);
  out.candidate = std::make_shared<const Candidate>(
      make_candidate(catalog(), out.loaded.start.program, out.loaded.start.reduced, h200()));
  return out;
}
Started start(const std::string& name, Precision precision = Precision::tf32) {
  return start(load(name, precision));
}

Hypothesis ladder_of(const Started& from, Precision allowed, bool prepack = true) {
  const std::vector<Outcome> none;
  const SearchState state{catalog(), h200(), allowed, prepack, false, 0, 0, none, nullptr, nullptr, 1, 40};
  return search::ladder(state, from.candidate);
}

std::string told(const Hypothesis& ladder) {
  std::string all;
  for (const Proposal& each : ladder.proposals)
    all += std::string(name(each.cause)) + ": " + each.rewrite + "\n" + each.candidate->source + "\n";
  return all;
}

std::vector<std::string> captures() {
  std::vector<std::string> out;
  for (const char* folder : {"data/kernelbench", "examples"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(UC_SOURCE_DIR) + "/" + folder)) {
      const std::string name = std::filesystem::relative(entry.path(), UC_SOURCE_DIR).string();
      if (entry.path().extension() == ".json") out.push_back(name);
    }
  }
  return out;
}

// Of a program whose ladder takes seconds: each of its rungs checks the whole program once a site, a minute
// for a ResNet.
constexpr size_t kDeep = 40;

// True for problems that are imported whole and are not deep, with a recorded run at reduced sizes.
bool starts(const std::string& name) {
  const auto problem = read_problem(real_files().read(std::string(UC_SOURCE_DIR) + "/" + name).value());
  if (!problem || !problem->reduced) return false;
  const Imported imported = import_graph(catalog(), problem->graph);
  return imported.ok() && imported.program.steps.size() <= kDeep;
}

TEST(Ladder, TurnsANaiveProblemIntoOneKernelAndAConversion) {
  const Hypothesis ladder = ladder_of(start(kSwish), Precision::f16);
  ASSERT_FALSE(ladder.proposals.empty());
  const Candidate& last = *ladder.proposals.back().candidate;
  EXPECT_EQ(last.compiled->launches.size(), 3U) << told(ladder);  // convert x, prepack W, one gemm
  EXPECT_THAT(last.source, HasSubstr("prepack("));
  EXPECT_THAT(last.source,
              HasSubstr(">> add(gemm_bias) >> silu() >> div(2.0) >> clamp(min=-1.0, max=1.0) >> tanh()\n"));
  EXPECT_GT(ladder.speedup, 1.5) << told(ladder);
}

// The candidate with nothing rounded to fewer bits than f32.
Candidate unrounded(Candidate candidate) {
  std::string text = print(catalog(), *candidate.reduced);
  text = std::regex_replace(text, std::regex("\\bprecision (tf32|f16|bf16)\\b"), "precision strict");
  text = std::regex_replace(text, std::regex("\\b(f16|bf16)\\b"), "f32");
  candidate.reduced = resolve_source(catalog(), text).program;
  return candidate;
}

// On every such problem of the repository, each rung is a legal program within its licence that computes what
// torch computed. A few problems bear no rounding (sums of products with either sign, norms of them): there
// the meaning is right without it, and the optimizer drops the rung.
TEST(Ladder, EveryRungOfEveryProblemKeepsTheMeaning) {
  size_t tried = 0;
  size_t rungs = 0;
  size_t rounded_too_far = 0;
  for (const std::string& name : captures()) {
    if (!starts(name)) continue;
    ++tried;
    for (const Precision allowed : {Precision::tf32, Precision::f16, Precision::bf16}) {
      const Started from = start(name);
      const MeaningChecker meaning(catalog(), from.loaded.problem, allowed, from.loaded.tensors);
      const Hypothesis ladder = ladder_of(from, allowed);
      for (const Proposal& each : ladder.proposals) {
        EXPECT_TRUE(each.candidate->ok()) << name << "\n" << each.candidate->source;
        const MeaningCheck check = meaning.check(*each.candidate);
        ++rungs;
        rounded_too_far += check.passed ? 0 : 1;
        EXPECT_TRUE(check.checked && (check.passed || meaning.check(unrounded(*each.candidate)).passed))
            << name << ": " << check.why << "\n"
            << each.candidate->source;
        EXPECT_TRUE(allowed != Precision::tf32 || each.candidate->program.precision == Precision::tf32)
            << name;
      }
    }
  }
  EXPECT_GE(tried, 200U);
  EXPECT_LE(rounded_too_far * 20, rungs);
}

// gelu(m - mean(m)) of one m a row: a constant, so the product is not made.
TEST(Ladder, LeavesOutWhatTheResultDoesNotNeed) {
  const Hypothesis ladder =
      ladder_of(start("data/kernelbench/level2/80_Gemm_Max_Subtract_GELU.json"), Precision::tf32);
  ASSERT_FALSE(ladder.proposals.empty());
  EXPECT_THAT(ladder.proposals.back().candidate->source, Not(HasSubstr("linear("))) << told(ladder);
}

// A mean over one place is no mean of a convolution: at these reduced sizes the change could not be tried.
TEST(Ladder, ChangesNothingThatIsAnotherChangeAtReducedSizes) {
  const auto of = [](int64_t extent) {
    return resolve_source(catalog(),
                          fmt::format("target sm_90a\nprecision tf32\ninput x: f32[2, 4, {0}, {0}]\nparam W: "
                                      "f32[6, 4, 3, 3]\nt = conv2d(x, W, padding=1)\ny = mean(t, dim=[2, "
                                      "3])\nreturn y\n",
                                      extent))
        .program;
  };
  const auto row = std::ranges::find(catalog().rewrites(), "sum-of-product", &RewriteSpec::id);
  ASSERT_NE(row, catalog().rewrites().end());
  const RewriteContext context{catalog(), h200(), Precision::tf32};
  for (const auto& [extent, changes] : {std::pair{int64_t{5}, true}, {int64_t{1}, false}}) {
    const Candidate from = make_candidate(catalog(), of(9), of(extent), h200());
    const auto sites = (*row)->find(from.program, context);
    ASSERT_EQ(sites.size(), 1U);
    EXPECT_EQ(apply_rewrite(**row, sites[0], from, context).source != from.source, changes);
  }
}

TEST(Ladder, LeavesAloneWhatHoldsForTheDataSeenOnly) {
  Started from = start(kRelu);
  Candidate seen = *from.candidate;
  seen.program[seen.program.results[0]].observed = Observed{{}, 0.0, {}, {}};
  from.candidate = std::make_shared<const Candidate>(std::move(seen));
  size_t found = 0;
  for (const RewriteSpec* row : catalog().rewrites()) {
    if (row->holds == Holds::always) continue;
    found += row->find(from.candidate->program, {catalog(), h200(), Precision::tf32}).size();
    EXPECT_THAT(told(ladder_of(from, Precision::tf32)), Not(HasSubstr(std::string(row->id))));
  }
  EXPECT_GT(found, 0U);
}

TEST(Ladder, PreparesNothingWhenThatIsNotAllowed) {
  const Hypothesis ladder = ladder_of(start(kRelu), Precision::f16, false);
  for (const Proposal& each : ladder.proposals)
    EXPECT_THAT(each.candidate->source, Not(HasSubstr("prepack(")));
}

TEST(Ladder, FindsABuildableFormOfWhatIsNot) {
  const Started from = start(on_cutlass3(load(kSquare)));
  EXPECT_FALSE(from.candidate->ok());
  for (const Precision allowed : {Precision::tf32, Precision::f16}) {
    const Hypothesis ladder = ladder_of(from, allowed);
    ASSERT_FALSE(ladder.proposals.empty());
    EXPECT_TRUE(ladder.proposals.front().candidate->ok());
  }
}

TEST(Ladder, GoesThroughBothLayersOfAnMlp) {
  const Hypothesis ladder = ladder_of(start("examples/mlp_two_layers/problem.json"), Precision::f16);
  ASSERT_FALSE(ladder.proposals.empty());
  const Candidate& last = *ladder.proposals.back().candidate;
  size_t run = 0;
  for (const Launch& launch : last.compiled->launches) run += launch.phase == Phase::run ? 1 : 0;
  EXPECT_EQ(run, 3U) << told(ladder);  // convert x, and two gemms: the first writes f16 for the second
}

TEST(Ladder, IsEmptyWhereNothingIsLeft) {
  const Started from = start(kSwish);
  const Hypothesis ladder = ladder_of(from, Precision::f16);
  Started top;
  top.candidate = ladder.proposals.back().candidate;
  EXPECT_TRUE(ladder_of(top, Precision::f16).proposals.empty());
}

TEST(Search, AnticipatesWhatItNominates) {
  const Started from = start(kRelu);
  Outcome first;
  first.number = 1;
  first.candidate = from.candidate;
  std::vector<Outcome> outcomes{first};
  SearchProposer proposer;
  const SearchState before{catalog(), h200(),  Precision::f16,    true, true, 3, 0,
                           outcomes,  nullptr, &outcomes.front(), 1,    40};
  std::set<std::string> ahead;
  for (const auto& each : proposer.anticipate(before)) ahead.insert(each->hash());
  const Hypothesis ladder = search::ladder(before, from.candidate);
  for (const Proposal& each : ladder.proposals) EXPECT_TRUE(ahead.contains(each.candidate->hash()));
  Outcome top;
  top.number = 2;
  top.candidate = ladder.proposals.back().candidate;
  outcomes.push_back(top);
  const SearchState after{catalog(), h200(),           Precision::f16,    true, true, 3, 1,
                          outcomes,  &outcomes.back(), &outcomes.front(), 1,    38};
  size_t hits = 0;
  const auto nominated = proposer.nominate(after).value();
  for (const Hypothesis& each : nominated) {
    if (each.id.starts_with("set-config")) {
      for (size_t i = 0; i < std::min<size_t>(4, each.proposals.size()); ++i)
        hits += ahead.contains(each.proposals[i].candidate->hash()) ? 1 : 0;
    }
  }
  EXPECT_GE(hits, 4U);
}

TEST(Search, ExpectsLessOfTheRestOfASweep) {
  const Started from = start(kRelu, Precision::tf32);
  std::vector<Outcome> outcomes;
  SearchProposer proposer;
  double before = 10;
  for (int round = 0; round < 3; ++round) {
    Outcome each;
    each.number = round + 1;
    each.candidate = from.candidate;
    outcomes.push_back(each);
    const SearchState state{catalog(),
                            h200(),
                            Precision::tf32,
                            true,
                            true,
                            0,
                            round,
                            outcomes,
                            &outcomes.front(),
                            &outcomes.front(),
                            1,
                            40};
    const auto nominated = proposer.nominate(state).value();
    for (const Hypothesis& hypothesis : nominated) {
      if (!hypothesis.id.starts_with("set-config")) continue;
      EXPECT_LT(hypothesis.speedup, before);
      before = hypothesis.speedup;
      for (size_t i = 0; i < 4; ++i) {
        Outcome tried = each;
        tried.candidate = hypothesis.proposals[i].candidate;
        tried.rewrite = "set-config";
        outcomes.push_back(tried);
      }
      break;
    }
  }
}

}  // namespace
}  // namespace uc
