#include "check/two_steps.h"

#include <algorithm>
#include <fmt/format.h>

#include "catalog/program_builder.h"
#include "syntax/layout.h"

namespace uc {
namespace {

using Kind = ast::Expr::Kind;

// Parts of an expression that a name stands for: by place, and `it`.
struct Names {
  const std::vector<Span>& places;
  const std::vector<std::string>& names;
  std::string_view it = {};

  const std::string* of(Span span) const {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] == span) return &names[i];
    }
    return nullptr;
  }
};

ast::ExprPtr word(std::string_view text) {
  auto expr = std::make_unique<ast::Expr>();
  expr->kind = Kind::name;
  expr->text = text;
  return expr;
}

ast::Call copy(const ast::Call& call, const Names& names);
ast::ArgValue copy(const ast::ArgValue& value, const Names& names);

ast::ExprPtr copy(const ast::Expr& expr, const Names& names) {
  if (const std::string* name = names.of(expr.span)) return word(*name);
  if (expr.kind == Kind::name && expr.text == "it" && !names.it.empty()) return word(names.it);
  auto out = std::make_unique<ast::Expr>();
  out->kind = expr.kind;
  out->span = expr.span;
  out->integer = expr.integer;
  out->real = expr.real;
  out->text = expr.text;
  if (expr.call) out->call = copy(*expr.call, names);
  if (expr.left) out->left = copy(*expr.left, names);
  if (expr.right) out->right = copy(*expr.right, names);
  return out;
}

ast::ArgValue copy(const ast::ArgValue& value, const Names& names) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return copy(**expr, names);
  if (const auto* typed = std::get_if<ast::Typed>(&value)) return *typed;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  auto list = std::make_unique<ast::List>();
  for (const ast::ArgValue& item : std::get<std::unique_ptr<ast::List>>(value)->items)
    list->items.push_back(copy(item, names));
  return list;
}

ast::Call copy(const ast::Call& call, const Names& names) {
  ast::Call out;
  out.callee = call.callee;
  for (const ast::Arg& arg : call.args) out.args.push_back({arg.name, copy(arg.value, names), arg.span});
  return out;
}

const ast::Expr* find(const ast::Expr& expr, Span place);

const ast::Expr* find(const ast::ArgValue& value, Span place) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return find(**expr, place);
  const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value);
  if (list == nullptr) return nullptr;
  for (const ast::ArgValue& item : (*list)->items) {
    if (const ast::Expr* found = find(item, place)) return found;
  }
  return nullptr;
}

const ast::Expr* find(const ast::Call& call, Span place) {
  for (const ast::Arg& arg : call.args) {
    if (const ast::Expr* found = find(arg.value, place)) return found;
  }
  return nullptr;
}

const ast::Expr* find(const ast::Expr& expr, Span place) {
  if (expr.span == place) return &expr;
  if (expr.call) return find(*expr.call, place);
  const ast::Expr* found = expr.left ? find(*expr.left, place) : nullptr;
  return found != nullptr || !expr.right ? found : find(*expr.right, place);
}

std::string left_side(const std::vector<ast::Name>& names, size_t from, size_t to, std::string_view more) {
  std::vector<std::string_view> out;
  for (size_t i = from; i < std::min(to, names.size()); ++i) out.push_back(names[i].text);
  if (!more.empty()) out.push_back(more);
  return fmt::format("{}", fmt::join(out, ", "));
}

// `expr knobs >> chain[from, to)`; an infix expression stands in brackets when something follows.
std::string right_side(const ast::Step& step, const ast::Expr& expr, bool knobs, size_t from, size_t to,
                       const Names& names) {
  const auto main = copy(expr, names);
  std::string out = syntax::text_of(*main);
  const bool more = (knobs && !step.knobs.empty()) || from < to;
  if (more && syntax::is_infix(*main)) out = "(" + out + ")";
  for (size_t i = 0; knobs && i < step.knobs.size(); ++i) out += syntax::text_of(step.knobs[i]);
  for (size_t i = from; i < to; ++i) out += " >> " + syntax::text_of(copy(step.chain[i], names));
  return out;
}

// A fused call as a step of its own: the value so far is its first argument.
ast::ExprPtr as_step(const ast::Call& call, std::string_view value) {
  static const std::vector<Span> kNowhere;
  static const std::vector<std::string> kNone;
  const Names names{kNowhere, kNone, value};
  if (call.callee.text == "map" && call.args.size() == 1) {
    if (const auto* body = std::get_if<ast::ExprPtr>(&call.args[0].value)) return copy(**body, names);
  }
  auto out = std::make_unique<ast::Expr>();
  out->kind = Kind::call;
  out->call = copy(call, names);
  if (!gives_operands(call) && call.callee.text != "map")
    out->call->args.insert(out->call->args.begin(), {std::nullopt, ast::ArgValue(word(value)), {}});
  return out;
}

}  // namespace

