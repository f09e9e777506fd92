#include <gmock/gmock.h>

#include "rewrites/testing.h"

namespace uc::rewrites {
namespace {

using namespace testing;

constexpr const char* kHead =
    "target sm_90a\nprecision tf32\n\ninput x: f32[64, 32]\nparam W: f32[48, 32]\nparam b: f32[48]\n\n";

std::string text(const Program& of) { return print(catalog(), of); }
std::string with(const std::string& steps) { return kHead + steps; }
std::string canonical(const std::string& of) { return text(program(of)); }

void expect(std::string_view id, const std::string& before, const std::string& after,
            Precision allowed = Precision::f16) {
  EXPECT_EQ(text(exhaust(id, program(before), allowed)), canonical(after)) << id;
}

TEST(Rewrites, EveryRowSaysWhatItIs) {
  ASSERT_GE(catalog().rewrites().size(), 11U);
  for (const RewriteSpec* each : catalog().rewrites()) {
    EXPECT_FALSE(each->summary.empty());
    EXPECT_NE(each->find, nullptr);
    EXPECT_NE(each->apply, nullptr);
    EXPECT_GE(each->implementation_risk, 1);
    EXPECT_LE(each->performance_risk, 5);
  }
}

TEST(FuseEpilogue, TakesAWholeChainIn) {
  expect("fuse-epilogue", with("t = linear(x, W)\nu = t + b\ny = relu(u)\nreturn y\n"),
         with("y = linear(x, W) >> add(b) >> relu()\nreturn y\n"));
}

TEST(FuseEpilogue, SwapsWhatCommutesAndMapsTheRest) {
  expect("fuse-epilogue", with("t = linear(x, W)\nu = b + t\ny = b - u\nreturn y\n"),
         with("y = linear(x, W) >> add(b) >> map(b - it)\nreturn y\n"));
}

TEST(FuseEpilogue, UsesTheRunningValueTwice) {
  const Program merged =
      exhaust("merge-pointwise", program(with("t = linear(x, W)\ns = sigmoid(t)\ny = t * s\nreturn y\n")));
  EXPECT_EQ(text(exhaust("fuse-epilogue", merged)),
            canonical(with("y = linear(x, W) >> map(sigmoid(it) * it)\nreturn y\n")));
}

TEST(FuseEpilogue, LeavesWhatOthersReadOrCallersGet) {
  for (const char* steps : {"t = linear(x, W)\ny = relu(t)\nreturn t, y\n",
                            "t = linear(x, W)\ny = relu(t)\nz = t + 1.0\nreturn y, z\n"}) {
    EXPECT_TRUE(row("fuse-epilogue").find(program(with(steps)), context(Precision::f16)).empty()) << steps;
  }
}

TEST(FuseEpilogue, DoesNotBroadcastTheRunningValue) {
  const Program one = program(
      "target sm_90a\nprecision tf32\ninput x: f32[1, 32]\nparam W: f32[48, 32]\ninput r: f32[64, 48]\n"
      "t = linear(x, W)\ny = t + r\nreturn y\n");
  EXPECT_TRUE(row("fuse-epilogue").find(one, context(Precision::f16)).empty());
}

TEST(FuseEpilogue, KeepsTheRoundingOfMemory) {
  const std::string before =
      "target sm_90a\ninput x: f16[64, 32]\nparam W: f16[48, 32]\nt = linear(x, W)\ny = to(t, f32) * "
      "3.0\nreturn y\n";
  const Program fused = exhaust("fuse-epilogue", program(before));
  EXPECT_EQ(fused.steps.size(), 1U);
  EXPECT_THAT(text(fused), ::testing::HasSubstr(">> to(f16)"));
  EXPECT_EQ(distance(run(fused, 1), run(program(before), 1)), 0);
}

TEST(FuseEpilogue, MovesTheProducerDownToWhatItNeeds) {
  expect("fuse-epilogue", with("t = linear(x, W)\nc = tanh(b) * 2.0\ny = t + c\nreturn y\n"),
         with("c = tanh(b) * 2.0\ny = linear(x, W) >> add(c)\nreturn y\n"));
}

TEST(MergePointwise, JoinsChains) {
  expect("merge-pointwise", with("t = relu(x)\nu = t * 2.0\ny = tanh(u)\nreturn y\n"),
         with("y = relu(x) >> mul(2.0) >> tanh()\nreturn y\n"));
}

TEST(UseTf32, RaisesTheHeaderWithinTheLicence) {
  const std::string strict =
      "target sm_90a\nprecision strict\ninput x: f32[64, 32]\nparam W: f32[48, 32]\ny = linear(x, W)\nreturn "
      "y\n";
  EXPECT_TRUE(row("use-tf32").find(program(strict), context(Precision::strict)).empty());
  EXPECT_EQ(exhaust("use-tf32", program(strict), Precision::tf32).precision, Precision::tf32);
}

TEST(LowerPrecision, ConvertsOperandsAndKeepsTypes) {
  expect("lower-precision", with("y = linear(x, W) >> add(b) >> relu()\nreturn y\n"),
         "target sm_90a\nprecision f16\n\ninput x: f32[64, 32]\nparam W: f32[48, 32]\nparam b: f32[48]\n\n"
         "W_h = to(W, f16)\nx_h = to(x, f16)\ny = linear(x_h, W_h) >> add(b) >> relu()\nreturn y\n");
  expect("lower-precision", with("y = linear(x, W) >> relu()\nreturn y\n"),
         "target sm_90a\nprecision bf16\n\ninput x: f32[64, 32]\nparam W: f32[48, 32]\nparam b: f32[48]\n\n"
         "W_b = to(W, bf16)\nx_b = to(x, bf16)\ny = linear(x_b, W_b) >> relu() >> to(f32)\nreturn y\n",
         Precision::bf16);
}

TEST(LowerPrecision, StaysWithinTheLicence) {
  const Program of = program(with("y = linear(x, W)\nreturn y\n"));
  EXPECT_TRUE(row("lower-precision").find(of, context(Precision::tf32)).empty());
  EXPECT_TRUE(row("lower-precision").find(of, context(Precision::strict)).empty());
}

TEST(LowerPrecision, ConvertsWhereOperandsAreLaidOutAnew) {
  const std::string head =
      "target sm_90a\nprecision tf32\ninput x: f32[2, 8, 6, 6]\nparam W: f32[4, 8, 3, 3]\n";
  expect("lower-precision", head + "xc = to(x, nhwc)\nwc = to(W, nhwc)\ny = conv2d(xc, wc)\nreturn y\n",
         "target sm_90a\nprecision f16\ninput x: f32[2, 8, 6, 6]\nparam W: f32[4, 8, 3, 3]\n"
         "xc = to(x, f16, nhwc)\nwc = to(W, f16, nhwc)\ny = conv2d(xc, wc) >> to(f32)\nreturn y\n");
  // Another step reads what was laid out: it stays as it was.
  const Program both =
      exhaust("lower-precision", program(head + "xc = to(x, nhwc)\nwc = to(W, nhwc)\ny = conv2d(xc, wc)\n"
                                                "z = relu(xc)\nreturn y, z\n"));
  EXPECT_THAT(text(both), ::testing::HasSubstr("xc = to(x, nhwc)\n"));
  EXPECT_THAT(text(both), ::testing::HasSubstr("xc_h = to(xc, f16)\n"));
}

TEST(LowerPrecision, ConvertsWhatAttentionMultipliesButNoMask) {
  const std::string head =
      "target sm_90a\nprecision tf32\ninput q: f32[2, 4, 48, 32]\ninput k: f32[2, 4, 64, 32]\n"
      "input v: f32[2, 4, 64, 16]\ninput m: bool[48, 64]\n";
  const std::string after = "q_h, k_h, v_h = to(q, k, v, f16)\n";
  std::string half = head;
  half.replace(half.find("tf32"), 4, "f16");
  expect("lower-precision", head + "o = attention(q, k, v, mask=m) >> relu()\nreturn o\n",
         half + after + "o = attention(q_h, k_h, v_h, mask=m) >> relu() >> to(f32)\nreturn o\n");
  const Program scored = program(head + "o = attention(q, k, v, score=it * 2.0)\nreturn o\n");
  EXPECT_TRUE(row("lower-precision").find(scored, context(Precision::f16)).empty());
}

TEST(AttentionAsProducts, WritesSoftmaxAttentionOut) {
  const std::string head =
      "target sm_90a\nprecision tf32\ninput q: f32[1, 2, 24, 288]\ninput k: f32[1, 2, 32, 288]\n"
      "input v: f32[1, 2, 32, 64]\n";
  expect("attention-as-products", head + "o = attention(q, k, v, scale=0.25) >> relu()\nreturn o\n",
         head +
             "s = gemm(q, transpose(k)) >> mul(0.25)\np = softmax(s, dim=3)\no = gemm(p, v) >> "
             "relu()\nreturn o\n");
  const Program of = program(head + "o = attention(q, k, v)\nreturn o\n");
  EXPECT_LT(distance(run(of, 7), run(exhaust("attention-as-products", of), 7)), 1e-3);
  for (const char* kept : {"attention(q, k, v, causal=true)", "attention(q, k, v, norm=none)",
                           "attention(q, k, v, score=relu(it))"}) {
    const Program other = program(head + "o = " + kept + "\nreturn o\n");
    EXPECT_TRUE(row("attention-as-products").find(other, context(Precision::f16)).empty()) << kept;
  }
}

TEST(LowerPrecision, ConvertsOnceWhatTwoRead) {
  const Program out =
      exhaust("lower-precision",
              program(with("p = linear(x, W)\nq = linear(x, W) >> relu()\ny = p * q\nreturn y\n")));
  EXPECT_EQ(out.steps.size(), 5U) << text(out);
}

TEST(LowerPrecision, TwoInputsShareALaunch) {
  const Program out =
      exhaust("lower-precision", program("target sm_90a\nprecision tf32\ninput A: f32[64, 32]\ninput B: "
                                         "f32[32, 48]\nC = gemm(A, B)\nreturn C\n"));
  EXPECT_EQ(out.steps.size(), 2U) << text(out);
}

TEST(Prepack, TakesConversionsOfWeights) {
  expect("prepack",
         "target sm_90a\nprecision f16\ninput x: f32[64, 32]\nparam W: f32[48, 32]\nxh = to(x, f16)\nWh = "
         "to(W, f16)\ny = linear(xh, Wh) >> to(f32)\nreturn y\n",
         "target sm_90a\nprecision f16\ninput x: f32[64, 32]\nparam W: f32[48, 32]\nxh = to(x, f16)\nWh = "
         "prepack(to(W, f16))\ny = linear(xh, Wh) >> to(f32)\nreturn y\n");
}

TEST(Prepack, LeavesWhatDependsOnInputs) {
  EXPECT_TRUE(row("prepack").find(program(with("c = x * 2.0\nreturn c\n")), context(Precision::f16)).empty());
}

TEST(KMajor, CopiesOperandsThatRunAcrossK) {
  const std::string before =
      "target sm_90a\nprecision tf32\ninput A: f32[64, 32]\ninput B: f32[32, 48]\nC = gemm(A, B)\nreturn C\n";
  expect("k-major", before,
         "target sm_90a\nprecision tf32\ninput A: f32[64, 32]\ninput B: f32[32, 48]\nB_k = to(B, col)\nC = "
         "gemm(A, B_k)\nreturn C\n");
  const Program out = exhaust("k-major", program("target sm_90a\nprecision tf32\ninput A: f32[32, 64]\ninput "
                                                 "B: f32[32, 48]\nC = gemm(transpose(A), B)\nreturn C\n"));
  EXPECT_EQ(out.steps.size(), 3U) << text(out);
}

TEST(LowerPrecision, TakesViewsAlong) {
  expect("lower-precision",
         "target sm_90a\nprecision tf32\ninput A: f32[32, 64]\ninput B: f32[48, 32]\nC = gemm(transpose(A), "
         "transpose(B))\nreturn C\n",
         "target sm_90a\nprecision f16\ninput A: f32[32, 64]\ninput B: f32[48, 32]\nt_h, t_h_2 = "
         "to(transpose(A), transpose(B), f16)\nC = gemm(t_h, t_h_2) >> to(f32)\nreturn C\n");
}

TEST(MergeConversions, ConvertsInOneLaunch) {
  expect("merge-conversions",
         "target sm_90a\nprecision f16\ninput A: f32[64, 32]\ninput B: f32[32, 48]\na = to(A, f16)\nc = "
         "to(B, f16)\nC = gemm(a, c)\nreturn C\n",
         "target sm_90a\nprecision f16\ninput A: f32[64, 32]\ninput B: f32[32, 48]\na, c = to(A, B, f16)\nC "
         "= gemm(a, c)\nreturn C\n");
}

TEST(DropRounding, GoesOnUnrounded) {
  expect("drop-rounding",
         "target sm_90a\ninput x: f16[64, 32]\nparam W: f16[48, 32]\ny = linear(x, W) >> to(f16) >> relu() "
         ">> to(f32)\nreturn y\n",
         "target sm_90a\ninput x: f16[64, 32]\nparam W: f16[48, 32]\ny = linear(x, W) >> relu() >> "
         "to(f32)\nreturn y\n");
}

TEST(FoldLiterals, MultipliesThem) {
  expect("fold-literals", with("y = linear(x, W) >> mul(2.0) >> mul(3.0) >> div(4.0)\nreturn y\n"),
         with("y = linear(x, W) >> mul(1.5)\nreturn y\n"));
  expect("fold-literals", with("y = linear(x, W) >> add(2.0) >> sub(0.5)\nreturn y\n"),
         with("y = linear(x, W) >> add(1.5)\nreturn y\n"));
  expect("fold-literals", with("y = linear(x, W) >> map(it * 0.5 + it)\nreturn y\n"),
         with("y = linear(x, W) >> mul(1.5)\nreturn y\n"));
}

TEST(FoldLiterals, LeavesMixedForms) {
  EXPECT_TRUE(row("fold-literals")
                  .find(program(with("y = linear(x, W) >> mul(2.0) >> add(3.0)\nreturn y\n")),
                        context(Precision::f16))
                  .empty());
}

TEST(DropIdentity, KnowsWhatIsWithinBounds) {
  expect("drop-identity",
         with("y = linear(x, W) >> clamp(-1.0, 1.0) >> tanh() >> clamp(-1.0, 1.0)\nreturn y\n"),
         with("y = linear(x, W) >> clamp(-1.0, 1.0) >> tanh()\nreturn y\n"));
  expect("drop-identity", with("y = linear(x, W) >> tanh() >> gelu() >> hardtanh(-1.0, 1.0)\nreturn y\n"),
         with("y = linear(x, W) >> tanh() >> gelu()\nreturn y\n"));
  expect("drop-identity", with("y = linear(x, W) >> relu() >> relu() >> mul(1.0)\nreturn y\n"),
         with("y = linear(x, W) >> relu()\nreturn y\n"));
}

TEST(DropIdentity, LeavesWhatMatters) {
  for (const char* chain : {"tanh() >> clamp(-0.5, 0.5)", "relu() >> clamp(max=3.0)", "gelu() >> relu()",
                            "tanh() >> mul(2.0) >> hardtanh(-1.0, 1.0)"}) {
    const Program of = program(with(std::string("y = linear(x, W) >> ") + chain + "\nreturn y\n"));
    EXPECT_TRUE(row("drop-identity").find(of, context(Precision::f16)).empty()) << chain;
  }
}

TEST(NameActivation, FindsSiluAndMish) {
  expect("name-activation", with("y = linear(x, W) >> map(it * sigmoid(it))\nreturn y\n"),
         with("y = linear(x, W) >> silu()\nreturn y\n"));
  expect("name-activation", with("y = linear(x, W) >> map(it * tanh(softplus(it)))\nreturn y\n"),
         with("y = linear(x, W) >> mish()\nreturn y\n"));
}

TEST(SetConfig, EveryVariantIsAnotherProgram) {
  const Program of = program(
      "target sm_90a\nprecision f16\ninput x: f16[1024, 1024]\nparam W: f16[2048, 1024]\ny = linear(x, W) >> "
      "relu()\nreturn y\n");
  const auto sites = row("set-config").find(of, context(Precision::f16));
  ASSERT_GE(sites.size(), 8U);
  std::set<std::string> texts;
  for (const Site& site : sites)
    texts.insert(text(settle(row("set-config").apply(of, site, context(Precision::f16)))));
  EXPECT_EQ(texts.size(), sites.size());
}

TEST(TuneConfig, MovesOneKnob) {
  const Program of = program(
      "target sm_90a\nprecision f16\ninput x: f16[1024, 1024]\nparam W: f16[2048, 1024]\n"
      "y = linear(x, W).tile(128x128x64).cluster(2x1).schedule(cooperative) >> relu()\nreturn y\n");
  const auto sites = row("tune-config").find(of, context(Precision::f16));
  ASSERT_GE(sites.size(), 4U);
  for (const Site& site : sites)
    EXPECT_NE(text(settle(row("tune-config").apply(of, site, context(Precision::f16)))), text(of))
        << site.what;
}

}  // namespace
}  // namespace uc::rewrites
