#include "ops/detail/step_math.h"

#include <algorithm>
#include <string>

namespace uc::ops {

Math math_of(const Program& program, const Op& op) {
  const Knob* knob = op.step ? program[op.step].knob("math") : nullptr;
  if (knob != nullptr && !knob->settings.empty()) {
    if (const auto* word = std::get_if<std::string>(&knob->settings[0])) {
      const Math math = parse_math(*word).value_or(Math::automatic);
      if (math != Math::automatic) return math;
    }
  }
  const bool governed = std::ranges::any_of(op.in, [&](ValueId id) { return program[id].from_f32; });
  return governed && program.precision == Precision::strict ? Math::f32 : Math::tf32;
}

}  // namespace uc::ops
