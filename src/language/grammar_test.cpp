#include "language/grammar.h"

#include <gtest/gtest.h>

#include "catalog/builtin.h"
#include "language/sample.h"
#include "syntax/parser.h"

namespace uc::language {
namespace {

const Catalog& catalog() {
  static const Catalog value = builtin_catalog();
  return value;
}

// How often a part of the table below this one took no part.
size_t unused(const Part& part, const std::set<const Part*>& used) {
  size_t out = used.contains(&part) ? 0 : 1;
  for (const Part& inner : part.parts) out += unused(inner, used);
  return out;
}

TEST(Grammar, SaysNothingThatTheParserRefuses) {
  const Grammar table = grammar(catalog());
  std::mt19937_64 engine(20260101);
  size_t statements = 0;
  std::set<const Part*> used;
  for (int i = 0; i < 3000; ++i) {
    const SampleOptions options{
        .depth = 12 + i % 24, .go_on = 0.3 + 0.05 * (i % 6), .odd_space = 0.05 * (i % 8)};
    const std::string source = sample(table, engine, options, &used);
    DiagSink diags;
    statements += parse(source, diags).statements.size();
    for (const Diag& diag : diags.diags())
      FAIL() << diag.id << " " << diag.message << " at " << diag.span.begin << " in\n" << source;
  }
  EXPECT_GT(statements, 6000U) << "the samples hold little";
  for (const Rule& rule : table.rules) {
    if (rule.name == "step_name") continue;  // names that almost are keywords: the parser tests have those
    EXPECT_EQ(unused(rule.body, used), 0U) << rule.name << " has parts in no sample";
  }
}

TEST(Grammar, NamesWhatTheCatalogHas) {
  const std::string lark = to_lark(grammar(catalog()));
  for (const OpSpec* row : catalog().ops()) {
    if (row->place == Place::inner) continue;
    EXPECT_NE(lark.find(std::string(row->name)), std::string::npos) << row->name;
  }
}

}  // namespace
}  // namespace uc::language
