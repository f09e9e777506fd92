// What every operator has to compute and to read, counted by hand: bounds are made of it, so it must not be
// more than a kernel needs. Each line says how its numbers come about.
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "catalog/builtin.h"
#include "check/resolve.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Case {
  const char* op;
  const char* program;  ///< below the common declarations; its last step is what is counted
  double dense = 0;     ///< FLOPs, 2 a multiply-add
  double minimum = 0;
  double fma = 0;
  double special = 0;
  double integer = 0;
  std::optional<double> reads = {};  ///< elements of the first operand, where fewer than all can be
};

// x and t: f32[8, 16, 4], 512 elements; n: i64 of the same; i: i64[8, 4]; g, m: f32[4], f32[16].
constexpr const char* kGiven =
    "target sm_90a\nprecision tf32\ninput x: f32[8, 16, 4]\ninput t: f32[8, 16, 4]\ninput n: i64[8, 16, 4]\n"
    "input i: i64[8, 4]\nparam g: f32[4]\nparam m: f32[16]\n";

const Case kCases[] = {
    // ---- products
    // 2 x 4 x 16 x 8
    {"gemm", "input a: f32[4, 8]\ninput b: f32[8, 16]\ny = gemm(a, b)\n", 1024, 1024},
    // three products of 2 x 4 x 16 x 8, all the same
    {"gemm",
     "input a: f32[4, 8]\ninput b: f32[8, 16]\np = expand(a, [3, 4, 8])\nq = expand(b, [3, 8, 16])\n"
     "y = gemm(p, q)\n",
     3072, 1024},
    // 2 x 4^3 = 128 dense. Lower times lower: element (i, j) sums k from j to i: 4 x 5 x 6 / 6 = 20 MACs.
    {"gemm", "input a: f32[4, 4] @lower\ninput b: f32[4, 4] @lower\ny = gemm(a, b)\n", 128, 40},
    // the same with b given as the transpose of an upper one
    {"gemm", "input a: f32[4, 4] @lower\ninput b: f32[4, 4] @upper\ny = gemm(a, transpose(b))\n", 128, 40},
    // diagonal times full: one MAC an element
    {"gemm", "input a: f32[4, 4] @diag\ninput b: f32[4, 4]\ny = gemm(a, b)\n", 128, 32},
    // what tril leaves, behind what makes 0 of 0: 4 x 5 / 2 of 16 elements, each met by 8 columns
    {"gemm", "input a: f32[4, 4]\ninput b: f32[4, 8]\ncut = tril(a)\nkept = relu(cut)\ny = gemm(kept, b)\n",
     256, 160},
    {"gemm",
     "input a: f32[4, 4]\ninput b: f32[4, 8]\ncut = triu(a)\nkept = cut * 2.0\ny = gemm(transpose(kept), "
     "b)\n",
     256, 160},
    // a diagonal more: 2 + 3 + 4 + 4 elements of 4 rows, each met by 8 columns
    {"gemm", "input a: f32[4, 4]\ninput b: f32[4, 8]\ncut = tril(a, 1)\ny = gemm(cut, b)\n", 256, 208},
    // exp(0) = 1
    {"gemm", "input a: f32[4, 4]\ninput b: f32[4, 8]\ncut = tril(a)\nkept = exp(cut)\ny = gemm(kept, b)\n",
     256, 256},
    // a triangle that is not square: 1 + 2 + 3 + 4 elements, each met by 4 columns
    {"gemm", "input a: f32[4, 8]\ninput b: f32[8, 4]\ncut = tril(a)\ny = gemm(cut, b)\n", 256, 80},
    // its first two rows: 1 + 2 elements
    {"gemm",
     "input a: f32[4, 4]\ninput b: f32[4, 8]\ncut = tril(a)\nrows = slice(cut, 0, start=0, end=2)\n"
     "y = gemm(rows, b)\n",
     128, 48},
    // a times its own transpose: 4 x 5 / 2 of 16 elements, 8 MACs each
    {"gemm", "input a: f32[4, 8]\ny = gemm(a, transpose(a))\n", 256, 160},
    // 2 x 3 x 5 x 7; W's rows against x's
    {"linear", "input a: f32[3, 7]\nparam W: f32[5, 7]\ny = linear(a, W)\n", 210, 210},
    // all rows of a are equal: one of three
    {"linear", "input a: f32[1, 7]\nparam W: f32[5, 7]\nw = expand(a, [3, 7])\ny = linear(w, W)\n", 210, 70},
    // 2 x 96 rows x 64 x 32, whichever matrix a row meets
    {"grouped_gemm",
     "input a: bf16[96, 64]\nparam B: bf16[4, 64, 32]\ninput ends: i32[4]\ny = grouped_gemm(a, B, ends)\n",
     393216, 393216},

    // ---- convolutions
    // span 2 x 2 + 1 = 5, so 6 results: 2 x (4 x 6) x 2 channels x 3 taps
    {"conv1d", "input a: f32[1, 2, 10]\nparam W: f32[4, 2, 3]\ny = conv1d(a, W, dilation=2)\n", 288, 288, 0,
     0, 0, 20},
    // 8 x 8 results of 8 channels, 4 x 9 taps: 2 x 512 x 36. Along a dimension 7 + 8 + 7 of 24 taps are
    // inside.
    {"conv2d", "input a: f32[1, 4, 8, 8]\nparam W: f32[8, 4, 3, 3]\ny = conv2d(a, W, padding=1)\n", 36864,
     36864 * 22.0 * 22 / (24 * 24), 0, 0, 0, 256},
    // 1 x 1 with stride 2: 4 x 4 results, and a quarter of the input is read
    {"conv2d", "input a: f32[1, 4, 8, 8]\nparam W: f32[8, 4, 1, 1]\ny = conv2d(a, W, stride=2)\n", 1024, 1024,
     0, 0, 0, 64},
    // depthwise: 2 x 2 x 2 results of 4 channels, 27 taps of one channel each
    {"conv3d", "input a: f32[1, 4, 4, 4, 4]\nparam W: f32[4, 1, 3, 3, 3]\ny = conv3d(a, W, groups=4)\n", 1728,
     1728, 0, 0, 0, 256},
    // 5 elements of 2 channels give 2 taps of 3 channels each: no inserted zero is multiplied
    {"conv_transpose1d",
     "input a: f32[1, 2, 5]\nparam W: f32[2, 3, 2]\ny = conv_transpose1d(a, W, stride=2)\n", 120, 120},
    // 4 x 4 of 8 channels, 4 x 9 taps; padding cuts the result to 7: 3 + 4 + 3 of 12 a dimension remain
    {"conv_transpose2d",
     "input a: f32[1, 8, 4, 4]\nparam W: f32[8, 4, 3, 3]\ny = conv_transpose2d(a, W, stride=2, padding=1)\n",
     9216, 6400},
    // 8 elements of 2 channels, 3 x 8 taps
    {"conv_transpose3d",
     "input a: f32[1, 2, 2, 2, 2]\nparam W: f32[2, 3, 2, 2, 2]\ny = conv_transpose3d(a, W, stride=2)\n", 768,
     768},

    // ---- attention: 2 heads, 4 x 4 pairs, 8 features: 32 pairs
    // 2 x 32 x (8 + 8); a scale, and maximum, difference and sum a score; an exponential
    {"attention", "input q: f32[1, 2, 4, 8]\ny = attention(q, q, q)\n", 1024, 1024, 128, 32},
    // queries see 1 + 2 + 3 + 4 keys: 20 of 32 pairs
    {"attention", "input q: f32[1, 2, 4, 8]\ny = attention(q, q, q, causal=true)\n", 1024, 640, 80, 20},
    // 6 queries of 4 keys: 1 + 2 + 3 + 4 + 4 + 4 = 18 of 24 pairs, twice
    {"attention", "input q: f32[1, 2, 6, 8]\ninput k: f32[1, 2, 4, 8]\ny = attention(q, k, k, causal=true)\n",
     1536, 1152, 144, 36},
    // its scores are made by `attention_scores`
    {"attention", "input q: f32[1, 2, 4, 8]\ny = attention(q, q, q, score=it * 2)\n", 512, 512, 96, 32},

    // ---- recurrent: 3 steps of a batch of 2, 4 features, 5 units; without a state the first step has no U h
    // 2 x 6 x 5 units x 4 gates x (4 + 5); less 2 x 2 x 5 x 4 x 5. A sum a gate; 3 sigmoids and 2 tanhs.
    {"lstm", "input s: f32[3, 2, 4]\nparam w: f32[20, 4]\nparam u: f32[20, 5]\ny, h, c = lstm(s, w, u)\n",
     2160, 1760, 120, 150},
    // two layers: the second reads 5 units: 2 x 30 x 4 x (5 + 5) more, less as much again
    {"lstm",
     "input s: f32[3, 2, 4]\nparam w: f32[20, 4]\nparam u: f32[20, 5]\nparam w1: f32[20, 5]\n"
     "param u1: f32[20, 5]\ny, h, c = lstm(s, w, u, w1, u1, layers=2)\n",
     4560, 3760, 240, 300},
    // a given state: nothing is zero
    {"lstm",
     "input s: f32[3, 2, 4]\ninput h0: f32[1, 2, 5]\ninput c0: f32[1, 2, 5]\nparam w: f32[20, 4]\n"
     "param u: f32[20, 5]\ny, h, c = lstm(s, w, u, h0=h0, c0=c0)\n",
     2160, 2160, 120, 150},
    // 3 gates: 2 x 30 x 3 x 9, less 2 x 10 x 3 x 5
    {"gru", "input s: f32[3, 2, 4]\nparam w: f32[15, 4]\nparam u: f32[15, 5]\ny, h = gru(s, w, u)\n", 1620,
     1320, 90, 90},
    // one: 2 x 30 x 9, less 2 x 10 x 5
    {"rnn", "input s: f32[3, 2, 4]\nparam w: f32[5, 4]\nparam u: f32[5, 5]\ny, h = rnn(s, w, u)\n", 540, 440,
     30, 30},
    // relu is no special function
    {"rnn",
     "input s: f32[3, 2, 4]\nparam w: f32[5, 4]\nparam u: f32[5, 5]\ny, h = rnn(s, w, u, "
     "nonlinearity=relu)\n",
     540, 440, 30, 0},

    // ---- reductions: an addition (comparison) an element
    {"sum", "y = sum(x, dim=1)\n", 0, 0, 512},
    {"sum", "y = sum(n, dim=1)\n", 0, 0, 0, 0, 512},  // of integers: integer instructions
    {"mean", "y = mean(x, dim=[0, 2])\n", 0, 0, 512 + 16},
    {"prod", "y = prod(x, dim=1)\n", 0, 0, 512},
    {"max", "y = max(x, dim=1)\n", 0, 0, 512},
    {"min", "y = min(x, dim=1)\n", 0, 0, 512},
    {"argmax", "y = argmax(x, dim=2)\n", 0, 0, 2 * 512},  // which, and where
    {"argmin", "y = argmin(x, dim=2)\n", 0, 0, 2 * 512},
    {"any", "y = any(x > 0, dim=2)\n", 0, 0, 0, 0, 512},
    {"all", "y = all(x > 0, dim=2)\n", 0, 0, 0, 0, 512},
    {"count_nonzero", "y = count_nonzero(x, dim=2)\n", 0, 0, 512},
    {"cumsum", "y = cumsum(x, dim=0)\n", 0, 0, 512},
    {"cumprod", "y = cumprod(x, dim=0)\n", 0, 0, 512},
    // 8 x 16 rows of 4: a square root each
    {"norm1", "y = norm1(x, dim=2)\n", 0, 0, 512},
    {"norm2", "y = norm2(x, dim=2)\n", 0, 0, 512 + 128, 128},
    {"logsumexp", "y = logsumexp(x, dim=2)\n", 0, 0, 3 * 512 + 2 * 128, 512 + 128},
    {"var", "y = var(x, dim=2)\n", 0, 0, 2 * 512 + 3 * 128},
    {"mean_var", "p, y = mean_var(x, dim=2)\n", 0, 0, 2 * 512 + 2 * 2 * 128},

    // ---- rows that come back whole
    {"softmax", "y = softmax(x, dim=1)\n", 0, 0, 4 * 512, 512},  // maximum, difference, sum, quotient; exp
    {"log_softmax", "y = log_softmax(x, dim=1)\n", 0, 0, 4 * 512, 512},
    {"l1_normalize", "y = l1_normalize(x, dim=1)\n", 0, 0, 2 * 512},
    {"l2_normalize", "y = l2_normalize(x, dim=1)\n", 0, 0, 2 * 512},
    {"layer_norm", "y = layer_norm(x)\n", 0, 0, 3 * 512},  // sum, sum of squares, application
    {"layer_norm", "y = layer_norm(x, g)\n", 0, 0, 4 * 512},
    {"rms_norm", "y = rms_norm(x, g)\n", 0, 0, 3 * 512},
    {"group_norm", "y = group_norm(x, 4)\n", 0, 0, 3 * 512},
    {"instance_norm", "y = instance_norm(x)\n", 0, 0, 3 * 512},
    {"batch_norm", "y = batch_norm(x, m)\n", 0, 0, 4 * 512},
    {"batch_norm", "y = batch_norm(x, mean=m, var=m)\n", 0, 0, 512},  // given statistics: applied only

    // ---- losses
    {"mse", "y = mse(x, t)\n", 0, 0, 2 * 512},
    {"huber", "y = huber(x, t)\n", 0, 0, 4 * 512},
    {"smooth_l1", "y = smooth_l1(x, t)\n", 0, 0, 4 * 512},
    {"hinge", "y = hinge(x, t)\n", 0, 0, 2 * 512},
    {"kl_div", "y = kl_div(x, t)\n", 0, 0, 2 * 512, 512},
    {"cross_entropy", "y = cross_entropy(x, i)\n", 0, 0, 3 * 512 + 32, 512 + 32},  // 8 x 4 samples of 16

    // ---- pools: an element that is read counts once, however many windows it is in
    {"max_pool1d", "y = max_pool1d(x, 2)\n", 0, 0, 512},
    // windows of 1, 2 apart: 2 of 4 elements
    {"max_pool1d", "y = max_pool1d(x, 1, stride=2)\n", 0, 0, 256, 0, 0, 256},
    {"max_pool2d", "input a: f32[1, 2, 8, 8]\ny = max_pool2d(a, 3, stride=1)\n", 0, 0, 128},
    // windows of 2, 3 apart: 6 of 8 elements of either dimension
    {"max_pool2d", "input a: f32[1, 2, 8, 8]\ny = max_pool2d(a, 2, stride=3)\n", 0, 0, 72, 0, 0, 72},
    {"max_pool3d", "input a: f32[1, 2, 4, 4, 4]\ny = max_pool3d(a, 2)\n", 0, 0, 128},
    {"avg_pool1d", "y = avg_pool1d(x, 2)\n", 0, 0, 512},
    {"avg_pool2d", "input a: f32[1, 2, 8, 8]\ny = avg_pool2d(a, 4)\n", 0, 0, 128},
    {"avg_pool3d", "input a: f32[1, 2, 4, 4, 4]\ny = avg_pool3d(a, 2)\n", 0, 0, 128},

    // ---- what only moves
    {"concat", "y = concat(x, t)\n"},
    {"pad", "y = pad(x, [1, 1])\n"},
    {"roll", "y = roll(x, 1, dims=0)\n"},
    // One row if all indexes are equal; those of an arange are not. 32 elements of 512.
    {"embedding", "input W: f32[100, 8]\ninput at: i64[10]\ny = embedding(W, at)\n", 0, 0, 0, 0, 0, 8},
    {"embedding", "input W: f32[100, 8]\ny = embedding(W, arange(10))\n", 0, 0, 0, 0, 0, 80},
    {"embedding", "input W: f32[3, 8]\ninput at: i64[10]\ny = embedding(W, at)\n", 0, 0, 0, 0, 0, 8},
    {"gather", "input at: i64[8, 1, 4]\ny = gather(x, at, dim=1)\n", 0, 0, 0, 0, 0, 32},
};

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

