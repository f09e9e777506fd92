#include "ir/graph.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "ir/json_reader.h"

namespace uc {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// y = clamp(relu(x + b), -1, inf), written by hand. AACAPw== is 1.0f, AAAAQA== is 2.0f.
const char* const kProblem = R"({
"schema": "ucutlass.problem/1", "name": "tiny",
"source": {"sha256": "00", "suite": "KernelBench", "level": 2, "id": 76, "commit": null},
"torch": {"version": "2.11.0", "device": "cpu"},
"flags": {"train": true, "matmul_tf32": false, "cudnn_tf32": true},
"graph": {"tensors": [
  {"id": 0, "name": "x", "role": "input", "dtype": "f32", "shape": [4096, 8], "stride": [8, 1], "storage": 0, "offset": 0,
   "facts": {"observed": true, "at": "full", "finite": true, "min": 0.25, "max": 1, "zeros": 0.5, "lower": true}},
  {"id": 1, "name": "b", "role": "param", "dtype": "f16", "shape": [8], "stride": [1], "storage": 1, "offset": 0, "module": "lin.b"},
  {"id": 2, "name": "s", "role": "scalar", "dtype": "f64", "shape": [], "stride": [], "storage": 2, "offset": 0, "value": 0.5},
  {"id": 3, "name": "k", "role": "const", "dtype": "i64", "shape": [1], "stride": [1], "storage": 3, "offset": 0, "data": "/////////38="},
  {"id": 4, "name": "add", "role": "value", "dtype": "f32", "shape": [4096, 8], "stride": [8, 1], "storage": 4, "offset": 0},
  {"id": 5, "name": "clamp", "role": "value", "dtype": "f32", "shape": [4096, 8], "stride": [8, 1], "storage": 5, "offset": 0}],
 "ops": [
  {"id": 0, "target": "aten.add.Tensor", "args": [{"t": 0}, {"t": 1}], "kwargs": {"alpha": {"t": 2}}, "out": [4], "module": "lin"},
  {"id": 1, "target": "aten.clamp.default", "args": [{"t": 4}, -1, {"f": "inf"}, [1, 2.5, true, null, "tanh"], {"dtype": "bf16"},
   {"memory_format": "channels_last"}], "kwargs": {}, "out": [5, null], "random": true}],
 "outputs": [5], "mutates": [{"t": 0, "value": 4}]},
"reduced": {"scale": "by hand", "graph": {
  "tensors": [{"id": 0, "name": "x", "role": "input", "dtype": "f32", "shape": [1], "stride": [1], "storage": 0, "offset": 0},
   {"id": 1, "name": "relu", "role": "value", "dtype": "f32", "shape": [1], "stride": [1], "storage": 1, "offset": 0}],
  "ops": [{"id": 0, "target": "aten.relu.default", "args": [{"t": 0}], "kwargs": {}, "out": [1]}], "outputs": [1]},
 "cases": [{"seed": 42, "distribution": "problem", "tensors": [{"t": 0, "data": "AACAPw=="}],
   "outputs": [{"t": 1, "data": "AACAPw==", "f64": "AAAAAAAA8D8="}]}]}
})";

TEST(ReadProblem, EveryField) {
  const auto problem = read_problem(kProblem);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->name, "tiny");
  EXPECT_EQ(problem->source.suite, "KernelBench");
  EXPECT_EQ(problem->source.level, 2);
  EXPECT_EQ(problem->source.commit, "");
  EXPECT_TRUE(problem->flags.train && !problem->flags.matmul_tf32 && problem->flags.cudnn_tf32);
  const Graph& graph = problem->graph;
  ASSERT_EQ(graph.tensors.size(), 6U);
  EXPECT_EQ(graph.tensors[0].shape, (Shape{4096, 8}));
  ASSERT_TRUE(graph.tensors[0].facts);
  EXPECT_EQ(graph.tensors[0].facts->min, 0.25);
  EXPECT_TRUE(graph.tensors[0].facts->lower);
  EXPECT_FALSE(graph.tensors[0].facts->symmetric);
  EXPECT_EQ(graph.tensors[1].dtype, DType::f16);
  EXPECT_EQ(graph.tensors[1].module, "lin.b");
  EXPECT_EQ(graph.tensors[2].scalar, 0.5);
  ASSERT_TRUE(graph.tensors[3].data);
  EXPECT_EQ(std::get<std::vector<int64_t>>(graph.tensors[3].data->data), std::vector<int64_t>{INT64_MAX});
  EXPECT_EQ(graph.mutates.size(), 1U);
  EXPECT_EQ(graph.producer(GraphTensorId(5)), &graph.ops[1]);
  EXPECT_EQ(graph.producer(GraphTensorId(0)), nullptr);
}

