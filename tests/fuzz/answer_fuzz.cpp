// Any bytes as what a language model or its endpoint answers: what is read of them is bounded, and told why
// not else.
#include "agent/chat/protocol.h"
#include "agent/proposers/answers.h"
#include "agent/proposers/extract.h"
#include "agent/proposers/template.h"
#include "base/text.h"
#include "fuzz.h"

namespace {

using uc::fuzz::require;

void check(const uc::Extracted& found) {
  require(found.text.empty() != found.why_not.empty(), "there is a text, or a reason why there is none");
}

void check_words(std::string_view answer) {
  check(uc::extract_program(answer));
  check(uc::extract_cuda(answer));
  check(uc::extract_json(answer));
  // What is put between fences comes out whole.
  const std::string inside = std::string(answer.substr(0, 1000)) + "\n";
  const auto fences = uc::fences(uc::fenced("uc", inside));
  require(!fences.empty() && fences[0].closed && fences.size() == 1, "fences hold what they are given");
  const auto read = uc::read_hypotheses(answer, 4);
  require(read.hypotheses.empty() != read.why_not.empty(), "there are hypotheses, or a reason why not");
  for (const uc::Hypothesis& each : read.hypotheses) {
    require(each.open && !each.id.empty() && each.id.size() <= 40 && !each.what.empty(), "they are whole");
    require(each.speedup >= 0.1 && each.speedup <= 4, "speedups are bounded");
    require(each.what.find('\n') == std::string::npos, "texts are one line");
  }
}

void check_body(std::string_view body) {
  require(uc::is_utf8(uc::valid_utf8(body)), "what is mended is UTF-8");
  const auto answer = uc::parse_answer(body);
  if (!answer) return require(!answer.error().empty(), "what is no answer says why");
  require(uc::is_utf8(answer->text), "an answer is UTF-8");
  require(!answer->usage || (answer->usage->prompt > 0 && answer->usage->answer >= 0),
          "usage is counted or none");
  check_words(answer->text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = uc::fuzz::text_of(data, size);
  check_words(bytes);
  check_body(bytes);
  (void)uc::parse_complaint(bytes);
  (void)uc::parse_endpoint(std::string(bytes));
  return 0;
}
