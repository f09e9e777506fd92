// The table. Rules neither begin nor end with a space, but for those of layout.
#include "language/grammar.h"

#include <algorithm>
#include <set>

#include "ir/layout.h"
#include "language/names.h"
#include "language/parts.h"

namespace uc::language {
namespace {

using namespace parts;
using Kind = Rule::Kind;

constexpr std::string_view kLetters = "A-Za-z_";
constexpr std::string_view kWord = "A-Za-z0-9_";

// ---- words

/// Names other than `reserved`, as a regular language: where two reserved words part, so do the choices.
Part name_but(const std::set<std::string>& reserved, size_t depth = 0) {
  std::set<char> next;
  bool taken = false;
  for (const std::string& word : reserved)
    word.size() == depth ? void(taken = true) : void(next.insert(word[depth]));
  std::string others;
  for (const char c : depth == 0 ? all_letters() : all_word_characters()) {
    if (!next.contains(c)) others += c;
  }
  std::vector<Part> ways{sequence({set(as_ranges(others)), many({set(kWord)})})};
  for (const char c : next) {
    std::set<std::string> within;
    std::copy_if(reserved.begin(), reserved.end(), std::inserter(within, within.end()),
                 [&](const std::string& word) { return word.size() > depth && word[depth] == c; });
    ways.push_back(sequence({text(std::string(1, c)), name_but(within, depth + 1)}));
  }
  Part rest = choice(std::move(ways));
  return depth == 0 || taken ? rest : optional({std::move(rest)});
}

Part digits() { return sequence({set("1-9"), repeat(set("0-9"), 0, 17)}); }

Part exponent() { return sequence({set("eE"), optional({set("+-")}), repeat(set("0-9"), 1, 2)}); }

Part float_word() {
  const Part fraction = sequence({text("."), repeat(set("0-9"), 1, 17)});
  return sequence(
      {choice({text("0"), digits()}), choice({sequence({fraction, optional({exponent()})}), exponent()})});
}

// Control characters stand nowhere but in line ends and tabs.
Part string_word() {
  const Part plain = set(R"(^"\x00-\x08\x0a-\x1f\x7f)");
  const Part any = set(R"(^"\x00-\x08\x0b\x0c\x0e-\x1f\x7f)");
  const Part raw = many({choice({any, sequence({text("\""), any}), sequence({text("\"\""), any})})});
  return choice(
      {sequence({text("\"\"\""), raw, text("\"\"\"")}), sequence({text("\""), many({plain}), text("\"")})});
}

void add_words(std::vector<Rule>& rules, const Catalog& catalog) {
  const auto word = [&rules](std::string_view name, Part body) {
    rules.push_back({std::string(name), std::move(body), Kind::word});
  };
  const auto& keywords = statement_words();
  word("target", words(target_names(catalog)));
  word("precision", words(precision_names()));
  word("dtype", words(dtype_names()));
  word("attribute", words(attribute_names()));
  word("knob_name", words(knob_names(catalog)));
  word("operator", words(step_names(catalog)));
  word("fused_operator", words(fused_names(catalog)));
  word("name", sequence({set(kLetters), many({set(kWord)})}));
  word("step_name", name_but({keywords.begin(), keywords.end()}));
  word("int", choice({text("0"), digits()}));
  word("float", float_word());
  word("tile", sequence({digits(), repeat(sequence({text("x"), digits()}), 1, 4)}));
  word("string", string_word());
}

// ---- layout

void add_layout(std::vector<Rule>& rules) {
  const auto layout = [&rules](std::string_view name, Part body) {
    rules.push_back({std::string(name), std::move(body), Kind::layout});
  };
  const Part blank = set(R"( \t\r)");
  const Part comment = sequence({text("#"), many({set(R"(^\x00-\x08\x0a-\x0c\x0e-\x1f\x7f)")})});
  const Part line = sequence({many({blank}), optional({comment}), text("\n")});
  layout("blanks", repeat(blank, 1, -1));
  layout("gap", repeat(choice({set(R"( \t\r\n)"), sequence({comment, text("\n")})}), 1, -1));
  // The line goes on: nothing stands here but blank lines and comments.
  layout("more", choice({sequence({repeat(line, 1, -1), many({blank})}), repeat(blank, 1, -1)}));
  layout("line_end", sequence({repeat(line, 1, -1), many({blank})}));
  layout("end", choice({sequence({repeat(line, 1, -1), many({blank}), optional({comment})}),
                        sequence({repeat(blank, 1, -1), optional({comment})}), comment}));
}

// ---- syntax

void add_statements(std::vector<Rule>& rules) {
  const auto add = [&rules](std::string_view name, Part body) {
    rules.push_back({std::string(name), std::move(body), Kind::syntax});
  };
  const Part gap = rule("blanks");
  const Part more = optional({rule("more")});
  add("program",
      sequence({more, many({rule("statement"), rule("line_end")}), rule("result"), optional({rule("end")})}));
  add("statement", choice({rule("header"), rule("dim"), rule("decl"), rule("step")}));
  add("header", choice({sequence({text("target"), gap, rule("target")}),
                        sequence({text("precision"), gap, rule("precision")}),
                        sequence({text("name"), gap, rule("name")})}));
  add("dim", sequence({text("dim"), gap, rule("name"), sp(), text("="), sp(), rule("int"), sp(), text(".."),
                       sp(), rule("int"), optional({gap, text("step"), gap, rule("int")})}));
  add("decl", sequence({choice({text("input"), text("param"), text("scalar")}), gap, rule("name"), sp(),
                        text(":"), sp(), rule("type"), many({sp(), rule("attr")}),
                        optional({sp(), text("="), sp(), rule("string")})}));
  add("type", sequence({rule("dtype"), optional({sp(), rule("sizes")})}));
  add("sizes", bracketed("[", listed(rule("size")), "]"));
  add("size",
      choice({sequence({rule("int"), optional({sp(), text("*"), sp(), rule("name")})}), rule("name")}));
  add("attr", sequence({text("@"), rule("attribute"), optional({sp(), rule("arguments")})}));
  add("step",
      sequence({rule("step_name"), many({sp(), text(","), sp(), rule("name")}), sp(), text("="), sp(),
                rule("expr"), many({more, rule("knob")}), many({more, text(">>"), more, rule("link")})}));
  add("knob",
      sequence({text("."), rule("knob_name"), sp(), bracketed_or_empty("(", listed(rule("setting")), ")")}));
  add("setting", choice({rule("literal"), bracketed("{", listed(rule("literal")), "}")}));
  add("literal", choice({rule("tile"), rule("float"), rule("int"), rule("name")}));
  add("link", sequence({rule("fused_operator"), sp(), rule("arguments")}));
  add("result", sequence({text("return"), gap, listed(rule("name"))}));
}

void add_expressions(std::vector<Rule>& rules) {
  const auto add = [&rules](std::string_view name, Part body) {
    rules.push_back({std::string(name), std::move(body), Kind::syntax});
  };
  const auto infix = [](const std::vector<std::string>& signs, const Part& right) {
    return sequence({sp(), words(signs), sp(), right});
  };
  add("call", sequence({rule("operator"), sp(), rule("arguments")}));
  add("arguments", bracketed_or_empty("(", listed(rule("argument")), ")"));
  add("argument",
      sequence({optional({rule("name"), sp(), text("="), sp()}), choice({rule("item"), rule("string")})}));
  add("item", choice({rule("expr"), rule("typed"), rule("list")}));
  add("typed", sequence({rule("dtype"), sp(), rule("sizes")}));
  add("list", bracketed_or_empty("[", listed(rule("item")), "]"));
  add("expr", sequence({rule("sum"), optional({infix({"<", "<=", ">", ">=", "==", "!="}, rule("sum"))})}));
  add("sum", sequence({rule("product"), many({infix({"+", "-"}, rule("product"))})}));
  add("product", sequence({rule("unary"), many({infix({"*", "/"}, rule("unary"))})}));
  add("unary", choice({sequence({text("-"), sp(), rule("unary")}),
                       sequence({rule("atom"), optional({infix({"**"}, rule("unary"))})})}));
  add("atom",
      choice({rule("float"), rule("int"), rule("call"), rule("name"), bracketed("(", rule("expr"), ")")}));
}

}  // namespace

Grammar grammar(const Catalog& catalog) {
  Grammar out;
  add_statements(out.rules);
  add_expressions(out.rules);
  add_words(out.rules, catalog);
  add_layout(out.rules);
  return out;
}

const Rule& Grammar::rule(std::string_view name) const {
  return *std::find_if(rules.begin(), rules.end(), [name](const Rule& rule) { return rule.name == name; });
}

}  // namespace uc::language
