#include "agent/signature.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/op_spec.h"

namespace uc {
namespace {

std::string declaration(const Value& value) {
  return fmt::format("`{}: {}{}{}`", value.name, name(value.dtype), to_text(value.shape),
                     value.binding.empty() ? "" : fmt::format(" = \"{}\"", value.binding));
}

bool same(const Value& a, const Value& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.stride == b.stride &&
         a.binding == b.binding;
}

std::string declared_fault(std::string_view what, const Program& program, const std::vector<ValueId>& ours,
                           const Program& start, const std::vector<ValueId>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i >= ours.size())
      return fmt::format("the {} {} is not declared", what, declaration(start[wanted[i]]));
    if (!same(program[ours[i]], start[wanted[i]]))
      return fmt::format("{} {} is declared as {}, the problem has {}", what, i + 1,
                         declaration(program[ours[i]]), declaration(start[wanted[i]]));
  }
  if (ours.size() > wanted.size())
    return fmt::format("the problem has no {} `{}`", what, program[ours[wanted.size()]].name);
  return {};
}

std::string results_fault(const Program& program, const Program& start) {
  if (program.results.size() != start.results.size())
    return fmt::format("it returns {} values, the problem has {}", program.results.size(),
                       start.results.size());
  for (size_t i = 0; i < start.results.size(); ++i) {
    const Value& ours = program[program.results[i]];
    const Value& wanted = start[start.results[i]];
    if (ours.dtype != wanted.dtype || ours.shape != wanted.shape)
      return fmt::format("result {} is {}{}, the problem has {}{}", i + 1, name(ours.dtype),
                         to_text(ours.shape), name(wanted.dtype), to_text(wanted.shape));
  }
  return {};
}

// Strict is always allowed, and tf32 wherever something less accurate is.
bool precision_fits(Precision precision, Precision allowed) {
  return precision == allowed || precision == Precision::strict ||
         (precision == Precision::tf32 && allowed != Precision::strict);
}

}  // namespace

std::string signature_fault(const Program& program, const Program& start, const ProgramRules& rules) {
  if (!program.dims.empty()) return "it has named dimensions; write the problem's sizes";
  if (!precision_fits(program.precision, rules.allowed))
    return fmt::format("it says `precision {}`, and this run allows `{}`", name(program.precision),
                       name(rules.allowed));
  for (const Op& op : program.ops) {
    if (!rules.escape && op.spec->family == "escape")
      return fmt::format("it uses `{}`, which this run does not allow", op.spec->name);
  }
  for (const Step& step : program.steps) {
    if (!rules.prepack && step.phase == Phase::load)
      return "it prepares weights when they are loaded, which this run does not allow";
  }
  std::string fault = declared_fault("input", program, program.inputs, start, start.inputs);
  if (fault.empty()) fault = declared_fault("param", program, program.params, start, start.params);
  if (fault.empty()) fault = declared_fault("scalar", program, program.scalars, start, start.scalars);
  if (fault.empty()) fault = results_fault(program, start);
  return fault;
}

}  // namespace uc
