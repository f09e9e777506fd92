#include "agent/controller.h"
#include "catalog/program_builder.h"

namespace uc {

std::optional<Program> without_prepack(const Program& program) {
  Program out = program;
  bool any = false;
  for (Step& step : out.steps) {
    if (step.phase != Phase::load) continue;
    step.phase = Phase::run;
    any = true;
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace uc
