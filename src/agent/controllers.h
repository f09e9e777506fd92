#pragma once
// Why: how the loop is run is a row, so that ways can be compared with all else equal: which phases there
// are, and in which order hypotheses are taken.
#include <cstdint>
#include <span>
#include <string_view>

namespace uc {

/// Phases that can be left out. Measure and Implement cannot.
struct Phases {
  bool analyze = true;    ///< else nobody hears of bounds and launches, and the loop does not stop near them
  bool nominate = true;   ///< else one standing hypothesis: make it faster
  bool triage = true;     ///< else hypotheses are taken as they come
  bool summarize = true;  ///< else no lesson is kept or heard
};

/// The order in which hypotheses are taken.
enum class Ranking : uint8_t { roi, given, random };

struct ControllerSpec {
  std::string_view name = "mantis";
  std::string_view summary = {};
  Phases phases = {};
  Ranking ranking = Ranking::roi;
  bool method = false;  ///< prompts explain how to work, since no phase does it
};

/// mantis, mi, inprompt, random.
std::span<const ControllerSpec> controllers();
/// Null: there is no such row.
const ControllerSpec* find_controller(std::string_view name);

/// Leaves a phase out, by its name in lower case. False: there is no such phase.
bool leave_out(ControllerSpec& controller, std::string_view phase);
/// Names of the phases that can be left out.
std::span<const std::string_view> phase_names();

}  // namespace uc
