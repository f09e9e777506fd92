#include "rewrites/support/peephole.h"

#include <algorithm>

namespace uc::rewrites {
namespace {

bool runs_fused(const OpSpec& spec) {
  return (static_cast<int>(spec.place) & static_cast<int>(Place::fused)) != 0;
}

// The value that runs into call `index` of the chain.
ValueId running_before(const Program& program, const Step& step, size_t index) {
  ValueId running = program[step.main].out.back();
  for (size_t i = 0; i < index; ++i) {
    const Op& op = program[step.chain[i].ops.back()];
    if (!op.spec->stores) running = op.out.back();
  }
  return running;
}

// The chain's first call becomes the main operator when that one is gone.
bool promote_call(Program& program, Step& step) {
  if (!step.prologue.empty()) {
    step.main = step.prologue.back();
    step.prologue.pop_back();
    return !program[step.main].spec->is_view();
  }
  if (step.chain.empty()) return false;
  const Step::Call call = step.chain.front();
  const Op& op = program[call.ops.back()];
  if (op.spec->stores || op.spec->place == Place::fused) return false;
  step.prologue.assign(call.ops.begin(), call.ops.end() - 1);
  step.main = call.ops.back();
  step.chain.erase(step.chain.begin());
  return true;
}

bool unlink(Program& program, Step& step, OpId op) {
  if (std::erase(step.prologue, op) != 0) return true;
  if (step.main == op) return promote_call(program, step);
  for (size_t i = 0; i < step.chain.size(); ++i) {
    auto& ops = step.chain[i].ops;
    const auto found = std::ranges::find(ops, op);
    if (found == ops.end()) continue;
    const bool root = found + 1 == ops.end();
    if (root && !step.chain[i].is_map && ops.size() > 1)
      return false;  // its arguments' expressions would stand alone
    ops.erase(found);
    if (ops.empty()) step.chain.erase(step.chain.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

}  // namespace

OpId maker_in_step(const Program& program, StepId step, ValueId value) {
  const OpId def = program[value].def;
  return def && program[def].step == step && holds_one_value(program[step]) && program[def].out.size() == 1 &&
                 !program[def].spec->stores
             ? def
             : OpId{};
}

OpId feeder(const Program& program, StepId step, OpId op, size_t operand) {
  const ValueId value = program[op].in[operand];
  const OpId def = maker_in_step(program, step, value);
  if (!def || is_returned(program, value)) return {};
  return uses_of(program, value).size() == 1 ? def : OpId{};
}

bool take_out(Program& program, StepId step, OpId op, ValueId instead) {
  const ValueId gone = program[op].out[0];
  for (const Step& each : program.steps) {
    for (const OpId user : ops_of(each)) replace_operand(program, user, gone, instead);
  }
  Step& at = program[step];
  const bool is_result = std::ranges::find(at.results, gone) != at.results.end();
  if (is_result) {
    // The name moves to what is stored now, which must be a value that this step makes.
    if (!maker_in_step(program, step, instead) || !program[instead].name.empty()) return false;
    program[instead].name = program[gone].name;
    std::ranges::replace(at.results, gone, instead);
    std::ranges::replace(program.results, gone, instead);
  }
  program[gone].name.clear();
  return unlink(program, at, op);
}

void tidy_maps(Program& program, StepId step) {
  Step& at = program[step];
  for (size_t i = 0; i < at.chain.size(); ++i) {
    Step::Call& call = at.chain[i];
    if (!call.is_map || call.ops.size() != 1) continue;
    const Op& op = program[call.ops[0]];
    const ValueId running = running_before(program, at, i);
    if (runs_fused(*op.spec) && !op.in.empty() && op.in[0] == running &&
        std::ranges::count(op.in, running) == 1)
      call.is_map = false;
  }
}

}  // namespace uc::rewrites
