// After `>>`: fused operators, one after the other, on the running value or on each of several.
#include <algorithm>
#include <fmt/format.h>

#include "check/diags.h"
#include "check/step_resolver.h"

namespace uc {
namespace {

bool fusable(const OpSpec& spec) {
  return (static_cast<int>(spec.place) & static_cast<int>(Place::fused)) != 0;
}

}  // namespace

bool StepResolver::has_memory(ValueId id) const {
  const Value& root = program_[program_[id].root];
  return root.kind != ValueKind::literal && (!root.def || program_[root.def].step);
}

bool StepResolver::chain() {
  for (size_t at = 0; at < statement_->chain.size(); ++at) {
    if (!chain_call(at)) return false;
  }
  return true;
}

bool StepResolver::chain_call(size_t at) {
  const ast::Call& ast = statement_->chain[at];
  pending_.clear();
  const bool is_map = ast.callee.text == "map";
  const OpSpec* spec = is_map ? nullptr : find_operator(ast.callee);
  if (!is_map && spec == nullptr) return false;
  if (!is_map && !fusable(*spec)) return not_fusable(*spec, at), false;
  std::optional<Operand> made;
  if (running_.size() == 1) {
    it_ = running_[0];
    made = one_call(ast, spec);
    it_.reset();
  } else {
    made = call_of_each(ast, spec);
  }
  if (!made || !legal_in_chain(at, made->values)) return false;
  for (const ValueId id : made->values) {
    if (!is_floating(program_[id].dtype)) continue;
    // An inner `to` rounds as a store would, so the licence covers it.
    for (const OpId op : pending_) {
      if (program_[op].attrs.has("dtype")) check_storage(program_[op].out.back(), ast.span);
    }
  }
  Step::Call call{pending_, is_map, ast.span};
  if (made->values.size() > 1) call.out = made->values;
  step_.chain.push_back(std::move(call));
  pending_.clear();
  if (spec != nullptr && spec->stores) {
    stores_.push_back(made->value());
  } else {
    running_ = std::move(made->values);
  }
  return true;
}

std::optional<Operand> StepResolver::one_call(const ast::Call& ast, const OpSpec* spec) {
  if (spec == nullptr) {
    auto bodies = map_bodies(ast);
    if (!bodies || !distinct(*bodies, ast.span)) return std::nullopt;
    const bool idle = pending_.empty() || !pending_makes(bodies->back());
    if (!idle) return Operand{std::move(*bodies), true};
    diags_.add(kinds::nothing_to_do, ast.span, "this `map` computes nothing").help =
        bodies->size() > 1 ? "let its last expression compute something: `>> map(it, it * it)`"
                           : "use `it` in an expression: `>> map(it * 2)`";
    return std::nullopt;
  }
  // `sum(it, it * it, dim=1)`: the operands stand in the call, one result for each.
  const bool operands = spec->reduces && gives_operands(ast);
  const auto bound = bind_args(query(*spec, ast, !operands), diags_);
  if (!bound) return std::nullopt;
  auto in = values(bound->tensors);
  if (!in) return std::nullopt;
  if (operands && takes_several(*spec)) return apply_each(*spec, *in, bound->attrs, ast.span);
  if (operands) return apply(*spec, std::move(*in), bound->attrs, ast.span);
  if (spec->along_columns) along_columns(*in, ast.span);
  in->insert(in->begin(), running_[0]);
  return apply(*spec, std::move(*in), bound->attrs, ast.span);
}

// An operand of one dimension runs along the columns of what the step makes: channels of a convolution lie
// before the last dimension, so it is viewed as [C, 1, 1].
void StepResolver::along_columns(std::vector<ValueId>& operands, Span span) {
  const Op& main = program_[step_.main];
  const int64_t columns = main.spec->columns;
  if (columns == -1 || program_[running_[0]].shape != program_[main.out[0]].shape) return;
  for (ValueId& id : operands) {
    if (program_[id].shape.size() != 1 || !has_memory(id)) continue;
    Shape lifted(static_cast<size_t>(-columns), 1);
    lifted[0] = program_[id].shape[0];
    Attrs attrs;
    attrs.set("shape", std::move(lifted));
    const OpSpec* reshape = scope_.catalog.op("reshape");
    const auto view = reshape == nullptr ? std::nullopt : apply(*reshape, {id}, std::move(attrs), span);
    if (view) id = view->value();
  }
}

// Several values: an elementwise operator means each of them; anything else could mean more than one thing.
std::optional<Operand> StepResolver::call_of_each(const ast::Call& ast, const OpSpec* spec) {
  if (spec == nullptr || !spec->is_pointwise() || spec->stores) {
    diags_
        .add(kinds::result_count, ast.span,
             fmt::format("`{}` after an operator with {} results", ast.callee.text, running_.size()))
        .help =
        "elementwise operators apply to each of them; for anything else end the step with a name for "
        "each, and go on in a step of its own";
    return std::nullopt;
  }
  const auto bound = bind_args(query(*spec, ast, true), diags_);
  if (!bound) return std::nullopt;
  const auto rest = values(bound->tensors);
  if (!rest) return std::nullopt;
  Operand out{{}, true};
  for (const ValueId id : running_) {
    std::vector<ValueId> in{id};
    in.insert(in.end(), rest->begin(), rest->end());
    const auto each = apply(*spec, std::move(in), bound->attrs, ast.span);
    if (!each) return std::nullopt;
    out.values.push_back(each->value());
  }
  return out;
}

// Elementwise operators, views of what has memory, and row-wise operators on what this step makes.
bool StepResolver::legal_in_chain(size_t at, const std::vector<ValueId>& made) {
  bool reduces = false;
  for (const OpId id : pending_) {
    const Op& op = program_[id];
    const bool reads_memory = op.in.empty() || has_memory(op.in[0]);
    if (is_view(id) && reads_memory) continue;
    if (is_view(id) || !fusable(*op.spec)) return not_fusable(*op.spec, at), false;
    if (launches(id) && reads_memory) {
      auto& diag =
          diags_.add(kinds::nested_launch, op.span,
                     fmt::format("`{}` of a tensor in memory is a kernel of its own", op.spec->name));
      hoist(diag, {op.span});
      return false;
    }
    const bool result = std::ranges::find(made, op.out.back()) != made.end();
    reduces = reduces || (result && op.spec->reduces);
  }
  if (reduces) return true;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!same_shape(running_.size() > 1 ? running_[i] : running_[0], made[i], at)) return false;
  }
  return true;
}

void StepResolver::not_fusable(const OpSpec& spec, size_t at) {
  const ast::Call& ast = statement_->chain[at];
  auto& diag = diags_.add(kinds::not_fusable, ast.span, fmt::format("`{}` cannot follow `>>`", spec.name));
  diag.help = fmt::format("make it a step of its own: `z = {}`", signature(spec, false));
  if (running_.size() == 1) split(diag, at);
}

bool StepResolver::same_shape(ValueId before, ValueId after, size_t at) {
  if (program_[before].shape == program_[after].shape) return true;
  auto& diag = diags_.add(
      kinds::chain_shape, statement_->chain[at].span,
      fmt::format("this makes {} of {}", to_text(program_[after].shape), to_text(program_[before].shape)));
  diag.help = "an operand of a fused operator broadcasts to the running value, not the other way round";
  const OpSpec* spec = scope_.catalog.op(statement_->chain[at].callee.text);
  if (running_.size() == 1 && (spec == nullptr || spec->place != Place::fused)) split(diag, at);
  return false;
}

}  // namespace uc
