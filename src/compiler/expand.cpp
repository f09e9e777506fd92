#include "compiler/expand.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "check/diags.h"
#include "syntax/parser.h"

namespace uc {
namespace {

struct Set {
  const ast::Knob* knob;
  const ast::Setting* setting;
};

std::vector<Set> sets_of(const ast::File& tree) {
  std::vector<Set> out;
  for (const ast::Statement& statement : tree.statements) {
    const auto* step = std::get_if<ast::Step>(&statement);
    if (step == nullptr) continue;
    for (const ast::Knob& knob : step->knobs) {
      for (const ast::Setting& setting : knob.settings) {
        if (setting.is_set && !setting.literals.empty()) out.push_back({&knob, &setting});
      }
    }
  }
  return out;
}

// The literal in place of the set, and blanks up to its end.
void put(std::string& text, Span place, std::string_view literal) {
  std::string padded(literal);
  padded.resize(place.end - place.begin, ' ');
  text.replace(place.begin, padded.size(), padded);
}

bool same(const Diag& a, const Diag& b) { return a.id == b.id && a.span == b.span; }

std::vector<Diag> errors_of(const DiagSink& diags) {
  std::vector<Diag> out;
  for (const Diag& diag : diags.sorted()) {
    if (diag.severity == Severity::error) out.push_back(diag);
  }
  return out;
}

// What dropped the members, when no error is common to all.
void report_dropped(const std::map<std::string, size_t>& rules, size_t members, Span place, DiagSink& diags) {
  std::string list;
  for (const auto& [rule, count] : rules)
    list += fmt::format("{}{} by {}", list.empty() ? "" : ", ", count, rule);
  diags
      .add(kinds::no_legal_member, place,
           fmt::format("none of the {} programs that the sets stand for is legal: {}", members, list))
      .help = "`ucutlass expand PROGRAM.uc` says for each what dropped it";
}

}  // namespace

bool has_sets(const ast::File& tree) { return !sets_of(tree).empty(); }

size_t count_members(const ast::File& tree) {
  size_t count = 1;
  for (const Set& set : sets_of(tree)) {
    count *= set.setting->literals.size();
    if (count > kMostMembers) return count;
  }
  return count;
}

std::vector<Member> expand(const ast::File& tree, std::string_view source) {
  const std::vector<Set> sets = sets_of(tree);
  std::vector<Member> out;
  std::vector<size_t> at(sets.size(), 0);
  for (bool more = true; more;) {
    Member member;
    member.source = source;
    for (size_t i = 0; i < sets.size(); ++i) {
      const ast::Literal& literal = sets[i].setting->literals[at[i]];
      put(member.source, sets[i].setting->span, literal.text);
      member.settings.push_back(fmt::format(".{}({})", sets[i].knob->name.text, literal.text));
    }
    out.push_back(std::move(member));
    more = false;
    for (size_t i = sets.size(); i-- > 0 && !more;) {
      more = ++at[i] < sets[i].setting->literals.size();
      if (!more) at[i] = 0;
    }
  }
  return out;
}

Compiled check_members(const Catalog& catalog, std::string_view source, const CompileOptions& options) {
  Compiled out;
  if (options.language_only) out.diags.relax("UC19");
  out.tree = parse(source, out.diags);
  if (!out.ok()) return out;
  const Span place = sets_of(out.tree)[0].setting->span;
  const size_t count = count_members(out.tree);
  if (count > kMostMembers) {
    out.diags.add(kinds::too_many_members, place, "the sets stand for too many programs").help =
        fmt::format("at most {} together; leave out settings", kMostMembers);
    return out;
  }
  auto& several =
      out.diags.add(kinds::knob_set, place, fmt::format("this text stands for {} programs", count));
  several.help = "`ucutlass expand PROGRAM.uc` lists them; to compile, write the settings of one";
  const Diag notice = several;
  if (!out.ok()) return out;
  std::vector<Diag> common;
  std::map<std::string, size_t> dropped;
  bool first = true;
  for (const Member& member : expand(out.tree, source)) {
    Compiled each = check_source(catalog, member.source, options);
    if (each.ok()) {
      each.diags.add(notice);
      each.members = count;
      each.emittable = false;
      return each;
    }
    const auto errors = errors_of(each.diags);
    ++dropped[fmt::format("{} {}", errors[0].id, errors[0].slug)];
    if (first) common = errors;
    first = false;
    std::erase_if(common, [&](const Diag& diag) {
      return std::ranges::none_of(errors, [&](const Diag& other) { return same(diag, other); });
    });
  }
  for (Diag& diag : common) out.diags.add(std::move(diag));
  if (common.empty()) report_dropped(dropped, count, place, out.diags);
  return out;
}

}  // namespace uc
