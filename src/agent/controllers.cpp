#include "agent/controllers.h"

#include <algorithm>
#include <array>

namespace uc {
namespace {

constexpr Phases kAll{};
constexpr Phases kFlat{.analyze = false, .nominate = false, .triage = false, .summarize = false};
constexpr Phases kReportOnly{.analyze = true, .nominate = false, .triage = false, .summarize = false};

constexpr std::array kRows{
    ControllerSpec{"mantis", "Measure, Analyze, Nominate, Triage, Implement, Summarize", kAll, Ranking::roi,
                   false},
    ControllerSpec{"mi", "measure and implement: generate, check, judge, again", kFlat, Ranking::given,
                   false},
    ControllerSpec{"inprompt", "as mi, with the speed-of-light report and the method in the prompt",
                   kReportOnly, Ranking::given, true},
    ControllerSpec{"random", "as mantis, hypotheses in an order that the seed decides", kAll, Ranking::random,
                   false},
};

struct PhaseRow {
  std::string_view name;
  bool Phases::* on;
};
constexpr std::array kPhases{PhaseRow{"analyze", &Phases::analyze}, PhaseRow{"nominate", &Phases::nominate},
                             PhaseRow{"triage", &Phases::triage}, PhaseRow{"summarize", &Phases::summarize}};

}  // namespace

std::span<const ControllerSpec> controllers() { return kRows; }

const ControllerSpec* find_controller(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &ControllerSpec::name);
  return found == kRows.end() ? nullptr : &*found;
}

bool leave_out(ControllerSpec& controller, std::string_view phase) {
  const auto found = std::ranges::find(kPhases, phase, &PhaseRow::name);
  if (found == kPhases.end()) return false;
  controller.phases.*(found->on) = false;
  if (!controller.phases.triage) controller.ranking = Ranking::given;
  return true;
}

std::span<const std::string_view> phase_names() {
  static constexpr std::array kNames{std::string_view("analyze"), std::string_view("nominate"),
                                     std::string_view("triage"), std::string_view("summarize")};
  return kNames;
}

}  // namespace uc