const ast::Expr* find_expression(const ast::Step& step, Span place) {
  const ast::Expr* found = find(*step.expr, place);
  for (size_t i = 0; found == nullptr && i < step.chain.size(); ++i) found = find(step.chain[i], place);
  return found;
}

bool mentions_it(const ast::ArgValue& value) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return mentions_it(**expr);
  const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value);
  return list != nullptr &&
         std::ranges::any_of((*list)->items, [](const ast::ArgValue& item) { return mentions_it(item); });
}

bool gives_operands(const ast::Call& call) {
  return std::ranges::any_of(call.args,
                             [](const ast::Arg& arg) { return !arg.name && mentions_it(arg.value); });
}

bool mentions_it(const ast::Expr& expr) {
  if (expr.kind == Kind::name) return expr.text == "it";
  if (expr.call) {
    return std::ranges::any_of(expr.call->args, [](const ast::Arg& arg) { return mentions_it(arg.value); });
  }
  return (expr.left && mentions_it(*expr.left)) || (expr.right && mentions_it(*expr.right));
}

std::string hoisted(const ast::Step& step, const std::vector<Span>& inner,
                    const std::vector<std::string>& names) {
  std::string out;
  std::vector<Span> places;
  std::vector<std::string> given;
  for (size_t i = 0; i < inner.size(); ++i) {
    const ast::Expr* found = find_expression(step, inner[i]);
    if (found == nullptr || found == step.expr.get()) continue;
    out += fmt::format("{} = {}\n", names[i], syntax::text_of(*found));
    places.push_back(inner[i]);
    given.push_back(names[i]);
  }
  if (places.empty()) return {};
  const Names named{places, given};
  return out + left_side(step.names, 0, step.names.size(), {}) + " = " +
         right_side(step, *step.expr, true, 0, step.chain.size(), named);
}

std::string split_before(const ast::Step& step, size_t call, size_t stores, std::string_view name) {
  if (call >= step.chain.size() || stores >= std::max<size_t>(step.names.size(), 1)) return {};
  static const std::vector<Span> kNowhere;
  static const std::vector<std::string> kNone;
  const Names none{kNowhere, kNone};
  const auto second = as_step(step.chain[call], name);
  return fmt::format("{} = {}\n{} = {}", left_side(step.names, 0, stores, name),
                     right_side(step, *step.expr, true, 0, call, none),
                     left_side(step.names, stores, step.names.size(), {}),
                     right_side(step, *second, false, call + 1, step.chain.size(), none));
}

Program cut_chain(const Catalog& catalog, const Program& program, StepId id, size_t call) {
  const Step& whole = program[id];
  std::vector<ValueId> running = heads_of(program, whole);
  size_t stores = 0;
  for (size_t i = 0; i < call; ++i) {
    if (program[whole.chain[i].ops.back()].spec->stores) ++stores;
    running = after_call(program, whole.chain[i], running);
  }
  if (running.size() != 1 || !whole.chain[call].out.empty()) return program;
  Program out = program;
  DiagSink scratch;
  ProgramBuilder builder(catalog, out, scratch);
  Step first = whole;
  Step second;
  first.chain.resize(call);
  first.results.assign(whole.results.begin(), whole.results.begin() + static_cast<std::ptrdiff_t>(stores));
  first.results.push_back(running[0]);
  out[running[0]].name = builder.fresh_name("t");
  const std::vector<OpId>& ops = whole.chain[call].ops;
  second.prologue.assign(ops.begin(), ops.end() - 1);
  second.main = ops.back();
  second.chain.assign(whole.chain.begin() + static_cast<std::ptrdiff_t>(call) + 1, whole.chain.end());
  second.results.assign(whole.results.begin() + static_cast<std::ptrdiff_t>(stores), whole.results.end());
  out[id] = std::move(first);
  out.steps.insert(out.steps.begin() + static_cast<std::ptrdiff_t>(id.index()) + 1, std::move(second));
  for (size_t i = 0; i < out.steps.size(); ++i) {
    for (const OpId op : ops_of(out.steps[i])) out[op].step = StepId(i);
  }
  reinfer(catalog, out, scratch);
  return out;
}

}  // namespace uc
