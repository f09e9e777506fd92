// What CUTLASS said (make test-oracle), held against the rule book and the model of shared memory.
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "catalog/builtin.h"
#include "random_programs.h"
#include "smem_cases.h"
#include "trial.h"

namespace uc {
namespace {

using Record = std::map<std::string, std::string>;  // "NAME KEY" -> the answer

Record read(const std::string& name) {
  Record out;
  std::ifstream file(UC_SOURCE_DIR "/tests/oracle/" + name);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    out[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return out;
}

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

// The answer about the kernels that are emitted today: one about others is none.
std::string answer(const Record& record, const oracle::Trial& trial) {
  const auto found = record.find(trial.name + " " + trial.key());
  return found == record.end() ? "not asked since its kernel changed: `make test-oracle ASK=new`"
                               : found->second;
}

struct Examples {
  const RuleSpec* rule = nullptr;
  oracle::Trial bad, good;
};

// Both examples of every rule that the oracle is asked about.
const std::vector<Examples>& examples() {
  static const std::vector<Examples> all = [] {
    std::vector<Examples> out;
    for (const RuleSpec* rule : catalog().rules()) {
      if (rule->caught_by == CaughtBy::unstated) continue;
      const std::string id(rule->id);
      out.push_back({rule, oracle::make_trial(catalog(), id + "_bad", rule->bad_example),
                     oracle::make_trial(catalog(), id + "_good", rule->good_example)});
    }
    return out;
  }();
  return all;
}

bool compiles(const std::string& said) { return said.starts_with("compiles "); }
bool launches(const std::string& said) { return compiles(said) && said.ends_with("; launch ok"); }

// Whether the bad example met what the rule says that it meets without the check.
bool as_stated(CaughtBy by, const std::string& said) {
  switch (by) {
    case CaughtBy::compiler: return said.starts_with("refused ");
    case CaughtBy::launch: return compiles(said) && !launches(said);
    case CaughtBy::device_compiler:
    case CaughtBy::nobody: return launches(said);
    case CaughtBy::emitter: return said.starts_with("no source: ");
    case CaughtBy::unstated: return false;
  }
  return false;
}

// What CUTLASS 4.7 instantiates and 4.2 does not; programs have to build with either.
bool is_mended(std::string_view record, std::string_view id) {
  return record == "rules_cutlass47.txt" && (id == "UC2103" || id == "UC2120");
}

class RuleRecord : public ::testing::TestWithParam<const char*> {};

TEST_P(RuleRecord, BadExamplesMeetWhatTheRuleSays) {
  const Record record = read(GetParam());
  for (const auto& [rule, bad, good] : examples()) {
    const std::string said = answer(record, bad);
    const CaughtBy by = is_mended(GetParam(), rule->id) ? CaughtBy::nobody : rule->caught_by;
    EXPECT_TRUE(as_stated(by, said)) << rule->id << " is caught by: " << name(by) << "; CUTLASS: " << said;
  }
  EXPECT_GE(examples().size(), 30U);
}

TEST_P(RuleRecord, GoodExamplesCompileAndLaunch) {
  const Record record = read(GetParam());
  for (const auto& [rule, bad, good] : examples()) {
    const std::string said = answer(record, good);
    EXPECT_TRUE(launches(said) || said == "no source: not emitted yet") << rule->id << ": " << said;
  }
}

TEST_P(RuleRecord, ModelEqualsCutlassOnGoodExamples) {
  const Record record = read(GetParam());
  size_t compared = 0;
  for (const auto& [rule, bad, good] : examples()) {
    if (good.kernels.size() != 1 || good.kernels[0].modelled.empty()) continue;
    const std::string said = answer(record, good);
    EXPECT_TRUE(said.starts_with("compiles " + good.kernels[0].modelled + " "))
        << rule->id << ": CUTLASS " << said << ", model " << good.kernels[0].modelled;
    ++compared;
  }
  EXPECT_GE(compared, 25U);
}

INSTANTIATE_TEST_SUITE_P(Records, RuleRecord, ::testing::Values("rules_cutlass42.txt", "rules_cutlass47.txt"),
                         [](const auto& test) { return std::string(test.param).substr(0, 15); });

class SmemRecord : public ::testing::TestWithParam<const char*> {};

TEST_P(SmemRecord, ModelEqualsCutlass) {
  const Record record = read(GetParam());
  size_t compared = 0;
  for (const auto& epilogue : oracle::kEpilogues) {
    for (const auto& tile : oracle::kTiles) {
      const std::string at = oracle::case_name(epilogue, tile);
      const oracle::Trial trial = oracle::make_trial(catalog(), at, oracle::case_source(epilogue, tile));
      if (!trial.accepted()) continue;  // tf32 with 48 or 112 columns
      ASSERT_EQ(trial.kernels.size(), 1U) << trial.no_source;
      const std::string said = answer(record, trial);
      EXPECT_TRUE(said.starts_with("compiles " + trial.kernels[0].modelled))
          << at << ": CUTLASS " << said << ", model " << trial.kernels[0].modelled;
      ++compared;
    }
  }
  EXPECT_GE(compared, 60U);
}

INSTANTIATE_TEST_SUITE_P(Records, SmemRecord, ::testing::Values("smem_cutlass42.txt"),
                         [](const auto& test) { return std::string(test.param).substr(0, 14); });

TEST(RandomPrograms, AreTheSameForASeedAndAreWhatTheySay) {
  const oracle::RandomOptions options{.accepted = 12, .rejected = 3, .seed = 5};
  const auto programs = oracle::random_programs(catalog(), options);
  const auto again = oracle::random_programs(catalog(), options);
  ASSERT_EQ(programs.size(), 15U);
  std::set<std::string> sources;
  for (size_t i = 0; i < programs.size(); ++i) {
    EXPECT_EQ(programs[i].source, again[i].source);
    EXPECT_TRUE(sources.insert(programs[i].source).second) << programs[i].source;
    EXPECT_EQ(oracle::errors_of(catalog(), programs[i].source).empty(), programs[i].name[0] == 'r')
        << programs[i].source;
  }
}

}  // namespace
}  // namespace uc
