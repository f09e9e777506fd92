#pragma once
// Why: the grammar of language.md as data, white space included, so that EBNF, Lark and GBNF are three prints
// of one table, and a sampler of it can prove that it never says more than the parser accepts.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"

namespace uc::language {

/// One piece of a rule's right side.
struct Part {
  enum class Kind : uint8_t {
    text,       ///< exactly `text`
    set,        ///< one character of the class `text`, written as in a regular expression, without brackets
    rule,       ///< what the rule `text` derives
    sequence,   ///< all of `parts`
    choice,     ///< one of `parts`
    optional,   ///< parts[0] or nothing
    many,       ///< parts[0], any number of times
    repeat,     ///< parts[0], from `low` to `high` times
    space,      ///< optional blanks; within brackets line breaks and comments too
    bracketed,  ///< parts[0], whose spaces may hold line breaks
  };
  Kind kind = Kind::text;
  std::string text;
  std::vector<Part> parts;
  int low = 0;
  int high = 0;
};

struct Rule {
  enum class Kind : uint8_t {
    syntax,  ///< of tokens and spaces
    word,    ///< a token: a regular language over characters
    layout   ///< blanks, line ends and comments; people's grammars leave them out
  };
  std::string name;  ///< snake_case, unique
  Part body;
  Kind kind = Kind::syntax;
};

struct Grammar {
  std::vector<Rule> rules;  ///< the first is the start
  const Rule& rule(std::string_view name) const;
};

/// The grammar with the catalog's names of operators, knobs, types, targets and attributes. Stricter than the
/// parser: words that begin statements name no step, names are those of the catalog, an exponent has at most
/// two digits. What no grammar of this kind can say is left to the parser: 200 levels of depth, 16 MiB.
Grammar grammar(const Catalog& catalog);

/// For people: spaces left out.
std::string to_ebnf(const Grammar& grammar);
/// Lark's syntax in the subset that constrained decoders share.
std::string to_lark(const Grammar& grammar);
/// llama.cpp's GBNF, which XGrammar reads too; the start is `root`.
std::string to_gbnf(const Grammar& grammar);

/// What printers of machine grammars share: each syntax rule in the forms that are reachable, outside and
/// within brackets; a form within brackets differs by name when it holds spaces.
struct Form {
  const Rule* rule = nullptr;
  bool inside = false;
  friend bool operator==(const Form&, const Form&) = default;
};
class Forms {
 public:
  explicit Forms(const Grammar& grammar);
  const std::vector<Form>& reachable() const { return reachable_; }
  /// The form of the rule `name` where the spaces around are `inside` brackets or not.
  Form of(std::string_view name, bool inside) const;

 private:
  bool has_space(const Part& part) const;
  void walk(const Part& part, bool inside);
  void visit(Form form);
  const Grammar& grammar_;
  std::vector<std::pair<const Rule*, bool>> spaced_;  ///< which rules hold spaces outside inner brackets
  std::vector<Form> reachable_;
};

/// The name of the layout rule that a space derives.
std::string_view space_rule(bool inside);

}  // namespace uc::language
