#include "sol/needs.h"

#include <algorithm>
#include <deque>

#include "catalog/op_spec.h"
#include "sol/graph.h"
#include "sol/places.h"
#include "sol/regions.h"

namespace uc::sol {
namespace {

constexpr double kWhole = 1 - 1e-9;

Need of_share(const Value& value, double share) {
  if (share >= kWhole) return {};
  return {false, {Part::share(value.shape, share)}, share};
}

// Parts of a tensor as a need of it. What they name together is at least `known`.
Need of_parts(const Value& value, std::vector<Part> parts, double known = 0) {
  unite(parts);
  const double all = static_cast<double>(numel(value.shape));
  double most = known * all;
  for (const Part& part : parts) most = std::max(most, part.elements());
  if (all == 0 || most >= all * kWhole) return {};
  return {false, std::move(parts), most / all};
}

}  // namespace

Needs::Needs(const Program& program, const std::vector<OpId>& running, const std::vector<OpWork>& work)
    : program_(program),
      work_(work),
      numbers_(program.values.size(), 0),
      share_(program.ops.size(), 1),
      made_(program.values.size()),
      operands_(program.ops.size()) {
  for (const OpId id : running) {
    const Op& op = program[id];
    for (size_t i = 0; i < op.in.size(); ++i) readers_[program[op.in[i]].root.index()].push_back({id, i});
  }
  for (const ValueId id : program.results) {
    const Value& value = program[id];
    if (!value.observed || !value.observed->constant) returned_[value.root.index()].push_back(id);
  }
  forward(running);
  for (size_t i = running.size(); i-- > 0;) backward(running[i]);
}

void Needs::forward(const std::vector<OpId>& running) {
  for (size_t i = 0; i < program_.values.size(); ++i) {
    const Value& value = program_.values[i];
    numbers_[i] = value.kind == ValueKind::literal ? 0 : distinct_elements(value);
  }
  for (const OpId id : running) {
    const Op& op = program_[id];
    if (work_[id.index()].contracts || op.in.empty() || op.spec->drawn) continue;
    double from = 0;
    for (const ValueId in : op.in) from += numbers(in);
    for (const ValueId out : op.out)
      numbers_[out.index()] = std::min(numbers_[out.index()], std::max(1.0, from));
  }
}

double Needs::numbers(ValueId id) const {
  const Value& value = program_[id];
  if (value.kind == ValueKind::literal) return 0;
  return std::min(distinct_elements(value), numbers_[value.root.index()]);
}

const Need& Needs::need(ValueId made) const { return made_[made.index()]; }

void Needs::backward(OpId id) {
  const Op& op = program_[id];
  for (const ValueId out : op.out) {
    const auto readers = readers_.find(out.index());
    const auto returned = returned_.find(out.index());
    made_[out.index()] = united(out, readers == readers_.end() ? std::span<const Reader>() : readers->second,
                                returned == returned_.end() ? std::span<const ValueId>() : returned->second);
  }
  share_[id.index()] = share_of(id);
  for (size_t i = 0; i < op.in.size(); ++i) operands_[id.index()].push_back(operand(id, i));
}

double Needs::share_of(OpId id) const {
  const Op& op = program_[id];
  double most = 0;
  double needed = 0;
  double all = 0;
  for (const ValueId out : op.out) {
    const double share = need(out).share;
    const auto count = static_cast<double>(numel(program_[out].shape));
    most = std::max(most, share);
    needed += share * count;
    all += count;
  }
  if (op.spec->scalar != nullptr) return all > 0 ? needed / all : 1;  // each result apart
  if (op.spec->needed == nullptr || most >= kWhole) return most;
  const bool others =
      std::any_of(op.out.begin() + 1, op.out.end(), [&](ValueId out) { return need(out).share > 0; });
  return others ? 1 : std::clamp(op.spec->needed(program_, op, need(op.out[0]).parts), 0.0, 1.0);
}

double Needs::flops(OpId id, double flops) const {
  const Op& op = program_[id];
  const Need& out = need(op.out[0]);
  if (op.out.size() > 1 || out.whole || op.spec->part_flops == nullptr) return flops * share(id);
  double most = 0;
  for (const Part& part : out.parts) most = std::max(most, op.spec->part_flops(program_, op, part));
  return std::min(flops, most);
}

// What of operand `i` one result needs, as it is needed itself.
std::vector<Part> Needs::parts_of(OpId id, size_t i, size_t result) const {
  const Op& op = program_[id];
  const Value& value = program_[op.in[i]];
  const Value& made = program_[op.out[result]];
  const Need& out = need(op.out[result]);
  std::vector<Part> parts = out.parts;
  if (out.whole) parts = {Part::whole(made.shape)};
  for (Part& part : parts) {
    if (op.spec->needs != nullptr) {
      part = op.spec->needs(program_, op, i, result, part);
    } else if (op.spec->scalar != nullptr) {
      part = broadcast_part(part, made.shape, value.shape);
    } else {
      part = out.whole ? Part::whole(value.shape) : Part::none(value.shape);
    }
  }
  return parts;
}

Need Needs::operand(OpId id, size_t i) const {
  const Op& op = program_[id];
  const Value& value = program_[op.in[i]];
  if (op.spec->needed != nullptr) return of_share(value, share(id));
  const bool whole = std::ranges::all_of(op.out, [&](ValueId out) { return need(out).whole; });
  if (whole && op.spec->needs == nullptr) return {};
  std::vector<Part> parts;
  for (size_t result = 0; result < op.out.size(); ++result) {
    if (op.spec->scalar != nullptr && op.out.size() > 1 && result != i) continue;  // one operand a result
    const auto own = parts_of(id, i, result);
    parts.insert(parts.end(), own.begin(), own.end());
  }
  return of_parts(value, std::move(parts));
}

// Views that are needed whole, or by place, are united in the memory; of others the largest counts.
Need Needs::united(ValueId id, std::span<const Reader> readers, std::span<const ValueId> returned) const {
  const Value& root = program_[id];
  std::deque<Value> cut;
  std::vector<const Value*> views;
  std::vector<Part> parts;
  const auto add = [&](const Value& view, const Need& need) {
    if (need.whole) {
      views.push_back(&view);
      return;
    }
    for (const Part& part : need.parts) {
      if (part.inside == 1 && !part.triangle) {
        cut.push_back(cut_out(view, part));
        views.push_back(&cut.back());
      }
      parts.push_back(&view == &root ? part : in_root(view, root, part));
    }
  };
  for (const ValueId view : returned) add(program_[view], {});
  for (const auto& [op, i] : readers) {
    const std::vector<Need>& own = operands_[op.index()];  // none: it runs when weights are loaded
    add(program_[program_[op].in[i]], own.empty() ? Need{} : own[i]);
  }
  const double all = distinct_elements(root);
  if (all == 0) return {};
  const double share = views.empty() ? 0 : distinct_elements(root, views) / all;
  if (share >= kWhole) return {};
  for (const Value* view : views) {
    const bool own = std::ranges::none_of(cut, [&](const Value& each) { return &each == view; });
    if (own) parts.push_back(in_root(*view, root, Part::whole(view->shape)));
  }
  return of_parts(root, std::move(parts), share);
}

double Needs::elements(ValueId id, std::span<const Reader> readers) const {
  const Value& root = program_[id];
  const Need need = united(id, readers, {});
  const double all = distinct_elements(root);
  if (need.whole) return all * information(root);
  if (information(root) == 1) return need.share * all;
  double most = 0;
  for (const Part& part : need.parts) most = std::max(most, carried(root, part));
  return most;
}

void keep_needed(const std::vector<OpId>& running, const Needs& needs, std::vector<OpWork>& work) {
  for (const OpId id : running) {
    OpWork& each = work[id.index()];
    const double share = needs.share(id);
    each.needed = share < kWhole;
    if (each.contracts) {
      const double fast = each.minimum_flops > 0 ? each.least_flops / each.minimum_flops : 1;
      each.minimum_flops = needs.flops(id, each.minimum_flops);
      each.least_flops = std::min(each.least_flops * std::max(share, 0.0), each.minimum_flops);
      if (fast >= 1) each.least_flops = each.minimum_flops;
    }
    each.least_fma *= share;
    each.least_special *= share;
    each.least_integer *= share;
  }
}

void count_copies_once(const Program& program, const std::vector<OpId>& running, const Needs& needs,
                       std::vector<OpWork>& work) {
  for (const OpId id : running) {
    const Op& op = program[id];
    OpWork& each = work[id.index()];
    double numbers = 0;
    double least = 1;
    for (size_t i = 0; i < op.in.size(); ++i) {
      const double own = needs.numbers(op.in[i]);
      numbers += own;
      const double all = distinct_elements(program[op.in[i]]);
      const bool given = program[program[op.in[i]].root].params_only;
      if (i < 2 && all > 0 && !given) least *= std::min(1.0, own / all);
    }
    each.copies = each.contracts && least * each.shared < kWhole;
    if (each.contracts) {
      each.least_flops *= least * each.shared;
      each.minimum_flops *= least * each.shared;
    }
    const double spare =
        op.in.empty() ? 1 : std::min(1.0, std::max(1.0, numbers) / std::max(1.0, each.items));
    each.least_fma *= spare;
    each.least_special *= spare;
    each.least_integer *= spare;
  }
}

}  // namespace uc::sol
