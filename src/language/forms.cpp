// Which forms of the rules a machine grammar needs: spaces within brackets may hold line breaks, others may
// not.
#include <algorithm>

#include "language/grammar.h"

namespace uc::language {

std::string_view space_rule(bool inside) { return inside ? "gap" : "blanks"; }

Forms::Forms(const Grammar& grammar) : grammar_(grammar) {
  for (const Rule& rule : grammar.rules) spaced_.emplace_back(&rule, false);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [rule, spaced] : spaced_) {
      if (spaced || !has_space(rule->body)) continue;
      spaced = changed = true;
    }
  }
  visit({&grammar.rules.front(), false});
}

bool Forms::has_space(const Part& part) const {
  if (part.kind == Part::Kind::space) return true;
  if (part.kind == Part::Kind::bracketed) return false;
  if (part.kind == Part::Kind::rule) return of(part.text, true).inside;
  return std::ranges::any_of(part.parts, [this](const Part& inner) { return has_space(inner); });
}

Form Forms::of(std::string_view name, bool inside) const {
  const auto found =
      std::ranges::find_if(spaced_, [name](const auto& entry) { return entry.first->name == name; });
  return {found->first, inside && found->second};
}

void Forms::visit(Form form) {
  if (std::ranges::find(reachable_, form) != reachable_.end()) return;
  reachable_.push_back(form);
  walk(form.rule->body, form.inside);
}

void Forms::walk(const Part& part, bool inside) {
  if (part.kind == Part::Kind::space) visit(of(space_rule(inside), false));
  if (part.kind == Part::Kind::rule) visit(of(part.text, inside));
  for (const Part& inner : part.parts) walk(inner, inside || part.kind == Part::Kind::bracketed);
}

}  // namespace uc::language
