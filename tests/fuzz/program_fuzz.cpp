// Any bytes as a program: lexer, parser, resolver, rules, and every print of what they say.
#include "catalog/builtin.h"
#include "compiler/fix.h"
#include "diag/render.h"
#include "diag/sarif.h"
#include "fuzz.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace {

using uc::fuzz::require;

void check_format(std::string_view source) {
  uc::DiagSink diags;
  const uc::ast::File tree = uc::parse(source, diags);
  if (diags.has_errors()) return;
  const std::string once = uc::format(tree, source);
  uc::DiagSink again;
  const uc::ast::File formatted = uc::parse(once, again);
  require(!again.has_errors(), "the canonical form parses");
  require(uc::format(formatted, once) == once, "the canonical form is its own");
}

size_t syntax_errors(const uc::Compiled& compiled) {
  size_t out = 0;
  for (const uc::Diag& diag : compiled.diags.diags()) out += diag.id.starts_with("UC10") ? 1 : 0;
  return out;
}

/// Only short texts: a fix checks the program several times.
void check_fix(const uc::Catalog& catalog, std::string_view source, const uc::Compiled& first) {
  if (first.diags.diags().empty() || first.diags.diags().size() > 20 || source.size() > 2000) return;
  const uc::Fixed fixed = uc::fix_source(catalog, source, {.device = {}, .language_only = true});
  require(fixed.applied.empty() == (fixed.source == source), "what is applied changes the text");
  require(syntax_errors(fixed.compiled) <= syntax_errors(first), "a fix breaks no syntax");
  require(!first.ok() || fixed.compiled.ok(), "a fix leaves a legal program legal");
}

void check_meaning(const uc::Catalog& catalog, std::string_view source) {
  const uc::CompileOptions options{.device = {}, .language_only = true};
  const uc::Compiled first = uc::check_source(catalog, source, options);
  const auto diags = first.diags.sorted();
  for (const uc::Diag& diag : diags) {
    require(diag.span.begin <= diag.span.end && diag.span.end <= source.size(), "a finding lies in the text");
    require(diag.replaced().begin <= diag.replaced().end && diag.replaced().end <= source.size(),
            "a replacement lies in the text");
    require(!diag.message.empty() && !diag.id.empty(), "a finding says something");
  }
  (void)uc::render_text(diags, source, "a.uc");
  (void)uc::render_json(diags, source, "a.uc");
  (void)uc::render_sarif(diags, source, "a.uc", {.version = "0", .kinds = {}});
  check_fix(catalog, source, first);
  if (!first.ok()) {
    require(first.diags.error_count() > 0, "what fails says why");
    return;
  }
  const uc::Compiled resolved = uc::check_source(catalog, first.source, options);
  require(resolved.ok(), "the resolved text of a legal program is legal");
  require(resolved.source == first.source && resolved.hash == first.hash, "the resolved text is its own");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const uc::Catalog catalog = uc::builtin_catalog();
  const std::string_view source = uc::fuzz::text_of(data, size);
  check_format(source);
  check_meaning(catalog, source);
  return 0;
}
