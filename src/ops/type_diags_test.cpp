// Every id of types and shapes is raised by a program that does just that wrong, shows what was seen, and
// says what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "catalog/builtin.h"
#include "catalog/diags.h"
#include "catalog/program_builder.h"
#include "check/resolve.h"
#include "diag/render.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

struct Case {
  const char* id;
  const char* body;     ///< declarations and steps; a target and a return are added
  const char* message;  ///< part of it
  const char* help;     ///< part of it
};

#define UC_QKV "input q: f16[2, 4, 6, 8]\ninput k: f16[2, 4, 7, 8]\ninput v: f16[2, 4, 7, 8]\n"

const Case kCases[] = {
    {"UC1201", "input x: f32[4, 8]\ninput z: f32[4, 6]\ny = x + z\n",
     "`x` of [4, 8] and `z` of [4, 6] do not broadcast", "dimension -1 has extents 8 and 6"},
    {"UC1201", "input x: f32[4, 8]\ninput z: f32[4]\ny = x + z\n", "`z` of [4]", "`reshape(z, [4, 1])`"},
    {"UC1201", "input x: f32[4, 8]\ninput z: f32[8, 4]\ny = x * z\n", "do not broadcast",
     "`transpose(z)` would fit"},
    {"UC1201", "input x: f16[2, 4, 8]\ninput z: f16[3, 8, 4]\ny = gemm(x, z)\n",
     "the batch dimensions of `x` of [2, 4, 8]", "all but the last two"},
    {"UC1203", "input x: f16[8]\ninput z: f16[8, 4]\ny = gemm(x, z)\n", "`gemm` of `x` of [8]",
     "`unsqueeze`"},
    {"UC1203", "input x: f16[8, 4]\nparam W: f16[2, 8, 4]\ny = linear(x, W)\n", "`linear`",
     "`gemm(A, transpose(B))`"},
    {"UC1203", "input x: f16[8]\nv = transpose(x)\ny = relu(v)\n", "`transpose` of `x` of [8]", "rank 2"},
    {"UC1204", "input x: f16[4, 8]\ninput z: f16[6, 8]\ny = gemm(x, z)\n", "8 products a row against 6",
     "`gemm(x, transpose(z))`"},
    {"UC1204", "input x: f16[4, 8]\ninput z: f16[8, 6]\ny = linear(x, z)\n", "8 products a row against 6",
     "`gemm(x, z)`"},
    {"UC1204", "input x: f16[8, 4]\ninput z: f16[8, 6]\ny = gemm(x, z)\n", "4 products a row against 8",
     "`gemm(transpose(x), z)`"},
    {"UC1205", "input x: f16[4, 8]\ninput z: f32[8, 6]\ny = gemm(x, z)\n", "a contraction of f16 with f32",
     "`t = to(x, f32)`"},
    {"UC1205", "input x: f16[4, 8]\ninput z: i32[8, 6]\ny = gemm(x, z)\n", "a contraction of f16 with i32",
     "`t = to(z, f16)`"},
    {"UC1205", "input x: i32[4, 8]\ninput z: i32[8, 6]\ny = gemm(x, z)\n", "a contraction of i32 with i32",
     "`a, b = to(x, z, f32)`"},
    {"UC1206", "input x: f16[2, 1, 4, 8]\ninput z: f16[3, 8, 4]\ny = gemm(x, z)\n",
     "the batch dimensions of `x` of [2, 1, 4, 8], read as [2, 3], need more than one stride",
     "to(expand(x, [2, 3, 4, 8]), row)"},
    {"UC1206",
     "input x: f16[4, 8, 2]\ninput z: f16[8, 6]\nv = permute(x, [2, 0, 1])\nw = reshape(v, [2, 4, 8])\ny = "
     "gemm(w, z)\n",
     "no unit stride", "`t = to(w, row)`"},
    {"UC1207", "input x: f16[4, 8]\nv = transpose(x, [0, 2])\ny = relu(v)\n",
     "dimension 2 of a tensor of rank 2", "-2 to -1"},
    {"UC1208", "input x: f16[4, 8]\nv = permute(x, [0, 0])\ny = relu(v)\n", "[0, 0] is no order",
     "`permute(x, [0, 2, 1])`"},
    {"UC1209", "input x: f16[4, 8]\nv = reshape(x, [4, 9])\ny = relu(v)\n", "has 32 elements",
     "product is 32"},
    {"UC1209", "input x: f16[4, 8]\nv = reshape(x, [-1, 5])\ny = relu(v)\n", "has 32 elements",
     "one of them may be -1"},
    {"UC1209", "input x: f16[4, 8]\nv = reshape(x, [-1, -1])\ny = relu(v)\n", "has 32 elements",
     "one of them may be -1"},
    {"UC1210", "input x: f16[4, 8]\nt = transpose(x)\nv = reshape(t, [32])\ny = relu(v)\n", "without a copy",
     "`t = to(t, row)`"},
    {"UC1211", "input x: f16[4, 8]\ninput w: f16[8, 6]\ninput b: f16[4]\ny = gemm(x, w) >> bias(b)\n",
     "columns of [4, 6]", "the shape [6]"},
    {"UC1211", "input x: f16[4, 8]\ninput w: f16[8, 6]\ninput b: f16[4, 1]\ny = gemm(x, w) >> bias(b)\n",
     "columns of [4, 6]", "`>> add(b)`"},
    {"UC1212", "input x: f16[4, 8]\ninput w: f16[8, 6]\ninput r: f16[24]\ny = gemm(x, w) >> residual(r)\n",
     "residual `r` of [24] for [4, 6]", "`residual(reshape(r, [4, 6]))`"},
    {"UC1213", "input x: f32[4, 8]\ny = to(x, nhwc)\n", "layout nhwc for a tensor of [4, 8]", "rank 4"},
    {"UC1214", "input x: f32[8]\ny = to(x, pitch=8)\n", "pitch 8 for a tensor of [8]", "rank 2"},
    {"UC1214", "input x: f32[8, 8]\ny = to(x, pitch=0)\n", "pitch 0", "pitch=8"},
    {"UC1215", "input x: i8[4, 8]\ny = x + x\n", "stored as i8", "`>> to(i8)`"},
    {"UC1216", "input x: f32[4]\ny = where(x, x, 0)\n", "the condition of `where` is f32",
     "`where(x != 0, ...)`"},
    {"UC1216", "input x: bool[4]\ny = -x\n", "`neg` of bool", "to(x, f32)"},
    {"UC1217", "input x: i32[4]\ny = x ** -1\n", "an integer to the power -1", "1.0 / x"},
    {"UC1218", "input x: f32[4]\ny = clamp(x)\n", "`clamp` without bounds", "clamp(0, 6)"},
    {"UC1219", "input x: f32[4, 8]\nv = expand(x, [5, 8])\ny = relu(v)\n", "does not expand to [5, 8]",
     "stretched from 1"},
    {"UC1220", "input x: f32[4, 8]\nv = squeeze(x, 0)\ny = relu(v)\n", "has extent 4", "`reshape`"},
    {"UC1221", "input x: f16[4, 8]\ninput s: f32[4]\ny = to(x, f8e4m3, scale=s)\n",
     "f32 `s` of [4] as scale of `x` of [4, 8]", "`scale=unsqueeze(s, 1)`"},
    {"UC1221", "input x: f16[4, 8]\ninput s: f32[4, 3]\ny = to(x, f8e4m3, scale=s)\n", "`s` of [4, 3]",
     "that divides it"},
    {"UC1221", "input x: f16[4, 8]\ninput s: f16[4, 1]\ny = to(x, f8e5m2, scale=s)\n", "f16 `s`",
     "`>> to(f32)`"},
    {"UC1221", "input x: f32[4, 8]\ninput s: f32[4, 1]\ny = to(x, f16, scale=s)\n", "not stored as f8",
     "`to(x, f8e4m3, scale=s)`"},
    {"UC1221", "input x: f16[4, 8]\ninput s: f32[1]\ny = to(x, f8e4m3, scale=abs(s))\n",
     "this scale is not stored", "in a step before"},
    {"UC1222", "input x: f16[4, 8]\ninput s: f32[4, 1]\nq = to(x, f8e4m3, scale=s)\ny = relu(q)\n",
     "`relu` would read `q`", "`t = to(q, f32)`"},
    {"UC1222",
     "input x: f16[4, 8]\ninput s: f32[4, 1]\nq = to(x, f8e4m3, scale=s)\nv = transpose(q)\ny = to(v, f32)\n",
     "`transpose` would read `q`", "take the view before"},
    {"UC1270", "input q: f16[2, 6, 8]\ninput k: f16[2, 7, 4]\ny = attention(q, k, k)\n",
     "attention of `q` of [2, 6, 8] with `k` of [2, 7, 4]", "`layout=bshd`"},
    {"UC1270", "input q: f16[2, 3, 6, 8]\ninput k: f16[2, 2, 7, 8]\ny = attention(q, k, k)\n",
     "attention of `q`", "a multiple of those of k"},
    {"UC1271", "input q: f16[2, 6, 8]\ninput k: f32[2, 7, 8]\ny = attention(q, k, q)\n",
     "attention of f16 with f32 and f16", "to(q, k, v, f16)"},
    {"UC1272", UC_QKV "input m: f16[6, 7]\ny = attention(q, k, v, mask=m)\n", "mask `m` of [6, 7] of f16",
     "`score=it + m`"},
    {"UC1272", UC_QKV "input m: i32[6, 7]\ny = attention(q, k, v, m)\n", "of i32", "`seen = m != 0`"},
    {"UC1272", UC_QKV "input m: bool[2, 6, 7]\ny = attention(q, k, v, mask=m)\n",
     "for scores of [2, 4, 6, 7]", "`unsqueeze`"},
    {"UC1273", UC_QKV "input b: f16[2, 2, 4, 6, 7]\ny = attention(q, k, v, score=it + b)\n",
     "[2, 2, 4, 6, 7] where `it` is [2, 4, 6, 7]", "broadcast to [2, 4, 6, 7]"},
    {"UC1273", UC_QKV "y = attention(q, k, v, score=it > 0)\n", "a score of bool", "floating"},
    {"UC1274", "input x: f32[5, 3, 4]\nparam w: f32[24, 4]\nparam u: f32[24, 8]\ny, h, c = lstm(x, w, u)\n",
     "weights [24, 4] [24, 8] for lstm of `x`", "w_ih[4 * H, I]"},
    {"UC1274",
     "input x: f32[5, 3, 4]\nparam w: f32[8, 4]\nparam u: f32[8, 8]\ny, h = rnn(x, w, u, layers=2)\n",
     "weights [8, 4] [8, 8]", "`layers=`"},
    {"UC1275", "input x: f32[5, 4]\nparam w: f32[8, 4]\nparam u: f32[8, 8]\ny, h = rnn(x, w, u)\n",
     "`rnn` over `x` of [5, 4]", "`unsqueeze(x, 1)`"},
    {"UC1275",
     "input x: f32[5, 3, 4]\ninput s: f32[3, 8]\nparam w: f32[24, 4]\nparam u: f32[24, 8]\ny, h = gru(x, w, "
     "u, "
     "h0=s)\n",
     "`h0` is `s` of [3, 8] for states of [1, 3, 8]", "[layers * directions, batch, H]"},
    {"UC1276", "input a: f16[12, 8]\ninput b: f16[3, 8, 5]\ninput e: i32[4]\ny = grouped_gemm(a, b, e)\n",
     "`grouped_gemm` of `a` of [12, 8], `b` of [3, 8, 5] and `e` of [4] i32", "offsets i32[G]"},
};