TEST(ReadProblem, EveryKindOfArgument) {
  const auto problem = read_problem(kProblem);
  ASSERT_TRUE(problem) << problem.error().message;
  const GraphOp& op = problem->graph.ops[1];
  EXPECT_EQ(*op.args[0].as<GraphTensorId>(), GraphTensorId(4));
  EXPECT_EQ(*op.args[1].as<int64_t>(), -1);
  EXPECT_EQ(*op.args[2].as<double>(), INFINITY);
  const GraphArgs& list = *op.args[3].as<GraphArgs>();
  EXPECT_EQ(*list[0].as<int64_t>(), 1);
  EXPECT_EQ(*list[1].as<double>(), 2.5);
  EXPECT_TRUE(*list[2].as<bool>());
  EXPECT_TRUE(list[3].is_none());
  EXPECT_EQ(*list[4].as<std::string>(), "tanh");
  EXPECT_EQ(*op.args[4].as<DType>(), DType::bf16);
  EXPECT_EQ(*op.args[5].as<GraphNamed>(), (GraphNamed{"memory_format", "channels_last"}));
  EXPECT_FALSE(op.out[1]);
  EXPECT_TRUE(op.random);
  EXPECT_EQ(*problem->graph.ops[0].kwarg("alpha")->as<GraphTensorId>(), GraphTensorId(2));
  EXPECT_EQ(problem->graph.ops[0].kwarg("beta"), nullptr);
}

TEST(ReadProblem, CaseData) {
  const auto problem = read_problem(kProblem);
  ASSERT_TRUE(problem) << problem.error().message;
  const ReducedCase& one = problem->reduced->cases.at(0);
  EXPECT_EQ(one.find(GraphTensorId(0))->at(0), 1.0);
  EXPECT_EQ(one.find(GraphTensorId(1)), nullptr);
  EXPECT_EQ(one.outputs[0].data.at(0), 1.0);
  EXPECT_EQ(one.outputs[0].f64->at(0), 1.0);
}

struct Broken {
  const char* what;
  const char* place;    // JSON pointer of the field to change
  const char* value;    // its new JSON, or empty to remove it
  const char* message;  // part of the error
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.what; }

class ReadBroken : public testing::TestWithParam<Broken> {};

TEST_P(ReadBroken, IsAnErrorThatNamesThePlace) {
  json document = json::parse(kProblem);
  const std::string value = GetParam().value;
  const json patch = {{{"op", value.empty() ? "remove" : "add"},
                       {"path", GetParam().place},
                       {"value", value.empty() ? json() : json::parse(value)}}};
  const auto problem = read_problem(document.patch(patch).dump());
  ASSERT_FALSE(problem) << "was accepted";
  EXPECT_THAT(problem.error().message, HasSubstr(GetParam().message));
  EXPECT_EQ(problem.error().message.find('\n'), std::string::npos);
  EXPECT_THAT(problem.error().help, HasSubstr("ucutlass capture"));
}

