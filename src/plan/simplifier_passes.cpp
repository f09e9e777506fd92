// The engines: rules tried at every step until none applies, fused steps taken apart.
#include <algorithm>

#include "plan/simplifier.h"
#include "plan/simplify.h"

namespace uc {
namespace {

constexpr int kMostPasses = 32;
constexpr int kMostNested = 24;

bool stands_alone(const Program& program, OpId id) {
  const OpSpec& spec = *program[id].spec;
  return spec.place != Place::inner && !spec.stores && program[id].out.size() == 1;
}

}  // namespace

// After the first pass over what changed only, which is little.
void Simplifier::exhaust(std::span<const Rule> rules, const std::function<void(size_t, std::string)>& seen) {
  touched_.assign(touched_.size(), true);
  for (int i = 0; i < kMostPasses && pass(rules, seen); ++i) {
  }
}

// Of what rules made: where the first of them applied, in the program as written.
std::string Simplifier::place_of(StepId step) const {
  const auto origin = origins_.find(step);
  return origin == origins_.end() ? where_of(program_, program_[step].main) : origin->second;
}

bool Simplifier::pass(std::span<const Rule> rules, const std::function<void(size_t, std::string)>& seen) {
  bool changed = false;
  std::vector<StepId> order;
  const std::function<void(StepId, int)> visit = [&](StepId step, int depth) {
    if (dead_[step.index()]) return;
    resolve(step);
    const bool tried = touched_[step.index()] && open(step) && depth < kMostNested;
    touched_[step.index()] = false;
    for (size_t i = 0; tried && i < rules.size(); ++i) {
      const Mark from = mark();
      const auto instead = match(rules[i], step);
      if (!instead) {
        roll_back(from);
        continue;
      }
      std::string where = place_of(step);
      changed = true;
      const auto all = commit(from, step, *instead);
      for (const StepId made : all) origins_.emplace(made, where);
      seen(i, std::move(where));
      for (const StepId made : all) visit(made, depth + 1);
      return;
    }
    order.push_back(step);
    enter(step);
  };
  entered_.clear();
  for (const StepId step : order_) visit(step, 0);
  std::erase_if(order, [&](StepId step) { return dead_[step.index()]; });
  order_ = std::move(order);
  number_places();
  return changed;
}

Program Simplifier::take() && {
  std::vector<Step> steps;
  for (const StepId id : order_) {
    resolve(id);
    steps.push_back(std::move(program_[id]));
  }
  program_.steps = std::move(steps);
  for (ValueId& id : program_.results) id = alias(id);
  return std::move(program_);
}

void Simplifier::unfuse() {
  std::vector<StepId> order;
  for (const StepId id : order_) {
    program_[id].knobs.clear();
    const auto ops = ops_of(program_[id]);
    const bool apart = ops.size() > 1 && program_[id].phase == Phase::run &&
                       std::ranges::all_of(ops, [&](OpId op) { return stands_alone(program_, op); });
    if (!apart) {
      order.push_back(id);
      continue;
    }
    dead_[id.index()] = true;
    for (const OpId op : ops) {
      for (const ValueId in : program_[op].in) --uses_[in.index()];
      order.push_back(append(op));
    }
    grow();
  }
  order_ = std::move(order);
  number_places();
}

}  // namespace uc
