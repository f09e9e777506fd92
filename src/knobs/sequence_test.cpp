// Knobs of attention and recurrent layers: the row that a family gets, and the settings that it takes.
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
  static const std::vector<Case> kCases{
      {"attention", "tile", Tile{{128, 128}}, true},
      {"attention", "tile", Tile{{128, 128, 64}}, false},
      {"attention", "tile", Tile{{128, 100}}, false},
      {"attention", "tile", Tile{{1024, 128}}, false},
      {"attention", "tile", std::string("auto"), true},
      {"attention", "cluster", Tile{{2, 1}}, true},
      {"attention", "cluster", Tile{{8, 4}}, false},
      {"attention", "cluster", int64_t{2}, false},
      {"attention", "stages", int64_t{8}, true},
      {"attention", "stages", int64_t{9}, false},
      {"attention", "schedule", std::string("pingpong"), true},
      {"attention", "schedule", std::string("pong"), false},
      {"lstm", "tile", Tile{{64, 32}}, true},
      {"lstm", "threads", int64_t{256}, true},
      {"lstm", "threads", int64_t{100}, false},
      {"gemm", "tile", Tile{{128, 128, 64}}, true},
  };
  return kCases;
}

TEST(SequenceKnobs, TakeWhatTheirSyntaxSays) {
  const Catalog catalog = builtin_catalog();
  for (const Case& each : cases()) {
    const OpSpec& op = *catalog.op(each.op);
    const KnobSpec* row = catalog.knob(each.knob, op);
    ASSERT_NE(row, nullptr) << each.knob;
    EXPECT_TRUE(applies(*row, op)) << each.op << " " << each.knob;
    const bool fits = row->fits == nullptr || row->fits(Knob{each.knob, {each.setting}, {}, {}});
    EXPECT_EQ(fits, each.fits) << each.op << "." << each.knob << "(" << to_text(each.setting) << ")";
  }
}

TEST(SequenceKnobs, AreOfTheFamiliesThatTheLanguageGivesThem) {
  const Catalog catalog = builtin_catalog();
  const auto has = [&](const char* op, const char* knob) {
    return applies(*catalog.knob(knob, *catalog.op(op)), *catalog.op(op));
  };
  for (const char* knob : {"tile", "stages", "schedule", "math", "cluster"})
    EXPECT_TRUE(has("attention", knob));
  for (const char* knob : {"swizzle", "raster", "threads", "passes"}) EXPECT_FALSE(has("attention", knob));
  for (const char* knob : {"tile", "threads"}) EXPECT_TRUE(has("gru", knob));
  EXPECT_FALSE(has("gru", "stages"));
  EXPECT_TRUE(has("grouped_gemm", "scheduler"));
}

}  // namespace
}  // namespace uc
