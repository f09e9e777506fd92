#include "agent/proposers/extract.h"

#include <gtest/gtest.h>

#include "agent/proposers/answers.h"
#include "agent/proposers/template.h"

namespace uc {
namespace {

const std::string kProgram = "target sm_90a\ninput x: f32[8, 8]\ny = relu(x)\nreturn y\n";
const std::string kOther = "target sm_90a\ninput x: f32[8, 8]\ny = tanh(x)\nreturn y\n";

TEST(Extract, FindsTheProgramInWhatModelsSay) {
  const std::string answers[] = {
      kProgram,
      "```uc\n" + kProgram + "```",
      "Sure:\n```uc\n" + kProgram + "```\nThis is 10x faster.",
      "```\n" + kProgram + "```",
      "```python\nimport torch\n```\nthen\n```uc\n" + kProgram + "```\n```bash\nucutlass check\n```",
      "First draft:\n```uc\n" + kOther + "```\nBetter:\n```uc\n" + kProgram + "```\n",
      "~~~~ucutlass\n" + kProgram + "~~~~",
      "```uc\n" + kProgram,  // the closing fence was cut off
      "<think>\n```uc\n" + kOther + "```\n</think>\n```uc\n" + kProgram + "```",
      "I think ```uc\n" + kOther + "```\n</think>\n```uc\n" + kProgram + "```",
      "Here is the program that I propose\n\n" + kProgram + "\nIt returns y.",
      "```uc\r\ntarget sm_90a\r\ninput x: f32[8, 8]\r\ny = relu(x)\r\nreturn y\r\n```\r\n",
      R"({"program": "target sm_90a\ninput x: f32[8, 8]\ny = relu(x)\nreturn y\n"})",
      "```uc\n" + kProgram + "```\nRun it so:\n```uc\nucutlass check\n```",
  };
  for (const std::string& answer : answers) EXPECT_EQ(extract_program(answer).text, kProgram) << answer;
}

TEST(Extract, SaysWhyThereIsNone) {
  EXPECT_EQ(extract_program("").why_not, "the answer is empty");
  EXPECT_EQ(extract_program("<think> hm").why_not, "the answer is empty");
  EXPECT_EQ(extract_program("```uc\n \n```").why_not, "the program is empty");
  EXPECT_EQ(extract_program("{\"program\": \"\"}").why_not, "the program is empty");
  EXPECT_EQ(extract_program("I am sorry.").why_not, "the answer holds no program");
  EXPECT_EQ(extract_program("```python\nprint()\n```").why_not, "no block of the answer is a program");
  EXPECT_EQ(extract_program("```uc\ntarget sm_90a\ninput x: f3").why_not, "the program is cut off");
  EXPECT_NE(extract_program("```uc\n" + kProgram + std::string(300'000, '#') + "\n```").why_not, "");
  EXPECT_EQ(extract_program(std::string("\0\xff\xfe```\n", 7)).text, "");
}

TEST(Extract, AProgramThatIsMarkedAndWrongGoesToTheCompiler) {
  EXPECT_EQ(extract_program("```uc\ny = relu(x)\n```").text, "y = relu(x)\n");
}

TEST(Extract, FindsCuda) {
  EXPECT_EQ(extract_cuda("```cuda\n__global__ void k() {}\n```\n```bash\nnvcc\n```").text,
            "__global__ void k() {}\n");
  EXPECT_NE(extract_cuda("```cpp\nint main() {}\n```").why_not, "");
}

TEST(Extract, FindsJson) {
  EXPECT_EQ(extract_json("Here: ```json\n{\"a\": \"}\"}\n``` ok?").text, "{\"a\": \"}\"}");
  EXPECT_EQ(extract_json("The list [1, {\"b\": 2}] is it").text, "[1, {\"b\": 2}]");
  EXPECT_EQ(extract_json("a {b} [c] {\"d\": 1}").text, "{\"d\": 1}");
  EXPECT_EQ(extract_json("{\"a\": ").text, "");
  EXPECT_EQ(extract_json(std::string(100'000, '{')).text, "");
}

TEST(Answers, HypothesesAreBounded) {
  const ReadHypotheses read = read_hypotheses(
      R"({"hypotheses": [
        {"id": "A b/../c", "what": "x\ny", "speedup": 1e300, "implementation_risk": -3, "performance_risk": 99},
        {"id": "a-b-c", "what": "the same id"}, {"what": 7}, 3, {"id": "d", "what": "e", "speedup": "fast"}]})",
      4);
  ASSERT_EQ(read.hypotheses.size(), 2U);
  EXPECT_EQ(read.hypotheses[0].id, "a-b-c");
  EXPECT_EQ(read.hypotheses[0].what.find('\n'), std::string::npos);
  EXPECT_EQ(read.hypotheses[0].speedup, 4);
  EXPECT_EQ(read.hypotheses[0].implementation_risk, 1);
  EXPECT_EQ(read.hypotheses[0].performance_risk, 5);
  EXPECT_EQ(read.hypotheses[1].speedup, 1);
  EXPECT_TRUE(read.hypotheses[1].open);
  EXPECT_NE(read_hypotheses("{}", 4).why_not, "");
  EXPECT_NE(read_hypotheses("[]", 4).why_not, "");
}

TEST(Template, FillsAndLeavesOut) {
  EXPECT_EQ(fill("a {{x}} {{missing}}b", {{"x", "{{y}}"}, {"y", "no"}}), "a {{y}} b");
  EXPECT_EQ(fill("a\n{{#x}}\nin {{x}}\n{{/x}}\nb\n", {{"x", "1"}}), "a\nin 1\nb\n");
  EXPECT_EQ(fill("a\n{{#x}}\nin {{x}}\n{{/x}}\nb\n", {}), "a\nb\n");
  EXPECT_EQ(fill("{{#x}}open", {}), "");
  EXPECT_EQ(fill("{{", {}), "{{");
}

TEST(Template, FencesAreLongerThanWhatTheyHold) {
  EXPECT_EQ(fenced("uc", "a"), "```uc\na\n```\n");
  EXPECT_EQ(fenced("", "a ```` b\n"), "`````\na ```` b\n`````\n");
}

}  // namespace
}  // namespace uc
