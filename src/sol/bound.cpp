#include "sol/bound.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "sol/chains.h"
#include "sol/regions.h"

namespace uc::sol {
namespace {

std::string called(const Program& program, ValueId id) {
  const Value& value = program[id];
  return !value.name.empty() || value.root == id ? value.name : program[value.root].name;
}

// Whether an operator reads less than all of an operand for the whole of its result.
bool skips_elements(const Program& program, const Op& op, size_t i) {
  if (op.spec->needs == nullptr || op.out.size() != 1) return false;
  const Shape& shape = program[op.in[i]].shape;
  return !op.spec->needs(program, op, i, 0, Part::whole(program[op.out[0]].shape)).is_whole(shape);
}

bool promises_structure(const Value& value) {
  Value promised = value;
  promised.observed.reset();
  return information(promised) <= information(value);
}

}  // namespace

std::string where(const Program& program, OpId id) {
  const std::string& name = program[program[id].out[0]].name;
  const std::string op = name_of(program[id]);
  return name.empty() ? op : fmt::format("{} of `{}`", op, name);
}

bool has_observed(const Program& program) {
  return std::ranges::any_of(program.values, [](const Value& value) { return value.observed.has_value(); });
}

Program without_observed(Program program) {
  for (Value& value : program.values) value.observed.reset();
  return program;
}

Bound::Bound(const Catalog& catalog, Program program, std::vector<SolRule> rules)
    : catalog_(catalog),
      program_(std::move(program)),
      rewrites_(std::move(rules)),
      running_(running_ops(program_, true)),
      runs_(program_.ops.size(), false),
      work_(program_.ops.size()) {
  for (const OpId id : running_) {
    runs_[id.index()] = true;
    work_[id.index()] = sol::work_of(catalog, program_, id);
  }
  needs_ = std::make_unique<Needs>(program_, running_, work_);
  keep_needed(running_, *needs_, work_);
  reorder_chains(program_, running_, *needs_, work_);
  join_layers(catalog, program_, running_, *needs_, work_);
  count_copies_once(program_, running_, *needs_, work_);
  memory_ = std::make_unique<Memory>(program_, running_, *needs_);
  access_ = memory_->whole();
}

Demand Bound::demand(const Group& group, Count count, Math f32_math, const Traffic& traffic) const {
  Demand out;
  for (const OpId id : group) {
    const OpWork& each = work(id);
    if (each.contracts) {
      out.flops[math_of(program_, id, f32_math)] += count == Count::dense     ? each.dense_flops
                                                    : count == Count::minimum ? each.minimum_flops
                                                                              : each.least_flops;
    }
  }
  const SolWork scalar = work_of(group, traffic, count);
  out.fma_ops = scalar.fma_ops;
  out.special_ops = scalar.special_ops;
  out.integer_ops = scalar.integer_ops;
  out.read_bytes = scalar.read_bytes;
  out.write_bytes = scalar.write_bytes;
  return out;
}

Demand Bound::whole(Count count, Math f32_math, Precision precision) const {
  return demand(running_, count, f32_math, memory_->traffic(access_, precision));
}

Demand Bound::of(const Group& group, Count count, Math f32_math, Precision precision) const {
  return demand(group, count, f32_math, memory_->traffic(memory_->of(group), precision));
}

SolWork Bound::work_of(const Group& group, const Traffic& traffic, Count count) const {
  const bool least = count == Count::least && !superseded_;
  SolWork out;
  for (const OpId id : group) {
    const OpWork& each = work(id);
    out.dense_flops += each.dense_flops;
    out.minimum_flops += each.least_flops;
    out.fma_ops += least ? each.least_fma : each.fma_ops;
    out.special_ops += least ? each.least_special : each.special_ops;
    out.integer_ops += least ? each.least_integer : each.integer_ops;
  }
  out.read_bytes = traffic.read;
  out.write_bytes = traffic.write;
  return out;
}

SolWork Bound::whole_work(Precision precision, Count count) const {
  return work_of(running_, memory_->traffic(access_, precision), count);
}

// Whether the rule would leave as little without what was observed.
Holds Bound::holds(OpId id) const {
  if (work(id).reduced_by == &work_rules::kProductOrder || !has_observed(program_)) return Holds::always;
  if (!promised_) promised_ = std::make_unique<Program>(without_observed(program_));
  const bool always = sol::work_of(catalog_, *promised_, id).minimum_flops <=
                      sol::work_of(catalog_, program_, id).minimum_flops;
  return always ? Holds::always : Holds::observed;
}

void Bound::rules_of_bytes(OpId id, std::vector<SolRule>& out) const {
  const Op& op = program_[id];
  for (size_t i = 0; i < op.in.size(); ++i) {
    const Value& value = program_[op.in[i]];
    if (skips_elements(program_, op, i)) {
      out.push_back({work_rules::kUnreadElements.id, where(program_, id), Holds::always,
                     work_rules::kUnreadElements.justification});
    }
    const Value& root = program_[value.root];
    if (root.def || information(root) == 1) continue;
    out.push_back({work_rules::kStructuredOperand.id, fmt::format("`{}`", called(program_, op.in[i])),
                   promises_structure(root) ? Holds::always : Holds::observed,
                   work_rules::kStructuredOperand.justification});
  }
}

std::vector<SolRule> Bound::rules_of(const Group& group) const {
  std::vector<SolRule> out;
  for (const OpId id : group) {
    if (!runs(id)) continue;
    if (const WorkRule* rule = work(id).reduced_by)
      out.push_back({rule->id, where(program_, id), holds(id), rule->justification});
    if (const WorkRule* rule = work(id).fast_by)
      out.push_back({rule->id, where(program_, id), Holds::always, rule->justification});
    const std::pair<bool, const WorkRule*> shares[] = {{work(id).joined, &work_rules::kChainedWeights},
                                                       {work(id).needed, &work_rules::kNeededPart},
                                                       {work(id).copies, &work_rules::kBroadcastData}};
    for (const auto& [applies, rule] : shares) {
      if (applies) out.push_back({rule->id, where(program_, id), Holds::always, rule->justification});
    }
    rules_of_bytes(id, out);
  }
  return out;
}

std::vector<SolRule> Bound::rules() const {
  std::vector<SolRule> out = rewrites_;
  for (const ValueId id : program_.results) {
    const Value& value = program_[id];
    if (!value.observed || !value.observed->constant) continue;
    out.push_back({work_rules::kObservedConstant.id, fmt::format("`{}`", value.name), Holds::observed,
                   work_rules::kObservedConstant.justification});
  }
  const std::vector<SolRule> own = rules_of(running_);
  out.insert(out.end(), own.begin(), own.end());
  std::vector<SolRule> once;
  for (SolRule& rule : out) {
    const bool seen = std::ranges::any_of(
        once, [&](const SolRule& other) { return other.id == rule.id && other.where == rule.where; });
    if (!seen) once.push_back(std::move(rule));
  }
  return once;
}

}  // namespace uc::sol
