#include "reference.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "catalog/builtin.h"
#include "import/importer.h"
#include "sol/sol.h"

namespace uc::test {
namespace {

namespace fs = std::filesystem;

// Rounding of sums of doubles, and of a time that was written with seven digits.
constexpr double kRounding = 1e-9, kDigits = 1e-6;

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

std::string capture_of(const Reference& each) {
  const std::string begin = fmt::format("{}_", each.id);
  for (const auto& entry :
       fs::directory_iterator(fmt::format("{}/data/kernelbench/level{}", UC_SOURCE_DIR, each.level))) {
    if (!entry.path().filename().string().starts_with(begin)) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    return text.str();
  }
  return {};
}

std::optional<SolReport> report_of(const Reference& each) {
  const auto problem = read_problem(capture_of(each), ReadProblem::graph);
  if (!problem) {
    ADD_FAILURE() << problem.error().message;
    return std::nullopt;
  }
  const Imported imported = import_for_bounds(catalog(), *problem);
  EXPECT_TRUE(imported.ok());
  SolOptions options;
  options.precision = Precision::tf32;
  return speed_of_light(catalog(), imported.program, *catalog().device("h200"), options);
}

// `reported` within [hand x (1 - less), hand x (1 + more)].
void expect_within(std::string_view what, double reported, double hand, double less, double more) {
  EXPECT_GE(reported, hand * (1 - less) * (1 - kRounding)) << what;
  EXPECT_LE(reported, hand * (1 + more) * (1 + kRounding)) << what;
}

void expect_bound(const Reference& each) {
  const auto report = report_of(each);
  if (!report) return;
  expect_within("dense FLOPs", report->work.dense_flops, each.dense, 0, 0);
  expect_within("least FLOPs", report->minimum.minimum_flops, each.minimum.value_or(each.dense), 0,
                each.minimum_more);
  expect_within("bytes read", report->minimum.read_bytes, each.read, each.read_less, each.read_more);
  expect_within("bytes written", report->minimum.write_bytes, each.written, 0, 0);
  EXPECT_EQ(report->certified.by, each.by);
  const bool of_bytes = each.by == "memory";
  expect_within("microseconds", report->certified.total_us, each.us,
                kDigits + (of_bytes ? each.read_less : 0), kDigits + (of_bytes ? each.read_more : 0));
  if (each.any_inputs_us)
    expect_within("of any inputs", report->promised.total_us, *each.any_inputs_us, kDigits, kDigits);
}

}  // namespace

void expect_bounds(std::span<const Reference> references) {
  for (const Reference& each : references) {
    SCOPED_TRACE(fmt::format("L{}/{}", each.level, each.id));
    expect_bound(each);
  }
}

}  // namespace uc::test