INSTANTIATE_TEST_SUITE_P(
    Broken, ReadBroken,
    testing::Values(
        Broken{"other schema", "/schema", R"("ucutlass.problem/2")", "schema is `ucutlass.problem/2`"},
        Broken{"no schema", "/schema", "", "the top: has no `schema`"},
        Broken{"top is a list", "", "[]", "the top: expected an object"},
        Broken{"no graph", "/graph", "", "the top: has no `graph`"},
        Broken{"no flags", "/flags", "{}", "flags: has no `train`"},
        Broken{"flag is a number", "/flags/train", "1", "flags.train: expected true or false"},
        Broken{"name with a newline", "/name", R"("a\nb")", "name: holds control characters"},
        Broken{"tensors is an object", "/graph/tensors", "{}", "graph.tensors: expected a list"},
        Broken{"ids out of order", "/graph/tensors/1/id", "7", "graph.tensors[1].id: expected 1"},
        Broken{"unknown dtype", "/graph/tensors/0/dtype", R"("f13")",
               "graph.tensors[0].dtype: unknown dtype `f13`"},
        Broken{"unknown role", "/graph/tensors/0/role", R"("guest")",
               "graph.tensors[0].role: unknown role `guest`"},
        Broken{"negative extent", "/graph/tensors/0/shape/0", "-1",
               "graph.tensors[0].shape[0]: expected an integer"},
        Broken{"fractional extent", "/graph/tensors/0/shape", "[1.5, 2]",
               "graph.tensors[0].shape[0]: expected an integer"},
        Broken{"huge extent", "/graph/tensors/0/shape", "[18446744073709551615, 2]",
               "graph.tensors[0].shape[0]"},
        Broken{"product overflows", "/graph/tensors/0/shape", "[281474976710656, 281474976710656]",
               "has too many elements"},
        Broken{"product overflows, with data", "/graph/tensors/3/shape", "[281474976710656]",
               "holds 8 bytes"},
        Broken{"rank of the stride", "/graph/tensors/0/stride", "[1]",
               "graph.tensors[0].stride: has another rank"},
        Broken{"too many dimensions", "/graph/tensors/0/shape",
               "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
               "more than 32 dimensions"},
        Broken{"storage out of range", "/graph/tensors/0/storage", "4294967296",
               "graph.tensors[0].storage: expected"},
        Broken{"name that injects", "/graph/tensors/0/name", R"("x; y")", "is not an identifier"},
        Broken{"one name twice", "/graph/tensors/1/name", R"("x")", "`x` names two tensors"},
        Broken{"scalar without value", "/graph/tensors/2/value", "", "graph.tensors[2]: has no `value`"},
        Broken{"fact of a wrong type", "/graph/tensors/0/facts/min", R"("low")",
               "graph.tensors[0].facts.min: expected a number"},
        Broken{"argument id out of range", "/graph/ops/0/args/0/t", "600",
               "graph.ops[0].args[0].t: there is no tensor 600"},
        Broken{"negative argument id", "/graph/ops/0/args/0/t", "-1",
               "graph.ops[0].args[0].t: expected an integer"},
        Broken{"argument id is text", "/graph/ops/0/args/0/t", R"("x")",
               "graph.ops[0].args[0].t: expected an integer"},
        Broken{"use before definition", "/graph/ops/0/args/0/t", "5",
               "tensor 5 is used before an op gives it"},
        Broken{"unknown tag", "/graph/ops/0/args/0", R"({"tensor": 0})",
               "graph.ops[0].args[0]: expected an object with one of"},
        Broken{"bad special float", "/graph/ops/1/args/2/f", R"("huge")",
               "graph.ops[1].args[2]: expected a number"},
        Broken{"defined twice", "/graph/ops/1/out/0", "4",
               "graph.ops[1].out[0]: tensor 4 is defined already"},
        Broken{"an input is defined", "/graph/ops/1/out/0", "0",
               "graph.ops[1].out[0]: tensor 0 is defined already"},
        Broken{"a value nobody gives", "/graph/ops/1/out", "[]", "tensor 5 is used before"},
        Broken{"no target", "/graph/ops/1/target", R"("")", "graph.ops[1].target: is empty"},
        Broken{"args is null", "/graph/ops/1/args", "null", "graph.ops[1].args: expected a list"},
        Broken{"no outputs", "/graph/outputs", "[]", "graph.outputs: is empty"},
        Broken{"output out of range", "/graph/outputs/0", "99", "graph.outputs[0]: there is no tensor 99"},
        Broken{"mutation out of range", "/graph/mutates/0/value", "99",
               "graph.mutates[0].value: there is no tensor 99"},
        Broken{"constant too short", "/graph/tensors/3/data", R"("AACAPw==")",
               "graph.tensors[3].data: holds 4 bytes, but i64[1] takes 8"},
        Broken{"truncated base64", "/reduced/cases/0/tensors/0/data", R"("AACAPw=")",
               "reduced.cases[0].tensors[0].data: is not base64"},
        Broken{"base64 with a line break", "/reduced/cases/0/tensors/0/data", R"("AACA\nw==")",
               "is not base64"},
        Broken{"array of other size", "/reduced/cases/0/tensors/0/data", R"("AACAPwAAgD8=")",
               "holds 8 bytes, but f32[1] takes 4"},
        Broken{"f64 too short", "/reduced/cases/0/outputs/0/f64", R"("AACAPw==")",
               "outputs[0].f64: holds 4 bytes, but f64[1] takes 8"},
        Broken{"no data of an input", "/reduced/cases/0/tensors", "[]",
               "reduced.cases[0].tensors: has no data of `x`"},
        Broken{"data of a value", "/reduced/cases/0/tensors/0/t", "1", "`relu` has data twice or takes none"},
        Broken{"case tensor out of range", "/reduced/cases/0/tensors/0/t", "9", "there is no tensor 9"},
        Broken{"output missing", "/reduced/cases/0/outputs", "[]",
               "reduced.cases[0].outputs: has 0 outputs, the graph 1"},
        Broken{"another output", "/reduced/cases/0/outputs/0/t", "0",
               "is not the graph's output at this place"}));

