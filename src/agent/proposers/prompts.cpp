#include "agent/proposers/prompts.h"

#include <algorithm>
#include <fmt/format.h>

#include "agent/proposers/answers.h"
#include "agent/proposers/template.h"
#include "base/text.h"
#include "diag/render.h"
#include "language/exports.h"
#include "syntax/print.h"

namespace uc {
namespace {

constexpr int kMostHypotheses = 6;
constexpr size_t kMostDiagnostics = 6000;  // bytes
constexpr size_t kMostTried = 12;          // newest attempts that are listed
constexpr size_t kMostLessons = 12;
constexpr size_t kMostAnswer = 4000;  // bytes of an answer that could not be read

std::string shortened(std::string text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "\n...";
}

std::string time_of(const Outcome& outcome) {
  return fmt::format("{:.2f} us {}", outcome.judgement.time_us, name(outcome.judgement.kind));
}

// "right, 12.30 us modelled", "broken (rejected): UC1402 ..."
std::string fate_of(const Outcome& outcome) {
  const Judgement& judgement = outcome.judgement;
  if (judgement.ok()) return fmt::format("right, {}", time_of(outcome));
  return fmt::format("{} ({}): {}", judgement.label, judgement.reason, one_line(judgement.message, 300));
}

std::string tried_lines(const SearchState& state) {
  std::string out;
  const size_t count = state.outcomes.size();
  for (size_t i = count > kMostTried ? count - kMostTried : 0; i < count; ++i) {
    const Outcome& each = state.outcomes[i];
    out += fmt::format("- attempt {}, {}: {}\n", each.number, each.rewrite, fate_of(each));
  }
  return out;
}

std::string lesson_lines(const SearchState& state) {
  std::string out;
  const size_t count = state.lessons.size();
  for (size_t i = count > kMostLessons ? count - kMostLessons : 0; i < count; ++i)
    out += fmt::format("- {}\n", one_line(state.lessons[i], 300));
  return out;
}

std::string diagnostics_of(const Outcome& outcome) {
  if (outcome.judgement.reason != "rejected" || outcome.candidate->compiled == nullptr) return {};
  std::vector<Diag> errors;
  for (const Diag& each : outcome.candidate->compiled->diags.sorted()) {
    if (each.severity == Severity::error) errors.push_back(each);
  }
  return fenced("",
                shortened(render_text(errors, outcome.candidate->source, "program.uc"), kMostDiagnostics));
}

Message system_message(const Assignment& assignment, const SearchState& state) {
  if (assignment.raw) return {Role::system, prompt("system_cuda.md", {})};
  return {Role::system, prompt("system.md", {{"card", language::card(state.catalog)}})};
}

std::string_view tag_of(const Candidate& candidate) { return candidate.raw ? "cuda" : "uc"; }

// "inputs[0]: x f32[8, 16]" and so on: how uc_run gets them.
std::string tensor_lines(const Program& program) {
  std::string out;
  const auto add = [&](std::string_view list, const std::vector<ValueId>& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const Value& value = program[ids[i]];
      out += fmt::format("- {}[{}]: {} {}{}\n", list, i, value.binding.empty() ? value.name : value.binding,
                         name(value.dtype), to_text(value.shape));
    }
  };
  add("inputs", program.inputs);
  add("params", program.params);
  add("outputs", program.results);
  return out;
}

TemplateValues problem_values(const Assignment& assignment, const SearchState& state) {
  TemplateValues out{{"problem", one_line(assignment.problem, 200)},
                     {"device", std::string(state.device.full_name)},
                     {"start", fenced("uc", print(state.catalog, assignment.start))},
                     {"precision", std::string(name(state.allowed))},
                     {state.prepack_allowed ? "prepack" : "no_prepack", "yes"},
                     {"tried", tried_lines(state)}};
  if (assignment.raw) {
    out["tensors"] = tensor_lines(assignment.start);
    if (!assignment.source.empty()) out["python"] = fenced("python", assignment.source);
  } else {
    out["programs"] = "yes";
  }
  if (state.best != nullptr) {
    out["best"] = state.best->number == state.start->number
                      ? std::string("The program above, as it is.\n")
                      : fenced(tag_of(*state.best->candidate), state.best->candidate->source);
    out["best_time"] = time_of(*state.best);
  }
  if (state.controller.phases.analyze) out["report"] = state.report;
  if (state.controller.phases.summarize) out["lessons"] = lesson_lines(state);
  return out;
}

std::string problem_text(const Assignment& assignment, const SearchState& state) {
  std::string out = prompt("problem.md", problem_values(assignment, state));
  if (state.controller.method) out += "\n" + prompt("method.md", {});
  return out;
}

std::string feedback(const Outcome& outcome) {
  const std::string diagnostics = diagnostics_of(outcome);
  const std::string fate = diagnostics.empty() ? fate_of(outcome) : std::string("broken (rejected)");
  return prompt("feedback.md", {{"outcome", fmt::format("What became of it: {}.", fate)},
                                {"diagnostics", diagnostics},
                                {"tag", std::string(tag_of(*outcome.candidate))},
                                {outcome.judgement.ok() ? "right" : "wrong", "yes"}});
}

}  // namespace

std::vector<Message> nominate_messages(const Assignment& assignment, const SearchState& state) {
  return {system_message(assignment, state),
          {Role::user, problem_text(assignment, state) + "\n" +
                           prompt("nominate.md", {{"most", std::to_string(kMostHypotheses)}})}};
}

std::vector<Message> write_messages(const Assignment& assignment, const SearchState& state,
                                    const Hypothesis& hypothesis, std::span<const size_t> tried) {
  const TemplateValues values{{"tag", assignment.raw ? "cuda" : "uc"},
                              {"what", hypothesis.what},
                              {"why", hypothesis.why},
                              {hypothesis.what.empty() ? "improve" : "change", "yes"}};
  std::vector<Message> out{system_message(assignment, state),
                           {Role::user, problem_text(assignment, state) + "\n" + prompt("write.md", values)}};
  if (tried.empty()) return out;
  const Outcome& last = state.outcomes[tried.back()];
  out.push_back({Role::assistant, last.candidate->source.empty()
                                      ? std::string("(no program)\n")
                                      : fenced(tag_of(*last.candidate), last.candidate->source)});
  out.push_back({Role::user, feedback(last)});
  return out;
}

std::vector<Message> again_messages(std::vector<Message> before, const std::string& answer,
                                    const std::string& why) {
  before.push_back({Role::assistant, shortened(answer.empty() ? "(nothing)" : answer, kMostAnswer)});
  before.push_back({Role::user, prompt("again.md", {{"why", why}})});
  return before;
}

}  // namespace uc