class TypeDiag : public testing::TestWithParam<Case> {};

TEST_P(TypeDiag, IsRaisedAloneAndTeaches) {
  const Case& row = GetParam();
  const std::string source = "target sm_90a\n" + std::string(row.body) + "return y\n";
  DiagSink diags;
  resolve(catalog(), parse(source, diags), diags);
  ASSERT_EQ(diags.error_count(), 1U) << render_text(diags.sorted(), source, "case.uc");
  const Diag& diag = diags.diags()[0];
  EXPECT_EQ(diag.id, row.id);
  EXPECT_THAT(diag.message, testing::HasSubstr(row.message));
  EXPECT_THAT(diag.help, testing::HasSubstr(row.help));
}

INSTANTIATE_TEST_SUITE_P(Ops, TypeDiag, testing::ValuesIn(kCases));

TEST(TypeDiags, OperandCountIsCheckedForBuilders) {
  Program program;
  DiagSink diags;
  ProgramBuilder builder(catalog(), program, diags);
  const ValueId x = builder.declare(ValueKind::input, "x", DType::f32, {4}, {1});
  EXPECT_FALSE(builder.op(*catalog().op("add"), {x}, {}).has_value());
  ASSERT_EQ(diags.error_count(), 1U);
  EXPECT_EQ(diags.diags()[0].id, "UC1202");
}

TEST(TypeDiags, EveryIdHasACase) {
  std::set<std::string_view> reached{"UC1202"};
  for (const Case& row : kCases) reached.insert(row.id);
  std::set<std::string_view> ids;
  for (const DiagKind& kind : type_diag_kinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id << " twice";
    EXPECT_TRUE(reached.contains(kind.id)) << kind.id << " " << kind.slug;
    EXPECT_EQ(kind.id.substr(0, 4), "UC12");
    EXPECT_FALSE(kind.summary.empty());
  }
}

}  // namespace
}  // namespace uc
