#include "sol/steps.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc::sol {
namespace {

std::string names_of(const Program& program, const Step& step) {
  std::string out;
  for (const ValueId id : step.results) {
    const std::string& name = program[id].name;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", name.empty() ? "(prepared)" : name);
  }
  return out;
}

std::string shapes_of(const Program& program, const Op& op) {
  std::string out;
  for (const ValueId id : op.in) {
    const Value& value = program[id];
    if (value.kind == ValueKind::literal) continue;
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", name(value.dtype), to_text(value.shape));
  }
  return op.out.empty() ? out
                        : fmt::format("{} -> {}{}", out, name(program[op.out[0]].dtype),
                                      to_text(program[op.out[0]].shape));
}

class StepRow {
 public:
  StepRow(const Bound& seen, const Bound& promised, const At& at)
      : seen_(seen), promised_(promised), program_(promised.program()), at_(at) {}

  std::optional<SolStep> row(const Step& step) const {
    if (!step.main || program_[step.main].spec->is_view()) return std::nullopt;
    SolStep out;
    Group group;
    out.names = names_of(program_, step);
    out.at_load = step.phase == Phase::load || program_[program_[step.main].out[0]].params_only;
    for (const OpId id : ops_of(step)) {
      const Op& op = program_[id];
      if (op.spec->is_view()) continue;
      out.what += fmt::format("{}{}", out.what.empty() ? "" : " ", name_of(op));
      if (out.at_load || promised_.runs(id)) group.push_back(id);
      if (!promised_.work(id).contracts) continue;
      out.math = name(math_of(program_, id, at_.f32_math));
    }
    if (group.empty()) return std::nullopt;
    out.shapes = shapes_of(program_, program_[step.main]);
    const Traffic traffic = promised_.memory().traffic(promised_.memory().of(group), at_.precision);
    out.work = promised_.work_of(group, traffic);
    out.calibrated = time_of(promised_.demand(group, Count::minimum, at_.f32_math, traffic), at_.device,
                             Ceiling::calibrated, at_.clock_mhz);
    out.rules = seen_.rules_of(group);
    out.covered = std::ranges::all_of(group, [&](OpId id) { return promised_.work(id).covered; });
    return out;
  }

 private:
  const Bound& seen_;
  const Bound& promised_;
  const Program& program_;
  const At& at_;
};

}  // namespace

std::vector<SolStep> steps_of(const Bound& seen, const Bound& promised, const At& at) {
  std::vector<SolStep> out;
  double total = 0;
  const StepRow rows(seen, promised, at);
  for (const Step& step : promised.program().steps) {
    auto row = rows.row(step);
    if (!row) continue;
    if (!row->at_load) total += row->calibrated.total_us;
    out.push_back(std::move(*row));
  }
  for (SolStep& step : out) step.share = step.at_load || total == 0 ? 0 : step.calibrated.total_us / total;
  return out;
}

}  // namespace uc::sol