TEST(OpWork, IsWhatAHandCounts) {
  for (const Case& each : kCases) {
    DiagSink diags;
    const Program program =
        resolve(catalog(), parse(std::string(kGiven) + each.program + "return y\n", diags), diags);
    for (const Diag& diag : diags.diags()) ADD_FAILURE() << each.program << diag.message;
    if (diags.has_errors()) continue;
    const Op& op = program[program.steps.back().main];
    ASSERT_EQ(op.spec->name, each.op) << each.program;
    ASSERT_NE(op.spec->work, nullptr) << each.program;
    const Work work = op.spec->work(program, op);
    EXPECT_EQ(work.tensor_flops, each.dense) << each.program;
    EXPECT_NEAR(work.minimum_flops.value_or(work.tensor_flops), each.minimum, 1e-6) << each.program;
    EXPECT_EQ(work.reduced_by != nullptr, each.minimum < each.dense) << each.program;
    EXPECT_EQ(work.fma_ops, each.fma) << each.program;
    EXPECT_EQ(work.special_ops, each.special) << each.program;
    EXPECT_EQ(work.integer_ops, each.integer) << each.program;
    if (!each.reads) continue;
    ASSERT_NE(op.spec->needs, nullptr) << each.program;
    const Part all = Part::whole(program[op.out[0]].shape);
    EXPECT_NEAR(op.spec->needs(program, op, 0, 0, all).elements(), *each.reads, 1e-9 * *each.reads)
        << each.program;
  }
}

