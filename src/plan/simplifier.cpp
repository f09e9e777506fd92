#include "plan/simplifier.h"

#include <algorithm>

namespace uc {
namespace {

constexpr size_t kMostMade = 1024;     // operators and values that one rule appends
constexpr size_t kMostResults = 1024;  // of one operator

}  // namespace

Simplifier::Simplifier(const Catalog& catalog, Program program)
    : catalog_(catalog), program_(std::move(program)), builder_(catalog, program_, diags_) {
  for (size_t i = 0; i < program_.steps.size(); ++i) order_.emplace_back(i);
  grow();
  count_uses();
  number_places();
}

void Simplifier::grow() {
  const size_t values = program_.values.size();
  for (size_t i = alias_.size(); i < values; ++i) alias_.emplace_back(i);
  alias_.resize(values);
  uses_.resize(values, 0);
  ranges_.resize(values);
  eased_.resize(values, false);
  dead_.resize(program_.steps.size(), false);
  touched_.resize(program_.steps.size(), true);
  places_.resize(program_.steps.size(), order_.size());
}

void Simplifier::count_uses() {
  for (const Step& step : program_.steps) {
    for (const OpId op : ops_of(step)) {
      for (const ValueId in : program_[op].in) ++uses_[in.index()];
    }
  }
  for (const ValueId id : program_.results) ++uses_[id.index()];
}

void Simplifier::number_places() {
  for (size_t i = 0; i < order_.size(); ++i) places_[order_[i].index()] = i;
}

// ---- what rules ask

OpId Simplifier::maker(ValueId id) const {
  const OpId def = program_[id].def;
  if (!def || program_[def].out.size() != 1) return {};
  const StepId step = program_[def].step;
  if (!step) return def;  // appended by the rule that asks
  const Step& at = program_[step];
  const bool alone = at.prologue.empty() && at.chain.empty() && at.heads.empty() && at.knobs.empty();
  return at.main == def && alone ? def : OpId{};
}

OpId Simplifier::maker(ValueId id, std::string_view name) const {
  const OpId op = maker(id);
  return op && program_[op].spec->name == name ? op : OpId{};
}

// Numbers among the attributes tell the 256 slices of one tensor apart; other attributes rarely differ.
uint64_t Simplifier::key(OpId id) const {
  const Op& op = program_[id];
  uint64_t key = std::hash<const void*>()(op.spec);
  const auto mix = [&key](uint64_t number) { key = key * 0x9e3779b97f4a7c15ULL + number + 1; };
  for (const ValueId in : op.in) mix(in.value);
  for (const auto& [name, value] : op.attrs.entries()) {
    if (const auto* number = std::get_if<int64_t>(&value)) mix(static_cast<uint64_t>(*number));
    if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) {
      for (const int64_t each : *numbers) mix(static_cast<uint64_t>(each));
    }
  }
  return key;
}

OpId Simplifier::twin(OpId id) const {
  const auto [begin, end] = entered_.equal_range(key(id));
  for (auto at = begin; at != end; ++at) {
    const Op& other = program_[at->second];
    const Op& op = program_[id];
    if (dead_[other.step.index()]) continue;
    if (at->second != id && other.spec == op.spec && other.in == op.in && other.attrs == op.attrs)
      return at->second;
  }
  return {};
}

void Simplifier::enter(StepId step) {
  if (open(step)) entered_.emplace(key(program_[step].main), program_[step].main);
}

// ---- what rules make

std::optional<ValueId> Simplifier::op(std::string_view name, std::vector<ValueId> in, Attrs attrs) {
  const OpSpec* spec = catalog_.op(name);
  const bool room = program_.ops.size() < program_.ops.capacity() &&
                    program_.values.size() + kMostResults <= program_.values.capacity();
  if (spec == nullptr || !room) return std::nullopt;
  const auto id = builder_.op(*spec, std::move(in), std::move(attrs));
  grow();
  if (id) return program_[*id].out.back();
  diags_ = {};
  return std::nullopt;
}

ValueId Simplifier::literal(double number) {
  const ValueId id = builder_.literal(number, false);
  grow();
  return id;
}

// ---- engines

bool Simplifier::open(StepId step) const {
  const Step& at = program_[step];
  return !dead_[step.index()] && at.main && at.prologue.empty() && at.chain.empty() && at.heads.empty() &&
         at.knobs.empty() && at.phase == Phase::run && program_[at.main].out.size() == 1;
}

ValueId Simplifier::alias(ValueId id) const {
  while (alias_[id.index()] != id) id = alias_[id.index()];
  return id;
}

