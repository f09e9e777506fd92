#include "rewrites/support/edit.h"

#include <algorithm>
#include <set>

namespace uc::rewrites {

std::vector<Use> uses_of(const Program& program, ValueId value) {
  std::vector<Use> out;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (const OpId id : ops_of(program.steps[i])) {
      const Op& op = program[id];
      for (size_t k = 0; k < op.in.size(); ++k) {
        if (op.in[k] == value) out.push_back({StepId(i), id, k});
      }
    }
  }
  return out;
}

bool is_returned(const Program& program, ValueId value) {
  return std::ranges::find(program.results, value) != program.results.end();
}

StepId step_of(const Program& program, ValueId value) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (std::ranges::find(program.steps[i].results, value) != program.steps[i].results.end())
      return StepId(i);
  }
  return {};
}

bool holds_one_value(const Step& step) {
  return step.heads.empty() &&
         std::ranges::all_of(step.chain, [](const Step::Call& call) { return call.out.empty(); });
}

bool is_pointwise_step(const Program& program, const Step& step) {
  if (!step.main || step.phase != Phase::run) return false;
  const Op& main = program[step.main];
  return main.spec->is_pointwise() && !main.spec->is_view() && main.out.size() == 1 && holds_one_value(step);
}

bool is_contraction_step(const Program& program, const Step& step) {
  return step.main && step.phase == Phase::run && program[step.main].spec->family == "contraction" &&
         holds_one_value(step);
}

bool is_conv_step(const Program& program, const Step& step) {
  return step.main && step.phase == Phase::run && program[step.main].spec->family == "conv" &&
         holds_one_value(step);
}

bool is_product_step(const Program& program, const Step& step) {
  return is_contraction_step(program, step) || is_conv_step(program, step);
}

bool is_attention_step(const Program& program, const Step& step) {
  return step.main && step.phase == Phase::run && program[step.main].spec->family == "attention" &&
         holds_one_value(step);
}

bool is_rows_step(const Program& program, const Step& step) {
  return step.main && step.phase == Phase::run && program[step.main].spec->row_scalar != nullptr &&
         program[step.main].out.size() == 1 && holds_one_value(step);
}

bool has_stores(const Program& program, const Step& step) {
  return std::ranges::any_of(step.chain, [&](const Step::Call& call) {
    return std::ranges::any_of(call.ops, [&](OpId op) { return program[op].spec->stores; });
  });
}

std::optional<double> literal_of(const Program& program, ValueId value) {
  if (program[value].kind != ValueKind::literal) return std::nullopt;
  return program[value].literal;
}

void replace_operand(Program& program, OpId op, ValueId from, ValueId to) {
  std::ranges::replace(program[op].in, from, to);
}

std::optional<ValueId> Edit::op(std::string_view name, std::vector<ValueId> in, Attrs attrs) {
  const OpSpec* spec = builder_.catalog().op(name);
  if (spec == nullptr) return std::nullopt;
  const auto id = builder_.op(*spec, std::move(in), std::move(attrs));
  return id ? std::optional(program_[*id].out.back()) : std::nullopt;
}

std::vector<ValueId> Edit::insert(StepId before, std::string_view name, std::vector<ValueId> in, Attrs attrs,
                                  const std::vector<std::string>& names) {
  const auto made = op(name, std::move(in), std::move(attrs));
  if (!made) return {};
  Step step;
  step.main = program_[*made].def;
  step.results = program_[step.main].out;
  take_prologue(program_[before], program_[step.main].in, step);
  for (size_t i = 0; i < step.results.size(); ++i) {
    program_[step.results[i]].name = builder_.fresh_name(i < names.size() ? names[i] : "t");
  }
  std::vector<ValueId> results = step.results;
  program_.steps.insert(program_.steps.begin() + static_cast<std::ptrdiff_t>(before.index()),
                        std::move(step));
  renumber();
  return results;
}

// Views that stand inside the call which read the operand so far, `gemm(transpose(A), B)`, go with it.
void Edit::take_prologue(Step& from, const std::vector<ValueId>& in, Step& into) {
  std::set<ValueId> needed(in.begin(), in.end());
  std::vector<OpId> taken;
  for (size_t i = from.prologue.size(); i-- > 0;) {
    const Op& op = program_[from.prologue[i]];
    if (std::ranges::none_of(op.out, [&](ValueId id) { return needed.contains(id); })) continue;
    needed.insert(op.in.begin(), op.in.end());
    taken.push_back(from.prologue[i]);
  }
  for (const OpId op : taken) std::erase(from.prologue, op);
  into.prologue.assign(taken.rbegin(), taken.rend());
}

void Edit::erase(StepId step) {
  program_.steps.erase(program_.steps.begin() + static_cast<std::ptrdiff_t>(step.index()));
  renumber();
}

void Edit::infer() { reinfer(builder_.catalog(), program_, diags_); }

Program Edit::finish(const Program& otherwise) {
  if (diags_.has_errors()) return otherwise;
  return std::move(program_);
}

void Edit::renumber() {
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    for (const OpId id : ops_of(program_.steps[i])) program_[id].step = StepId(i);
  }
}

Attrs dtype_attr(DType type) {
  Attrs attrs;
  attrs.set("dtype", type);
  return attrs;
}

}  // namespace uc::rewrites
