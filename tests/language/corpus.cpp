#include "corpus.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>

#include "compiler/pipeline.h"
#include "language/card_text.h"
#include "language/grammar.h"
#include "language/names.h"
#include "language/sample.h"
#include "syntax/format.h"
#include "syntax/lexer.h"
#include "syntax/parser.h"

namespace uc::corpus {
namespace {

using syntax::Tok;

constexpr std::string_view kMark = "%%%% ";
constexpr uint64_t kSeed = 20260301;
constexpr size_t kGenerated = 250;
constexpr size_t kLaidOut = 150;
constexpr size_t kFormatted = 60;
constexpr size_t kSampled = 150;

std::vector<std::string> errors_of(const DiagSink& diags) {
  std::vector<std::string> out;
  for (const Diag& diag : diags.sorted()) {
    if (diag.severity == Severity::error) out.push_back(diag.id);
  }
  return out;
}

/// `x + 1.vector(4)`: a lexer without a way back takes the point for the number's.
bool knob_behind_digit(const std::string& text) {
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '.' && std::isdigit(text[i - 1]) != 0 && std::isalpha(text[i + 1]) != 0) return true;
  }
  return false;
}

class Collection {
 public:
  explicit Collection(const Catalog& catalog)
      : steps_(language::step_names(catalog)),
        fused_(language::fused_names(catalog)),
        knobs_(language::knob_names(catalog)) {}

  /// Takes a program once, if it parses and calls nothing that the catalog lacks.
  bool add(const std::string& name, std::string text) {
    if (!parse_errors(text).empty() || !is_known(text) || !seen_.insert(text).second) return false;
    entries.push_back({name, std::move(text)});
    return true;
  }

  std::vector<Entry> entries;

 private:
  bool is_known(const std::string& text) const {
    DiagSink diags;
    syntax::Reporter report(diags);
    const auto tokens = syntax::lex(text, report).tokens;
    for (size_t i = 1; i + 1 < tokens.size(); ++i) {
      const Tok before = tokens[i - 1].kind;
      if (tokens[i].kind != Tok::name || tokens[i + 1].kind != Tok::open_paren || before == Tok::at) continue;
      const auto& known = before == Tok::dot ? knobs_ : before == Tok::chain ? fused_ : steps_;
      const Span span = tokens[i].span;
      if (std::ranges::find(known, text.substr(span.begin, span.end - span.begin)) == known.end())
        return false;
    }
    return true;
  }

  std::vector<std::string> steps_, fused_, knobs_;
  std::set<std::string> seen_;
};

void add_rows(Collection& out, const Catalog& catalog) {
  for (const OpSpec* row : catalog.ops()) {
    for (const std::string_view example : row->examples)
      out.add(fmt::format("operator {}", row->name), std::string(example));
  }
  for (const RuleSpec* row : catalog.rules()) {
    out.add(fmt::format("rule {}", row->id), std::string(row->bad_example));
    out.add(fmt::format("rule {} mended", row->id), std::string(row->good_example));
  }
  for (const language::CardExample& example : language::card_examples())
    out.add("card", std::string(example.program));
}

void add_files(Collection& out) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(UC_SOURCE_DIR "/tests/syntax/valid"))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    out.add(fmt::format("file {}", path.filename().string()), text.str());
  }
}

}  // namespace

std::vector<Entry> read(const std::string& bytes) {
  std::vector<Entry> out;
  for (size_t at = 0; bytes.compare(at, kMark.size(), kMark) == 0;) {
    const size_t line = bytes.find('\n', at);
    const size_t next = bytes.find(fmt::format("\n{}", kMark), line);
    const size_t end = next == std::string::npos ? bytes.size() - 1 : next;
    out.push_back(
        {bytes.substr(at + kMark.size(), line - at - kMark.size()), bytes.substr(line + 1, end - line - 1)});
    if (next == std::string::npos) break;
    at = next + 1;
  }
  return out;
}

std::string write(const std::vector<Entry>& entries) {
  std::string out;
  for (const Entry& entry : entries) out += fmt::format("{}{}\n{}\n", kMark, entry.name, entry.text);
  return out;
}

std::vector<std::string> parse_errors(const std::string& source) {
  DiagSink diags;
  parse(source, diags);
  return errors_of(diags);
}

std::vector<std::string> check_errors(const Catalog& catalog, const std::string& source) {
  return errors_of(check_source(catalog, source, {.device = {}, .language_only = true}).diags);
}

std::vector<Entry> valid(const Catalog& catalog) {
  Collection out(catalog);
  std::mt19937_64 engine(kSeed);
  add_rows(out, catalog);
  add_files(out);
  for (size_t made = 0; made < kGenerated;) {
    std::string text = well_typed(catalog, engine);
    if (check_errors(catalog, text).empty() && out.add("generated", std::move(text))) ++made;
  }
  const size_t whole = out.entries.size();
  for (size_t made = 0; made < kLaidOut;) {
    const Entry& of = out.entries[engine() % whole];
    if (out.add(fmt::format("laid out: {}", of.name), laid_out(of.text, engine))) ++made;
  }
  for (size_t made = 0; made < kFormatted;) {
    const Entry& of = out.entries[engine() % whole];
    DiagSink diags;
    if (out.add(fmt::format("formatted: {}", of.name), format(parse(of.text, diags), of.text))) ++made;
  }
  const language::Grammar grammar = language::grammar(catalog);
  language::SampleOptions options;
  options.depth = 18;
  options.go_on = 0.4;
  for (size_t made = 0; made < kSampled;) {
    std::string text = language::sample(grammar, engine, options);
    if (text.size() < 1500 && !knob_behind_digit(text)) {
      out.entries.push_back({"sampled", std::move(text)});
      ++made;
    }
  }
  return std::move(out.entries);
}

}  // namespace uc::corpus
