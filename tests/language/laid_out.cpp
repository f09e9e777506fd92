// The same tokens with other blanks, line breaks and comments.
#include <array>

#include "corpus.h"
#include "syntax/lexer.h"

namespace uc::corpus {
namespace {

using syntax::Tok;

class Layout {
 public:
  Layout(const std::string& source, std::mt19937_64& engine) : source_(source), engine_(engine) {
    DiagSink diags;
    syntax::Reporter report(diags);
    tokens_ = syntax::lex(source, report).tokens;
  }

  std::string run() {
    if (pick(3) == 0) line_ends();
    size_t depth = 0;
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const syntax::Token& token = tokens_[i];
      if (i > 0) between(tokens_[i - 1], token, depth > 0);
      out_ += source_.substr(token.span.begin, token.span.end - token.span.begin);
      const bool opens =
          token.kind == Tok::open_paren || token.kind == Tok::open_bracket || token.kind == Tok::open_brace;
      const bool closes = token.kind == Tok::close_paren || token.kind == Tok::close_bracket ||
                          token.kind == Tok::close_brace;
      depth = depth + (opens ? 1 : 0) - (closes ? 1 : 0);
    }
    if (pick(4) != 0) line_ends();
    return std::move(out_);
  }

 private:
  size_t pick(size_t count) { return engine_() % count; }

  std::string comment() {
    constexpr std::array<std::string_view, 4> kTexts{"# one", "#", "# \xce\xbc >> gelu()", "#   y = (x"};
    return std::string(kTexts[pick(kTexts.size())]);
  }

  void blanks() { out_ += pick(4) == 0 ? "\t" : pick(3) == 0 ? "   " : " "; }

  void line_ends() {
    for (size_t i = 0; i <= pick(3); ++i) {
      if (pick(3) == 0) out_ += " " + comment();
      out_ += pick(5) == 0 ? "\r\n" : "\n";
    }
  }

  void between(const syntax::Token& before, const syntax::Token& token, bool inside) {
    const bool apart = before.span.end != token.span.begin;
    const bool glued = before.kind == Tok::dot || before.kind == Tok::at;  // exports write these as one
    const bool goes_on = token.kind == Tok::dot || token.kind == Tok::chain || before.kind == Tok::chain;
    if (token.breaks) {
      line_ends();
      if (pick(4) == 0) blanks();
    } else if (inside ? pick(8) == 0 : goes_on && !glued && pick(4) == 0) {
      line_ends();
      if (pick(2) == 0) blanks();
    } else if (words(before) && words(token)) {
      blanks();
    } else if (!glued && (apart ? pick(3) != 0 : pick(8) == 0)) {
      blanks();
    }
  }

  static bool words(const syntax::Token& token) {
    return token.kind == Tok::name || token.kind == Tok::integer || token.kind == Tok::real ||
           token.kind == Tok::tile;
  }

  const std::string& source_;
  std::mt19937_64& engine_;
  std::vector<syntax::Token> tokens_;
  std::string out_;
};

}  // namespace

std::string laid_out(const std::string& source, std::mt19937_64& engine) {
  return Layout(source, engine).run();
}

}  // namespace uc::corpus
