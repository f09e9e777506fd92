// EBNF for people: ISO 14977's signs, spaces left out, one rule a line or broken at `|`.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "language/grammar.h"

namespace uc::language {
namespace {

constexpr size_t kWidth = 118;

bool is_layout(const Grammar& grammar, const Part& part) {
  return part.kind == Part::Kind::space ||
         (part.kind == Part::Kind::rule && grammar.rule(part.text).kind == Rule::Kind::layout) ||
         ((part.kind == Part::Kind::optional || part.kind == Part::Kind::many) &&
          is_layout(grammar, part.parts[0]));
}

class Printer {
 public:
  explicit Printer(const Grammar& grammar) : grammar_(grammar) {}

  std::string rule(const Rule& rule) const {
    const std::string head = fmt::format("{} = ", shown(rule));
    const Part& body = unwrapped(rule.body);
    std::string out = head;
    size_t line = out.size();
    const bool ways = body.kind == Part::Kind::choice;
    for (size_t i = 0; i < body.parts.size() || (i == 0 && body.parts.empty()); ++i) {
      const std::string piece = ways ? print(body.parts[i], false) : print(body, false);
      if (i > 0 && line + piece.size() + 3 > kWidth) {
        out += "\n" + std::string(head.size() - 2, ' ');
        line = head.size() - 2;
      } else if (i > 0) {
        out += " ";
      }
      if (i > 0) out += "| ";
      out += piece;
      line += piece.size() + 3;
      if (!ways) break;
    }
    return out + " ;\n";
  }

  std::string print(const Part& part, bool inner) const {
    switch (part.kind) {
      case Part::Kind::text: return quoted(part.text);
      case Part::Kind::set: return fmt::format("/[{}]/", part.text);
      case Part::Kind::rule: return shown(grammar_.rule(part.text));
      case Part::Kind::sequence: return sequence(part);
      case Part::Kind::choice: return choice(part, inner);
      case Part::Kind::optional: return fmt::format("[ {} ]", print(part.parts[0], false));
      case Part::Kind::many: return fmt::format("{{ {} }}", print(part.parts[0], false));
      case Part::Kind::repeat: return repeat(part);
      case Part::Kind::bracketed: return print(part.parts[0], inner);
      case Part::Kind::space: break;
    }
    return {};
  }

 private:
  static std::string shown(const Rule& rule) {
    std::string out = rule.name;
    if (rule.kind == Rule::Kind::word)
      std::ranges::transform(out, out.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
    return out;
  }

  static std::string quoted(const std::string& text) {
    const std::string plain = replace_all(replace_all(text, "\n", "\\n"), "\t", "\\t");
    return plain.find('"') == std::string::npos ? fmt::format("\"{}\"", plain) : fmt::format("'{}'", plain);
  }

  const Part& unwrapped(const Part& part) const {
    return part.kind == Part::Kind::sequence && part.parts.size() == 1 ? unwrapped(part.parts[0]) : part;
  }

  std::string sequence(const Part& part) const {
    std::string out;
    for (const Part& piece : part.parts) {
      if (is_layout(grammar_, piece)) continue;
      out += fmt::format("{}{}", out.empty() ? "" : " ", print(piece, true));
    }
    return out;
  }

  std::string repeat(const Part& part) const {
    const bool group = part.parts[0].kind == Part::Kind::sequence;
    const std::string inner = print(part.parts[0], true);
    return fmt::format("{}{{{},{}}}", group ? fmt::format("( {} )", inner) : inner, part.low, part.high);
  }

  std::string choice(const Part& part, bool inner) const {
    std::string out;
    for (const Part& way : part.parts)
      out += fmt::format("{}{}", out.empty() ? "" : " | ", print(way, false));
    return inner ? fmt::format("( {} )", out) : out;
  }

  const Grammar& grammar_;
};

}  // namespace

std::string to_ebnf(const Grammar& grammar) {
  const Printer printer(grammar);
  std::string out =
      "(* The language of ucutlass. { } repeats, [ ] is optional, ( ) groups, /[A-Z]/ is a set of "
      "characters,\n"
      "   x{1,17} a count. Blanks separate words. A newline ends a statement outside brackets, unless the\n"
      "   next line that is not blank or comment begins with `.` or `>>`, or the line ends with `>>`. `#` "
      "comments to\n"
      "   the end of the line. Expressions nest at most 200 deep. *)\n";
  for (const Rule& rule : grammar.rules) {
    if (rule.kind != Rule::Kind::layout && rule.name != "step_name") out += printer.rule(rule);
    if (rule.name == "step_name") out += "STEP_NAME = NAME (* none of the words that begin statements *) ;\n";
  }
  return out;
}

}  // namespace uc::language
