// Every id of windows, movement, slices and constants is raised by a program that does just that wrong, and
// its help says what to do.
#include "catalog/diags_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Case {
  const char* id;
  const char* body;     ///< declarations and steps; a target and a return are added
  const char* message;  ///< part of it
  const char* help;     ///< part of it
};

#define UC_CONV2D "input x: f32[2, 8, 9, 9]\nparam W: f32[4, 8, 3, 3]\n"

const Case kCases[] = {
    {"UC1250", UC_CONV2D "y = conv2d(x, W, groups=2)\n", "8 channels of `x` of [2, 8, 9, 9] in 2 groups",
     "`groups=1`"},
    {"UC1250", "input x: f32[2, 8, 9]\nparam W: f32[4, 5, 3]\ny = conv1d(x, W)\n", "8 channels",
     "W is [O, 8, ...]"},
    {"UC1250", "input x: f32[2, 8, 9]\nparam W: f32[8, 2, 3]\ny = conv1d(x, W)\n", "8 channels",
     "`groups=4`"},
    {"UC1250", UC_CONV2D "y = conv2d(x, W, groups=3)\n", "in 3 groups", "divides both 8 and 4"},
    {"UC1250", "input x: f32[2, 8, 9]\nparam W: f32[4, 2, 3]\ny = conv_transpose1d(x, W)\n", "8 channels",
     "W is [8, O / groups, ...]"},
    {"UC1203", "input x: f32[2, 8, 9, 9]\nparam W: f32[4, 8, 3]\ny = conv2d(x, W)\n", "`conv2d` of `x`",
     "W[O, C / groups, ...] of rank 4"},
    {"UC1205", "input x: f16[2, 8, 9]\nparam W: f32[4, 8, 3]\ny = conv1d(x, W)\n", "f16 with f32",
     "`t = to("},
    {"UC1251", UC_CONV2D "y = conv2d(x, W, dilation=5)\n", "a window of 11", "pad more"},
    {"UC1251", "input x: f32[2, 8, 4]\ny = max_pool1d(x, 5)\n", "a window of 5", "smaller kernel"},
    {"UC1252", UC_CONV2D "y = conv2d(x, W, stride=0)\n", "`stride` of [0]", "1 or more"},
    {"UC1252", UC_CONV2D "y = conv2d(x, W, padding=[1, 1, 1])\n", "`padding` of [1, 1, 1] for 2",
     "each of the 2"},
    {"UC1252", UC_CONV2D "y = conv2d(x, W, stride=2, padding=same)\n", "`same` with stride 2", "stride is 1"},
    {"UC1252", "input x: f32[2, 8, 4]\ny = avg_pool1d(x, -1)\n", "`kernel_size` of [-1]", "1 or more"},
    {"UC1252", "input x: f32[2, 8, 4]\ny = adaptive_avg_pool(x, [2, 2, 2])\n", "`adaptive_avg_pool`",
     "one extent of 1 or more"},
    {"UC1253", "input x: f32[2, 8, 9]\nparam W: f32[8, 2, 3]\ny = conv_transpose1d(x, W, output_padding=1)\n",
     "output_padding 1 with stride 1", "at most 0"},
    {"UC1254", "input x: f32[2, 8, 9]\ny = max_pool1d(x, 3, padding=2)\n", "padding 2 of a window of 3",
     "at most 1"},
    {"UC1255", "input x: i32[2, 8, 9]\ny = avg_pool1d(x, 3)\n", "`avg_pool1d` of i32", "to(x, f32)"},
    {"UC1255", "input x: bool[2, 8, 9]\ny = max_pool1d(x, 3)\n", "`max_pool1d` of bool", "to(x, f32)"},
    {"UC1256", "input x: f32[2, 8]\ninput z: f32[3, 8]\ny = concat(x, z, dim=1)\n",
     "do not join along dimension 1", "are equal"},
    {"UC1257", "input x: f32[2, 8]\ny = pad(x, [1, 1, 2])\n", "3 amounts for `x`", "two a dimension"},
    {"UC1257", "input x: f32[8]\ny = pad(x, [1, 1, 2, 2])\n", "4 amounts for `x`", "two a dimension"},
    {"UC1258", "input x: f32[2, 8]\ny = pad(x, [8, 0], reflect)\n", "dimension 1 of `x` of [2, 8] by 8 and 0",
     "less than the extent"},
    {"UC1258", "input x: f32[2, 8]\ny = pad(x, [-4, -4])\n", "by -4 and -4", "1 or more is left"},
    {"UC1259", "input x: f32[2, 8]\ninput i: f32[2, 1]\ny = gather(x, i, dim=1)\n", "`i` of [2, 1] of f32",
     "`t = to(v, i64)`"},
    {"UC1260", "input x: f32[2, 8]\ninput i: i64[3, 1]\ny = gather(x, i, dim=1)\n",
     "index `i` of [3, 1] into `x`", "`embedding`"},
    {"UC1261", "input x: f32[2, 8]\nv = slice(x, 1, 8)\ny = relu(v)\n", "has no element", "0 to 7"},
    {"UC1261", "input x: f32[2, 8]\nv = slice(x, 1, 0, 8, 0)\ny = relu(v)\n", "has no element",
     "a step is 1"},
    {"UC1262", "input x: f32[2, 8]\na, b = split(x, [3, 4], dim=1)\ny = a + b\n", "into parts of [3, 4]",
     "add up to 8"},
    {"UC1263", "z = zeros([2, 0])\ny = relu(z)\n", "`zeros` of [2, 0]", "at least 1"},
    {"UC1263", "z = arange(0, start=8)\ny = relu(z)\n", "from 8 to 0 by 1", "`arange(8, start=2, step=2)`"},
    {"UC1264", "input x: f32[2, 8]\nv = flip(x, [1, -1])\ny = relu(v)\n", "flipped twice", "once"},
    {"UC1264", "input x: f32[2, 8]\ny = roll(x, [1, 2], 0)\n", "2 shifts for 1 dimension",
     "one shift a dimension"},
    {"UC1206", "input a: f16[8, 8]\ninput b: f16[8, 8]\nv = flip(a, 1)\ny = gemm(v, b)\n", "steps backwards",
     "`t = to(v, row)`"},
    {"UC1211", UC_CONV2D "param b: f32[9]\ny = conv2d(x, W) >> bias(b)\n", "bias", "[4]"},
};

TEST(WindowDiags, EachIsRaisedAndHelps) {
  const Catalog catalog = builtin_catalog();
  for (const Case& each : kCases) {
    const std::string source = std::string("target sm_90a\n") + each.body + "return y\n";
    DiagSink diags;
    resolve(catalog, parse(source, diags), diags);
    ASSERT_EQ(diags.error_count(), 1U) << source << render_text(diags.sorted(), source, "case.uc");
    const auto found = std::ranges::find_if(
        diags.diags(), [](const Diag& diag) { return diag.severity == Severity::error; });
    EXPECT_EQ(found->id, each.id) << source;
    EXPECT_THAT(found->message, testing::HasSubstr(each.message)) << source;
    EXPECT_THAT(found->help, testing::HasSubstr(each.help)) << source << found->message;
  }
}

TEST(WindowDiags, EveryKindHasACase) {
  std::set<std::string_view> seen;
  for (const Case& each : kCases) seen.insert(each.id);
  for (const DiagKind& kind : window_diag_kinds()) EXPECT_TRUE(seen.contains(kind.id)) << kind.id;
}

}  // namespace
}  // namespace uc
