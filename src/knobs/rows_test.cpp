// Knobs of launches over rows: the row that a family gets, and the settings that it takes.
#include <gtest/gtest.h>

#include "catalog/builtin.h"

namespace uc {
namespace {

struct Case {
  const char* op;
  const char* knob;
  KnobValue setting;
  bool fits;
};

const std::vector<Case>& cases() {
  static const std::string kAuto = "auto";
  static const std::vector<Case> kCases{
      {"sum", "passes", int64_t{1}, true},
      {"sum", "passes", int64_t{3}, true},
      {"sum", "passes", int64_t{4}, false},
      {"softmax", "passes", kAuto, true},
      {"sum", "passes", int64_t{0}, false},
      {"sum", "passes", std::string("one"), false},
      {"sum", "cluster", int64_t{8}, true},
      {"sum", "cluster", int64_t{3}, false},
      {"sum", "cluster", int64_t{32}, false},
      {"softmax", "cluster", Tile{{2, 1}}, false},
      {"gemm", "cluster", Tile{{2, 1}}, true},
      {"mse", "rows_per_block", int64_t{1024}, true},
      {"mse", "rows_per_block", int64_t{1025}, false},
      {"var", "split", int64_t{7}, true},
      {"var", "split", int64_t{-1}, false},
      {"cumsum", "items", int64_t{64}, true},
      {"cumsum", "items", int64_t{65}, false},
      {"cumsum", "threads", int64_t{1024}, true},
      {"cumsum", "threads", int64_t{1056}, false},
      {"cumsum", "threads", int64_t{48}, false},
      {"rms_norm", "vector", int64_t{16}, true},
      {"rms_norm", "vector", 4.0, false},
  };
  return kCases;
}

TEST(RowKnobs, TakeWhatTheirSyntaxSays) {
  const Catalog catalog = builtin_catalog();
  for (const Case& each : cases()) {
    const OpSpec& op = *catalog.op(each.op);
    const KnobSpec* row = catalog.knob(each.knob, op);
    ASSERT_NE(row, nullptr) << each.knob;
    EXPECT_TRUE(applies(*row, op)) << each.op << " " << each.knob;
    const Knob knob{each.knob, {each.setting}, {}, {}};
    Launch launch;
    launch.config = RowsConfig{};
    if (op.family == "contraction") launch.config = ContractionConfig{};
    const bool fits = row->emitted ? row->apply(knob, launch) : row->fits(knob);
    EXPECT_EQ(fits, each.fits) << each.op << "." << each.knob << "(" << to_text(each.setting) << ")";
  }
}

TEST(RowKnobs, AreOfTheFamiliesThatTheLanguageGivesThem) {
  const Catalog catalog = builtin_catalog();
  const auto has = [&](const char* op, const char* knob) {
    return applies(*catalog.knob(knob, *catalog.op(op)), *catalog.op(op));
  };
  EXPECT_TRUE(has("sum", "rows_per_block"));
  EXPECT_TRUE(has("softmax", "rows_per_block"));
  EXPECT_FALSE(has("cumsum", "split"));
  EXPECT_FALSE(has("sum", "items"));
  EXPECT_FALSE(has("sum", "tile"));
  EXPECT_FALSE(has("relu", "passes"));
  EXPECT_TRUE(has("relu", "vector"));
}

// What is set is what is printed, 1 too: left out it would be chosen again.
TEST(RowKnobs, PrintWhatTheySet) {
  const Catalog catalog = builtin_catalog();
  const OpSpec& op = *catalog.op("softmax");
  for (const char* name : {"passes", "cluster", "rows_per_block", "split", "threads", "vector"}) {
    const KnobSpec* row = catalog.knob(name, op);
    Launch launch;
    launch.kernel = Rows{};
    launch.config = RowsConfig{};
    EXPECT_EQ(row->print(launch), "") << name;
    const int64_t value = name == std::string_view("passes") ? 2 : 32;
    const bool large = name == std::string_view("cluster") || name == std::string_view("vector");
    const Knob knob{name, {large ? int64_t{8} : value}, {}, {}};
    ASSERT_TRUE(row->apply(knob, launch)) << name;
    EXPECT_EQ(row->print(launch), to_text(knob.settings[0])) << name;
    if (large) continue;
    ASSERT_TRUE(
        row->apply({name, {name == std::string_view("threads") ? int64_t{32} : int64_t{1}}, {}, {}}, launch));
    EXPECT_NE(row->print(launch), "") << name;
  }
}

}  // namespace
}  // namespace uc
