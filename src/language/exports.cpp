#include "language/exports.h"

#include "language/grammar.h"

namespace uc::language {
namespace {

std::string print_ebnf(const Catalog& catalog) { return to_ebnf(grammar(catalog)); }
std::string print_lark(const Catalog& catalog) { return to_lark(grammar(catalog)); }
std::string print_gbnf(const Catalog& catalog) { return to_gbnf(grammar(catalog)); }

std::string print_markdown(const Catalog& catalog) {
  std::string out;
  for (const Page& page : reference_pages(catalog)) out += page.text + "\n";
  return out;
}

constexpr Export kExports[] = {
    {"card", "card.md", "what a model needs to write programs, at most 2,500 tokens", card},
    {"ebnf", "grammar.ebnf", "the grammar for people", print_ebnf},
    {"lark", "ucutlass.lark", "the grammar for llguidance, XGrammar and OpenAI's custom tools", print_lark},
    {"gbnf", "ucutlass.gbnf", "the grammar for llama.cpp and XGrammar", print_gbnf},
    {"json-schema", "program.schema.json", "the schema of `ucutlass format --json`", json_schema},
    {"textmate", "", "the grammar that editors colour by; `--editors` writes it", textmate},
    {"markdown", "", "the reference of operators, knobs, rules, diagnostics, devices", print_markdown},
};

}  // namespace

std::span<const Export> exports() { return kExports; }

std::vector<Page> files(const Catalog& catalog) {
  std::vector<Page> out = reference_pages(catalog);
  for (const Export& row : kExports) {
    if (!row.file.empty()) out.push_back({std::string(row.file), row.print(catalog)});
  }
  return out;
}

}  // namespace uc::language
