#pragma once
// Why: algebraic rewrites look at an operator and the one that feeds it inside one step; this finds such
// pairs and takes operators out of prologues, main places and chains alike.
#include <optional>

#include "rewrites/support/edit.h"

namespace uc::rewrites {

/// The operator of the same step that makes operand `operand` of `op`, when nothing else reads what it makes.
/// None otherwise.
OpId feeder(const Program& program, StepId step, OpId op, size_t operand);

/// The operator of the same step that makes the value, however often it is read. None otherwise.
OpId maker_in_step(const Program& program, StepId step, ValueId value);

/// Takes the operator out of the step: who read its result reads `instead`. False when the step would have
/// nothing left, or no form as text; the program must then be thrown away.
bool take_out(Program& program, StepId step, OpId op, ValueId instead);

/// `map(silu(it))` becomes `silu()`.
void tidy_maps(Program& program, StepId step);

/// Every operator of every run step that satisfies `wanted(step, op)`.
template <class Wanted>
std::vector<std::pair<StepId, OpId>> ops_where(const Program& program, Wanted wanted) {
  std::vector<std::pair<StepId, OpId>> out;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (program.steps[i].phase != Phase::run) continue;
    for (const OpId op : ops_of(program.steps[i])) {
      if (wanted(StepId(i), op)) out.emplace_back(StepId(i), op);
    }
  }
  return out;
}

}  // namespace uc::rewrites