std::string with_tensor(const std::string& data, const std::string& shape) {
  std::string text = kProblem;
  const std::string was = R"("tensors": [{"t": 0, "data": "AACAPw=="}])";
  text.replace(text.find(was), was.size(), R"("tensors": [{"t": 0, )" + data + "}]");
  const std::string one = R"("role": "input", "dtype": "f32", "shape": [1])";
  text.replace(text.rfind(one), one.size(), R"("role": "input", "dtype": "f32", "shape": )" + shape);
  return text;
}

// The numbers are those of the formula in whole numbers of Python, rounded to f32 by torch.
TEST(ReadProblem, DrawsDataByRule) {
  const auto problem =
      read_problem(with_tensor(R"("uniform": {"seed": 1003, "scale": 0.123457, "offset": 0.25})", "[4]"));
  ASSERT_TRUE(problem) << problem.error().message;
  const auto& drawn = std::get<std::vector<float>>(problem->reduced->cases[0].tensors[0].second.data);
  EXPECT_EQ(drawn, (std::vector<float>{0x1.1a4488p-2F, 0x1.d604aep-3F, 0x1.08b42cp-2F, 0x1.5c42bap-3F}));
  const auto same = read_problem(with_tensor(R"("constant": 1.5)", "[3]"));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(std::get<std::vector<float>>(same->reduced->cases[0].tensors[0].second.data),
            std::vector<float>(3, 1.5F));
}

TEST(ReadProblem, RefusesRulesThatAreNotWhole) {
  EXPECT_FALSE(read_problem(with_tensor(R"("uniform": {"seed": 1, "scale": 1})", "[4]")));
  EXPECT_FALSE(read_problem(with_tensor(R"("uniform": {"seed": -1, "scale": 1, "offset": 0})", "[4]")));
  EXPECT_FALSE(read_problem(with_tensor(R"("constant": "one")", "[4]")));
  const auto large = read_problem(with_tensor(R"("constant": 1)", "[1099511627776]"));
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().message, HasSubstr("elements is given by a rule"));
}

TEST(ReadProblem, TextThatIsNotJson) {
  for (const std::string text :
       {"", "{", "problem", "{\"schema\": }", "\xff\xfe", "[1e999]", "{\"a\": \"\xc3\"}"}) {
    const auto problem = read_problem(text);
    ASSERT_FALSE(problem);
    EXPECT_THAT(problem.error().message,
                testing::AnyOf(HasSubstr("not JSON at byte"), HasSubstr("out of range")))
        << text;
  }
}

TEST(ReadProblem, DeepNestingIsRefused) {
  const auto problem = read_problem(std::string(1000000, '['));
  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("nested deeper than 64"));
}

TEST(ReadProblem, EveryTruncationIsAnError) {
  const std::string text = kProblem;
  const size_t end = text.rfind('}');
  for (size_t length = 0; length <= end; length += 7)
    EXPECT_FALSE(read_problem(text.substr(0, length))) << length;
}

TEST(ReadProblem, RandomDamageNeverCrashes) {
  const std::string text = kProblem;
  std::mt19937 random(7);
  const auto below = [&](size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  };
  size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = text;
    for (size_t change = 0; change <= below(3); ++change) {
      const size_t at = below(damaged.size());
      switch (below(4)) {
        case 0: damaged[at] = static_cast<char>(below(256)); break;
        case 1: damaged.erase(at, 1 + below(8)); break;
        case 2: damaged.insert(at, text.substr(below(text.size()), below(12))); break;
        default: damaged[at] = "0123456789-[]{}\",:"[below(18)]; break;
      }
    }
    const auto problem = read_problem(damaged);
    accepted += problem ? 1 : 0;
    EXPECT_TRUE(problem || !problem.error().message.empty());
  }
  EXPECT_GT(accepted, 100U);  // damage in names and numbers may still be a problem
  EXPECT_LT(accepted, 15000U);
}

TEST(Base64, Rfc4648Vectors) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYg=="), "foob");
  EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
  for (const char* bad : {"Z", "Zg=", "Z===", "=Zg=", "Zm9v!mFy", "Zh=="})
    EXPECT_FALSE(decode_base64(bad)) << bad;
}

}  // namespace
}  // namespace uc