// Whatever computes says what: a row of its own above, a scalar expression, or the reason why not.
TEST(OpWork, EveryRowIsCounted) {
  std::set<std::string_view> held;
  for (const Case& each : kCases) held.insert(each.op);
  // Counted elsewhere: by the test of their own below, or of the rows that they are made like.
  held.insert({"attention_scores", "row_reduce", "col_reduce", "triplet_margin", "cosine"});
  for (const OpSpec* spec : catalog().ops()) {
    if (spec->is_view() || spec->is_pointwise() || spec->family == "bounds") continue;
    if (spec->name == "cuda" || spec->name == "opaque") continue;  // bytes only, and reported as such
    if (spec->name.starts_with("adaptive_")) continue;             // below
    EXPECT_NE(spec->work, nullptr) << spec->name;
    EXPECT_TRUE(held.contains(spec->name)) << spec->name << " has no line above";
  }
}

Work last_work(const std::string& text, std::string_view name) {
  DiagSink diags;
  const Program program = resolve(catalog(), parse(std::string(kGiven) + text, diags), diags);
  for (const Diag& diag : diags.diags()) ADD_FAILURE() << text << diag.message;
  for (const Op& op : program.ops) {
    if (op.spec->name == name) return op.spec->work(program, op);
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(OpWork, OperatorsThatStandInOthers) {
  // 32 pairs of 8 features, and a scale each.
  const Work scores = last_work("input q: f32[1, 2, 4, 8]\ny = attention(q, q, q, score=it * 2)\nreturn y\n",
                                "attention_scores");
  EXPECT_EQ(scores.tensor_flops, 512);
  EXPECT_EQ(scores.fma_ops, 32);
  // 4 rows of 16 columns: an addition an element, and one a result.
  const std::string product = "input a: f32[4, 8]\ninput b: f32[8, 16]\ny = gemm(a, b) >> ";
  EXPECT_EQ(last_work(product + "row_reduce()\nreturn y\n", "row_reduce").fma_ops, 64 + 4);
  EXPECT_EQ(last_work(product + "col_reduce()\nreturn y\n", "col_reduce").fma_ops, 64 + 16);
  // Every element of a global pool is added once.
  EXPECT_EQ(last_work("y = adaptive_avg_pool(x)\nreturn y\n", "adaptive_avg_pool").fma_ops, 512);
  // Rows of 4: a, p and n are read (cosine: two and two norms); roots and quotients a row.
  EXPECT_GE(last_work("y = cosine(x, t, dim=2)\nreturn y\n", "cosine").fma_ops, 1024);
}

}  // namespace
}  // namespace uc
