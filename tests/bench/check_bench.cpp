// Lex to check in process: a 20-line program within a millisecond, 500 programs of the corpus within half a
// second. Exits with 1 when a median is ten times over its limit.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "catalog/builtin.h"
#include "compiler/pipeline.h"
#include "corpus.h"

namespace uc {
namespace {

constexpr double kProgramLimitMs = 1;
constexpr double kCorpusLimitMs = 500;
constexpr double kSlack = 10;  ///< of the test, not of the claim
constexpr size_t kPrograms = 500;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(UC_SOURCE_DIR + path, std::ios::binary).rdbuf();
  return text.str();
}

void check_program(benchmark::State& state) {
  const std::string source = read("/examples/programs/level3_31_vision_attention.uc");
  for (const auto _ : state) {
    const Compiled compiled = check_source(catalog(), source, {.device = {}, .language_only = true});
    if (!compiled.ok()) state.SkipWithError("the program does not check");
    benchmark::DoNotOptimize(compiled.hash.data());
  }
}

void check_corpus(benchmark::State& state) {
  std::vector<corpus::Entry> programs = corpus::read(read("/tests/language/corpus/valid.txt"));
  if (programs.size() < kPrograms) state.SkipWithError("the corpus is smaller than 500 programs");
  programs.resize(std::min(programs.size(), kPrograms));
  size_t legal = 0;
  for (const auto _ : state) {
    legal = 0;
    for (const corpus::Entry& program : programs) {
      const Compiled compiled = check_source(catalog(), program.text, {.device = {}, .language_only = true});
      legal += compiled.ok() ? 1 : 0;
      benchmark::DoNotOptimize(compiled.hash.data());
    }
  }
  state.counters["legal"] = static_cast<double>(legal);
}

BENCHMARK(check_program)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();
BENCHMARK(check_corpus)->Unit(benchmark::kMillisecond)->Repetitions(5)->ReportAggregatesOnly();

/// Prints as usual, and compares medians with the limits.
class Judge final : public benchmark::ConsoleReporter {
 public:
  Judge() : benchmark::ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred) ++faults;
      if (run.aggregate_name != "median") continue;
      const bool program = run.benchmark_name().starts_with("check_program");
      const double limit = program ? kProgramLimitMs : kCorpusLimitMs;
      const double took = run.GetAdjustedCPUTime();
      fmt::print("{}: {:.3f} ms, limit {} ms{}\n", run.benchmark_name(), took, limit,
                 took > limit ? ": OVER" : "");
      ++judged;
      if (took > kSlack * limit) ++faults;
    }
  }
  size_t judged = 0;
  size_t faults = 0;
};

int run(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  Judge judge;
  benchmark::RunSpecifiedBenchmarks(&judge);
  return judge.judged == 2 && judge.faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace uc

int main(int count, char** words) { return uc::run(count, words); }
