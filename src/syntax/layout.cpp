#include "syntax/layout.h"

#include <algorithm>
#include <fmt/format.h>

namespace uc::syntax {
namespace {

using Kind = ast::Expr::Kind;

constexpr size_t kDeepestIndent = 60;

// As in the grammar: comparison, sum, product, minus, power, atom.
enum Precedence : int { comparison = 1, sum, product, minus, power, primary };

int precedence(const ast::Expr& expr) {
  if (expr.kind == Kind::negate) return minus;
  if (expr.kind != Kind::binary) return primary;
  const std::string& op = expr.text;
  if (op == "**") return power;
  if (op == "*" || op == "/") return product;
  return op == "+" || op == "-" ? sum : comparison;
}

bool left_in_brackets(const ast::Expr& parent) {
  const int own = precedence(parent);
  const int left = precedence(*parent.left);
  return own == power ? left < primary : own == comparison ? left <= own : left < own;
}

bool right_in_brackets(const ast::Expr& parent) {
  const int own = precedence(parent);
  const int right = precedence(*parent.right);
  return own == power ? right < minus : right <= own;
}

bool negated_in_brackets(const ast::Expr& parent) { return precedence(*parent.left) < minus; }

std::string bracketed(const ast::Expr& expr, bool brackets) {
  return brackets ? fmt::format("({})", text_of(expr)) : text_of(expr);
}

std::string text_of_value(const ast::ArgValue& value) {
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return text_of(**expr);
  if (const auto* typed = std::get_if<ast::Typed>(&value)) return typed->dtype.text + text_of(typed->sizes);
  if (const auto* raw = std::get_if<std::string>(&value)) return quoted(*raw);
  std::string out = "[";
  for (const ast::ArgValue& item : std::get<std::unique_ptr<ast::List>>(value)->items) {
    if (out.size() > 1) out += ", ";
    out += text_of_value(item);
  }
  return out + "]";
}

std::string text_of_arg(const ast::Arg& arg) {
  return arg.name ? fmt::format("{}={}", arg.name->text, text_of_value(arg.value)) : text_of_value(arg.value);
}

}  // namespace

bool is_infix(const ast::Expr& expr) { return expr.kind == Kind::binary || expr.kind == Kind::negate; }

std::string quoted(std::string_view raw) {
  const std::string_view quotes = raw.find_first_of("\"\n") == std::string_view::npos ? "\"" : "\"\"\"";
  return fmt::format("{0}{1}{0}", quotes, raw);
}

std::string text_of(const std::vector<ast::Size>& sizes) {
  std::string out = "[";
  for (const ast::Size& size : sizes) {
    if (out.size() > 1) out += ", ";
    if (size.scale) out += std::to_string(*size.scale);
    if (size.scale && size.dim) out += "*";
    if (size.dim) out += size.dim->text;
  }
  return out + "]";
}

std::string text_of(const std::vector<ast::Arg>& args) {
  std::string out = "(";
  for (const ast::Arg& arg : args) {
    if (out.size() > 1) out += ", ";
    out += text_of_arg(arg);
  }
  return out + ")";
}

std::string text_of(const ast::Call& call) { return call.callee.text + text_of(call.args); }

std::string text_of(const ast::Expr& expr) {
  switch (expr.kind) {
    case Kind::integer:
    case Kind::real:
    case Kind::name: return expr.text;
    case Kind::call: return text_of(*expr.call);
    case Kind::negate: return "-" + bracketed(*expr.left, negated_in_brackets(expr));
    case Kind::binary: break;
  }
  return fmt::format("{} {} {}", bracketed(*expr.left, left_in_brackets(expr)), expr.text,
                     bracketed(*expr.right, right_in_brackets(expr)));
}

std::string text_of(const ast::Knob& knob) {
  std::string out = "." + knob.name.text + "(";
  for (const ast::Setting& setting : knob.settings) {
    if (out.back() != '(') out += ", ";
    if (setting.is_set) out += "{";
    for (size_t i = 0; i < setting.literals.size(); ++i)
      out += (i == 0 ? "" : ", ") + setting.literals[i].text;
    if (setting.is_set) out += "}";
  }
  return out + ")";
}

// ---- Layout

void Layout::put(std::string_view text) {
  out_ += text;
  const size_t last = text.rfind('\n');
  if (last == std::string_view::npos) return;
  line_begin_ = out_.size() - (text.size() - last - 1);
  indent_ = 0;
}

void Layout::newline(size_t indent) {
  out_ += '\n';
  line_begin_ = out_.size();
  indent_ = indent;
  out_.append(indent, ' ');
}

bool Layout::fits(std::string_view text, size_t after) const {
  const size_t first = text.find('\n');
  return first == std::string_view::npos ? column() + text.size() + after <= kLineWidth
                                         : column() + first <= kLineWidth;
}

// Where lines go on inside the bracket that was just opened.
size_t Layout::inner_indent() const {
  return column() <= kDeepestIndent ? column() : std::min(indent_ + kContinuation, kDeepestIndent);
}

void Layout::put(const ast::Expr& expr, size_t after, bool in_brackets) {
  const std::string flat = text_of(expr);
  if (fits(flat, after)) return put(flat);
  if (is_infix(expr) && !in_brackets) return put_operand(expr, true, after);
  switch (expr.kind) {
    case Kind::integer:
    case Kind::real:
    case Kind::name: return put(flat);
    case Kind::call: return put(*expr.call, after);
    case Kind::negate: put("-"); return put_operand(*expr.left, negated_in_brackets(expr), after);
    case Kind::binary: break;
  }
  put_binary(expr, inner_indent(), after);
}

void Layout::put_operand(const ast::Expr& expr, bool brackets, size_t after) {
  if (!brackets) return put(expr, after, true);
  put("(");
  put(expr, after + 1, true);
  put(")");
}

// Breaks before operators. The operands of `a + b + c` stand below each other.
void Layout::put_binary(const ast::Expr& expr, size_t align, size_t after) {
  const bool brackets = left_in_brackets(expr);
  const bool same =
      expr.left->kind == Kind::binary && !brackets && precedence(*expr.left) == precedence(expr);
  same ? put_binary(*expr.left, align, 0) : put_operand(*expr.left, brackets, 0);
  const std::string right = bracketed(*expr.right, right_in_brackets(expr));
  if (fits(fmt::format(" {} {}", expr.text, right), after))
    return put(fmt::format(" {} {}", expr.text, right));
  newline(align);
  put(expr.text + " ");
  put_operand(*expr.right, right_in_brackets(expr), after);
}

void Layout::put(const ast::Call& call, size_t after) {
  put(call.callee.text);
  put_args(call.args, after);
}

void Layout::put_args(const std::vector<ast::Arg>& args, size_t after) {
  put("(");
  const size_t align = inner_indent();
  for (size_t i = 0; i < args.size(); ++i) {
    const size_t behind = i + 1 == args.size() ? after + 1 : 1;
    if (i > 0) put(",");
    const std::string flat = text_of_arg(args[i]);
    if (i > 0 && fits(" " + flat, behind)) {
      put(" " + flat);
      continue;
    }
    if (i > 0) newline(align);
    if (args[i].name) put(args[i].name->text + "=");
    put_value(args[i].value, behind);
  }
  put(")");
}

void Layout::put_value(const ast::ArgValue& value, size_t after) {
  const std::string flat = text_of_value(value);
  const auto* list = std::get_if<std::unique_ptr<ast::List>>(&value);
  if (const auto* expr = std::get_if<ast::ExprPtr>(&value)) return put(**expr, after, true);
  if (list == nullptr || fits(flat, after)) return put(flat);
  put("[");
  const size_t align = inner_indent();
  const auto& items = (*list)->items;
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t behind = i + 1 == items.size() ? after + 1 : 1;
    if (i > 0) put(",");
    const std::string item = text_of_value(items[i]);
    if (i > 0 && fits(" " + item, behind)) {
      put(" " + item);
      continue;
    }
    if (i > 0) newline(align);
    put_value(items[i], behind);
  }
  put("]");
}

}  // namespace uc::syntax