void Simplifier::resolve(StepId step) {
  for (const OpId op : ops_of(program_[step])) {
    for (ValueId& in : program_[op].in) {
      const ValueId now = alias(in);
      if (now != in || eased_[now.index()]) touched_[step.index()] = true;
      eased_[now.index()] = false;
      in = now;
    }
  }
}

void Simplifier::roll_back(Mark to) {
  if (program_.ops.size() == to.ops && program_.values.size() == to.values) return;
  program_.ops.resize(to.ops);
  program_.values.resize(to.values);
  grow();
}

void Simplifier::make_room() {
  const auto reserve = [](auto& list, size_t room) {
    if (list.capacity() - list.size() < room) list.reserve(2 * (list.size() + room));
  };
  reserve(program_.ops, kMostMade);
  reserve(program_.values, kMostMade + kMostResults);
}

std::optional<ValueId> Simplifier::match(Rule rule, StepId step) {
  make_room();
  const OpId main = program_[step].main;
  const auto instead = rule(*this, main);
  if (!instead) return std::nullopt;
  const Value& old = program_[program_[main].out[0]];
  const Value& now = program_[*instead];
  return now.dtype == old.dtype && now.shape == old.shape ? instead : std::nullopt;
}

bool Simplifier::probe(Rule rule, StepId step) {
  const Mark from = mark();
  const bool found = match(rule, step).has_value();
  roll_back(from);
  return found;
}

bool Simplifier::apply(Rule rule, StepId step) {
  for (const StepId before : order_) {
    if (before == step) break;
    enter(before);
  }
  const Mark from = mark();
  const auto instead = match(rule, step);
  if (!instead) {
    roll_back(from);
    return false;
  }
  const auto made = commit(from, step, *instead);
  const auto at = std::ranges::find(order_, step);
  order_.insert(at, made.begin(), made.end());
  std::erase_if(order_, [&](StepId each) { return dead_[each.index()]; });
  for (const StepId each : order_) resolve(each);
  number_places();
  return true;
}

StepId Simplifier::append(OpId op) {
  const StepId id(program_.steps.size());
  Step step;
  step.main = op;
  step.results = program_[op].out;
  program_[op].step = id;
  for (const ValueId in : program_[op].in) ++uses_[in.index()];
  program_.steps.push_back(std::move(step));
  return id;
}

// Steps of the appended operators, and the anchor's result replaced; what nobody reads now is dead.
std::vector<StepId> Simplifier::commit(Mark from, StepId anchor, ValueId instead) {
  std::vector<StepId> made;
  for (size_t i = from.ops; i < program_.ops.size(); ++i) made.push_back(append(OpId(i)));
  grow();
  for (const StepId step : made) places_[step.index()] = places_[anchor.index()];
  const ValueId old = program_[program_[anchor].main].out[0];
  if (instead != old) {
    uses_[instead.index()] += uses_[old.index()];
    uses_[old.index()] = 0;
    alias_[old.index()] = instead;
    if (program_[instead].name.empty() && program_[instead].kind == ValueKind::computed)
      std::swap(program_[instead].name, program_[old].name);
  }
  kill(anchor);
  for (const StepId step : std::vector(made.rbegin(), made.rend())) {
    const bool unread =
        std::ranges::all_of(program_[step].results, [&](ValueId id) { return uses_[id.index()] == 0; });
    if (unread) kill(step);
  }
  std::erase_if(made, [&](StepId step) { return dead_[step.index()]; });
  return made;
}

void Simplifier::kill(StepId step) {
  if (dead_[step.index()]) return;
  dead_[step.index()] = true;
  for (const OpId op : ops_of(program_[step])) {
    for (const ValueId in : program_[op].in) release(alias(in));
  }
}

void Simplifier::release(ValueId id) {
  if (--uses_[id.index()] == 1) eased_[id.index()] = true;  // rules may apply to its last reader
  if (uses_[id.index()] != 0) return;
  const OpId def = program_[id].def;
  const StepId step = def ? program_[def].step : StepId{};
  if (!step) return;
  const auto ops = ops_of(program_[step]);
  const auto unread = [&](OpId op) {
    return std::ranges::all_of(program_[op].out, [&](ValueId out) { return uses_[out.index()] == 0; });
  };
  if (std::ranges::all_of(program_[step].results, [&](ValueId out) { return uses_[out.index()] == 0; }) &&
      (ops.size() == 1 ? unread(ops[0]) : true))
    kill(step);
}

}  // namespace uc
