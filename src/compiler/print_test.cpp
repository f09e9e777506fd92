// Programs that were resolved, printed and resolved again are the same, field for field.
#include "syntax/print.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "catalog/builtin.h"
#include "compiler/pipeline.h"
#include "diag/render.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace uc {
namespace {

const Catalog& catalog() {
  static const Catalog rows = builtin_catalog();
  return rows;
}

std::string ids(const auto& list) {
  std::string out;
  for (const auto id : list) out += fmt::format(" {}", id.value);
  return out;
}

std::string text(const AttrValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, DType>) {
          return std::string(name(held));
        } else if constexpr (std::is_same_v<Held, std::vector<int64_t>>) {
          return to_text(held);
        } else if constexpr (std::is_same_v<Held, double>) {
          return fmt::format("double {:a}", held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

// Every field but places in text.
std::string everything(const Program& program) {
  std::string out = fmt::format("{} {} {}\n", program.name, program.target, name(program.precision));
  for (const Value& value : program.values) {
    out += fmt::format("value {} kind {} {} {} {} root {} + {} def {} binding {} [{}] {} {} {:a} {}\n",
                       value.name, static_cast<int>(value.kind), name(value.dtype), to_text(value.shape),
                       to_text(value.stride), value.root.value, value.offset, value.def.value, value.binding,
                       fmt::join(value.structure, " "), value.from_f32, value.params_only, value.literal,
                       value.literal_is_int);
  }
  for (const Op& op : program.ops) {
    out += fmt::format("op {} in{} out{} step {}", op.spec->name, ids(op.in), ids(op.out), op.step.value);
    for (const auto& [key, value] : op.attrs.entries()) {
      if (key == "source_at") continue;  // a place in text
      out += fmt::format(" {}={}", key, text(value));
    }
    out += "\n";
  }
  for (const Step& step : program.steps) {
    out += fmt::format("step phase {} prologue{} main {} results{}", static_cast<int>(step.phase),
                       ids(step.prologue), step.main.value, ids(step.results));
    for (const Step::Call& call : step.chain)
      out += fmt::format(" >>{}{}", call.is_map ? " map" : "", ids(call.ops));
    for (const Knob& knob : step.knobs) {
      out += " ." + knob.name;
      for (const KnobValue& value : knob.settings)
        out += fmt::format(" {}:{}", value.index(), to_text(value));
    }
    out += "\n";
  }
  return out + fmt::format("inputs{} params{} scalars{} results{}\n", ids(program.inputs),
                           ids(program.params), ids(program.scalars), ids(program.results));
}

// Printed text, checked to be canonical and to mean the same.
std::string round_trip(std::string_view source) {
  const Compiled first = resolve_source(catalog(), source);
  EXPECT_TRUE(first.ok()) << render_text(first.diags.sorted(), source, "source");
  if (!first.ok()) return {};
  const std::string printed = print(catalog(), first.program);
  const Compiled second = resolve_source(catalog(), printed);
  EXPECT_TRUE(second.ok()) << render_text(second.diags.sorted(), printed, "printed");
  EXPECT_EQ(everything(first.program), everything(second.program)) << source << "----\n" << printed;
  EXPECT_EQ(print(catalog(), second.program), printed);
  DiagSink diags;
  EXPECT_EQ(format(parse(printed, diags), printed), printed);
  return printed;
}

std::string body(std::string_view steps) {
  const std::string head =
      "target sm_90a\nprecision f16\ninput x: f32[64, 128]\ninput z: f32[128, 256]\ninput r: f32[256, "
      "64]\nparam W: f32[256, 128] = "
      "\"fc.weight\"\n"
      "param b: f32[256]\nscalar s: f32\n\n";
  const std::string printed = round_trip(head + std::string(steps));
  EXPECT_TRUE(printed.substr(0, head.size()) == head) << printed;
  return printed.substr(std::min(head.size(), printed.size()));
}

TEST(Print, CanonicalStepsComeBackAsTheyAre) {
  for (const std::string steps : {
           "y = gemm(x, z)\nreturn y\n", "y = (x * 2 + 0.1) / (x - -3)\nreturn y\n",
           "y = relu(x ** 2 ** x - (x - x)).vector(4).threads(256)\nreturn y\n",
           "y = (-x) ** 2 * -(x + s)\nreturn y\n", "y = where(x < 0.5, x, 1)\nreturn y\n",
           "xh, zh = to(x, z, f16)\n"
           "y = gemm(xh, zh).tile(128x256x64).cluster(2x1).stages(auto) >> mul(0.1) >> to(f32)\nreturn y\n",
           "xh = to(x, f16)\nc, y = linear(xh, prepack(W, f16)) >> bias(b) >> store(f32) >> relu() >> "
           "to(f16)\nreturn c, y\n",
           "y = linear(x, prepack(W + 1)) >> map(it * sigmoid(it)) >> mul(tanh(it)) >> "
           "clamp(min=-1.0)\nreturn y\n",
           "y = linear(x, prepack(transpose(transpose(W)))) >> residual(transpose(r))\nreturn y\n",
           "Wt = prepack(W, f16)\nxh = to(x, f16)\np = linear(xh, Wt)\nq = linear(xh, Wt)\nreturn p, q\n",
           "v = transpose(x)\nw = reshape(x, [64, 2, -1])\ny = relu(v)\nt = relu(w)\nreturn y, t\n",
           "y = x * 1e-30 + 1e30 * x - 1e20 * x + 0.1\nreturn y\n",
           "y = x * 16777216 * 9007199254740992\nreturn y\n",
           "y = sub(0.5, 1e-5) + neg(2) * x\nreturn y\n",  // `0.5 - 1e-5` would be one literal
       }) {
    SCOPED_TRACE(steps);
    EXPECT_EQ(body(steps), steps);
  }
}

TEST(Print, SpellsCanonically) {
  const auto becomes = [](std::string_view written, std::string_view printed) {
    EXPECT_EQ(body(std::string(written) + "\nreturn y\n"), std::string(printed) + "\nreturn y\n");
  };
  becomes("y = add(x, mul(x, 2)) >> gelu(approximate=tanh)", "y = (x + x * 2) >> gelu(tanh)");
  becomes("y = to(x, dtype=f16, layout=col)", "y = to(x, f16, col)");
  becomes("y = x * (1 / 4) + 10 ** 2 - 2 * 3 * x", "y = x * 0.25 + 100 - 6 * x");
  becomes("y = x * 1.50 + 1E-05", "y = x * 1.5 + 1e-5");
  becomes("y = clamp(x, -inf, 6)", "y = clamp(x, min=-inf, max=6)");
  becomes("y = x * (inf + 1) + x * -(2 * inf)", "y = x * inf + x * -inf");
  becomes("y = x * 2 ** 64", "y = x * 18446744073709551616.0");  // beyond 18 digits: a float
}

TEST(Print, DeclarationsKeepEveryAttribute) {
  round_trip(
      "name all\ntarget sm_90a\nparam b: f16[8] = \"layer.0.bias\"\ninput p: f32[2, 3, 4, 5] @nhwc\n"
      "input q: f16[8, 8] @col @lower @positive\ninput r: f32[4, 4] @strides(8, 2)\nscalar s: f32\ninput t: "
      "i64[3, 2, 7] @nwc\n"
      "y = relu(p)\nz = relu(q)\nw = relu(r)\nv = neg(t)\nreturn y, z, w, v\n");
}

TEST(Print, NamesThatLookLikeWordsStayNames) {
  round_trip(
      "target sm_90a\nprecision f16\ninput f16: f32[8, 8]\ninput col: f32[8, 8]\ny = to(f16, dtype=f16, "
      "layout=col)\n"
      "z = to(col, layout=col)\nreturn y, z\n");
}

// ---- what rewrites and the importer make

Program resolved(std::string_view source) {
  Compiled compiled = resolve_source(catalog(), source);
  EXPECT_TRUE(compiled.ok()) << render_text(compiled.diags.sorted(), source, "source");
  return compiled.program;
}

constexpr std::string_view kTwoLinears =
    "target sm_90a\nprecision f16\ninput x: f16[64, 128]\nparam W: f32[256, 128]\n"
    "p = linear(x, prepack(W, f16))\nq = linear(x, prepack(W, f16))\nreturn p, q\n";

TEST(Print, AnUnnamedLoadStepUsedTwiceGetsAName) {
  Program program = resolved(kTwoLinears);
  ASSERT_EQ(program.ops.size(), 4U);
  program.ops[3].in[1] = program.ops[1].in[1];
  const std::string printed = print(catalog(), program);
  EXPECT_THAT(printed, testing::HasSubstr("t = prepack(W, f16)\np = linear(x, t)\n"));
  EXPECT_THAT(printed, testing::HasSubstr("q = linear(x, t)\n"));
  EXPECT_TRUE(resolve_source(catalog(), printed).ok());
}

TEST(Print, NamesBecomeUniqueAndValid) {
  Program program = resolved(kTwoLinears);
  program[program.steps[1].results[0]].name = "layers.0 out";
  program[program.steps[3].results[0]].name = "layers.0 out";
  program[program.inputs[0]].name = "it";
  const std::string printed = print(catalog(), program);
  EXPECT_THAT(printed, testing::HasSubstr("return layers_0_out, layers_0_out_2\n"));
  EXPECT_THAT(printed, testing::HasSubstr("input it_: f16"));
  EXPECT_TRUE(resolve_source(catalog(), printed).ok());
}

TEST(Print, WhatNoTextCanSayIsRejectedLater) {
  Program program = resolved(
      "target sm_90a\ninput x: f32[64, 64]\ny = gemm(x, x) >> relu() >> sigmoid() >> mul(x)\nreturn y\n");
  Op& mul = program.ops.back();
  ASSERT_EQ(mul.spec->name, "mul");
  mul.in[1] = program.ops[0].out[0];  // the accumulator, two calls back
  EXPECT_FALSE(resolve_source(catalog(), print(catalog(), program)).ok());
}

TEST(Print, SharedValuesDoNotExplode) {
  std::string source = "target sm_90a\ninput x: f32[64, 64]\ny = relu(x";
  for (int i = 0; i < 60; ++i) source += " + x";
  Program program = resolved(source + ")\nreturn y\n");
  for (size_t i = 1; i + 1 < program.ops.size(); ++i) program.ops[i].in[1] = program.ops[i].in[0];
  EXPECT_LT(print(catalog(), program).size(), 1'000'000U);
}

TEST(Errors, OfTextAndOfMeaningComeTogetherWithoutNoise) {
  const std::string_view source =
      "target sm_90a\ninput x: f32[64, 64]\ninput w f32[64, 64]\n"  // a colon is missing
      "y = gemm(x, w)\n"                                            // no word about w
      "z = rleu(x)\n"                                               // no such operator
      "a = gemm(y, z[0])\n"                                         // no indexing
      "b = relu(nothing) >> mul(a)\nreturn b\n";                    // no such value, and no word about a, b
  const Compiled compiled = resolve_source(catalog(), source);
  std::vector<std::string> seen;
  for (const Diag& diag : compiled.diags.sorted()) seen.push_back(diag.id);
  EXPECT_EQ(seen, (std::vector<std::string>{"UC1026", "UC1102", "UC1030", "UC1101"}))
      << render_text(compiled.diags.sorted(), source, "source");
}

class Examples : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Examples, ResolveToTheSameProgramWhenPrinted) { round_trip(GetParam()); }

std::vector<std::string_view> examples() {
  std::vector<std::string_view> out;
  for (const OpSpec* spec : catalog().ops())
    out.insert(out.end(), spec->examples.begin(), spec->examples.end());
  for (const RuleSpec* rule : catalog().rules()) {
    for (const std::string_view source : {rule->bad_example, rule->good_example}) {
      if (!source.empty() && resolve_source(catalog(), source).ok()) out.push_back(source);
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Examples, ::testing::ValuesIn(examples()));

}  // namespace
}  // namespace uc
