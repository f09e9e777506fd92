#include "agent/proposers/authored.h"

#include <algorithm>

#include "agent/proposers/answers.h"
#include "agent/proposers/extract.h"
#include "agent/shrink.h"
#include "agent/signature.h"
#include "base/text.h"

namespace uc {
namespace {

constexpr double kMostSpeedup = 20;         // that is believed where no bound is known
constexpr std::string_view kDone = "DONE";  // as in prompts/feedback.md
constexpr size_t kMostWhat = 200;

Hypothesis standing() {
  Hypothesis out;
  out.id = "improve";
  out.open = true;
  return out;
}

// Nothing is faster than light: no change can bring more than the gap.
double most_speedup(const SearchState& state) {
  return state.controller.phases.analyze && state.best != nullptr ? std::max(state.gap, 1.0) : kMostSpeedup;
}

}  // namespace

Result<std::vector<Hypothesis>> AuthoredProposer::nominate(const SearchState& state) {
  if (!state.controller.phases.nominate) return std::vector<Hypothesis>{standing()};
  AuthorRequest request{Question::nominate, static_cast<int64_t>(state.outcomes.size()) + 1,
                        nominate_messages(assignment_, state)};
  for (int turn = 0; turn < 2; ++turn) {
    const auto answer = author_.ask(request);
    if (!answer) return tl::unexpected(answer.error());
    if (!*answer) return std::vector<Hypothesis>{};
    ReadHypotheses read = read_hypotheses((*answer)->text, most_speedup(state));
    if (!read.hypotheses.empty()) return std::move(read.hypotheses);
    request.messages = again_messages(std::move(request.messages), (*answer)->text, read.why_not);
  }
  return std::vector<Hypothesis>{standing()};
}

Result<std::optional<Proposal>> AuthoredProposer::write(const SearchState& state,
                                                        const Hypothesis& hypothesis,
                                                        std::span<const size_t> tried) {
  const auto answer = author_.ask({Question::write, static_cast<int64_t>(state.outcomes.size()) + 1,
                                   write_messages(assignment_, state, hypothesis, tried)});
  if (!answer) return tl::unexpected(answer.error());
  const bool done = *answer && !tried.empty() && trim(without_thoughts((*answer)->text)) == kDone;
  if (!*answer || done) return std::nullopt;
  Proposal out = assignment_.raw ? read_cuda(**answer) : read(state, **answer);
  out.rewrite = hypothesis.id;
  out.what = one_line(hypothesis.what.empty() ? "make it faster" : hypothesis.what, kMostWhat);
  out.on = static_cast<int>(tried.size()) - 1;
  out.expected_speedup = tried.empty() ? hypothesis.speedup : 1;
  return out;
}

// Nothing is known of CUDA before it is built and judged.
Proposal AuthoredProposer::read_cuda(const AuthorAnswer& answer) const {
  Proposal out;
  Extracted found = extract_cuda(answer.text);
  if (found.text.empty()) {
    out.fault = "no_program";
    out.fault_message = found.why_not;
  }
  out.candidate =
      std::make_shared<const Candidate>(make_raw_candidate(assignment_.start, std::move(found.text)));
  return out;
}

Proposal AuthoredProposer::read(const SearchState& state, const AuthorAnswer& answer) const {
  Proposal out;
  const Extracted found = extract_program(answer.text);
  Candidate candidate = make_candidate(state.catalog, found.text, state.device);
  if (found.text.empty()) {
    out.fault = "no_program";
    out.fault_message =
        answer.cut ? found.why_not + ": it was cut off by the limit on an answer" : found.why_not;
  } else if (candidate.ok()) {
    out.fault_message =
        signature_fault(candidate.program, assignment_.start,
                        {.allowed = state.allowed, .prepack = state.prepack_allowed, .escape = false});
    if (!out.fault_message.empty()) out.fault = "no_candidate";
    if (out.fault.empty() && reduced_)
      candidate.reduced = shrink(state.catalog, candidate.program, assignment_.start, *reduced_).program;
  }
  out.candidate = std::make_shared<const Candidate>(std::move(candidate));
  return out;
}

}  // namespace uc
