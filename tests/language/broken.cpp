// Mutations that make a program one that the parser refuses.
#include <array>
#include <fmt/format.h>
#include <functional>
#include <set>

#include "corpus.h"
#include "syntax/lexer.h"

namespace uc::corpus {
namespace {

using syntax::Tok;
using syntax::Token;

constexpr size_t kOfEachKind = 22;

class Mutator {
 public:
  Mutator(const std::string& source, std::mt19937_64& engine) : source_(source), engine_(engine) {
    DiagSink diags;
    syntax::Reporter report(diags);
    tokens_ = syntax::lex(source, report).tokens;
    tokens_.pop_back();
  }

  size_t pick(size_t count) { return engine_() % count; }
  std::string_view one(std::initializer_list<std::string_view> of) { return *(of.begin() + pick(of.size())); }

  /// A random token of one of the kinds, or nothing.
  const Token* token(std::initializer_list<Tok> kinds) {
    std::vector<const Token*> fit;
    for (const Token& token : tokens_) {
      for (const Tok kind : kinds) {
        if (token.kind == kind) fit.push_back(&token);
      }
    }
    return fit.empty() ? nullptr : fit[pick(fit.size())];
  }
  const Token& any() { return tokens_[pick(tokens_.size())]; }
  const std::vector<Token>& tokens() const { return tokens_; }
  std::string_view text(const Token& token) const {
    return std::string_view(source_).substr(token.span.begin, token.span.end - token.span.begin);
  }

  std::string replaced(Span span, std::string_view by) const {
    return source_.substr(0, span.begin) + std::string(by) + source_.substr(span.end);
  }
  std::string replaced(const Token* token, std::string_view by) const {
    return token == nullptr ? std::string() : replaced(token->span, by);
  }
  std::string before(const Token* token, std::string_view what) const {
    return token == nullptr ? std::string() : replaced(Span{token->span.begin, token->span.begin}, what);
  }
  std::string behind(const Token* token, std::string_view what) const {
    return token == nullptr ? std::string() : replaced(Span{token->span.end, token->span.end}, what);
  }
  /// A line of its own before a random statement.
  std::string line(std::string_view what) {
    std::vector<const Token*> starts;
    for (const Token& token : tokens_) {
      if (token.breaks && token.line_start) starts.push_back(&token);
    }
    return starts.empty() ? std::string() : before(starts[pick(starts.size())], fmt::format("{}\n", what));
  }
  /// A line of its own at the end.
  std::string last(std::string_view what) const { return fmt::format("{}\n{}\n", source_, what); }

 private:
  const std::string& source_;
  std::mt19937_64& engine_;
  std::vector<Token> tokens_;
};

struct Mutation {
  std::string_view name;
  std::string (*apply)(Mutator&);
};

constexpr std::initializer_list<Tok> kOpeners{Tok::open_paren, Tok::open_bracket};
constexpr std::initializer_list<Tok> kClosers{Tok::close_paren, Tok::close_bracket};
constexpr std::initializer_list<Tok> kNumbers{Tok::integer, Tok::real};
constexpr std::initializer_list<Tok> kInfix{Tok::plus,  Tok::minus, Tok::star,
                                            Tok::slash, Tok::less,  Tok::greater};

constexpr std::array kMutations{
    Mutation{"bracket not closed", [](Mutator& m) { return m.replaced(m.token(kClosers), ""); }},
    Mutation{"bracket not opened", [](Mutator& m) { return m.replaced(m.token(kOpeners), ""); }},
    Mutation{"wrong bracket",
             [](Mutator& m) { return m.replaced(m.token(kClosers), m.one({"}", ")]", "]"})); }},
    Mutation{"comma before a closer", [](Mutator& m) { return m.before(m.token(kClosers), ", "); }},
    Mutation{"comma left out", [](Mutator& m) { return m.replaced(m.token({Tok::comma}), " "); }},
    Mutation{"comma twice", [](Mutator& m) { return m.behind(m.token({Tok::comma}), ","); }},
    Mutation{"sign of another language",
             [](Mutator& m) {
               return m.replaced(m.token(kInfix), m.one({"@", "%", "&", "||", "^", "->", "//"}));
             }},
    Mutation{
        "update",
        [](Mutator& m) { return m.replaced(m.token({Tok::assign}), m.one({"+=", "*=", ":=", "==", "=>"})); }},
    Mutation{"no equals sign",
             [](Mutator& m) { return m.replaced(m.token({Tok::assign}), m.one({"", "<-", "->", ":"})); }},
    Mutation{"number form",
             [](Mutator& m) {
               return m.replaced(m.token(kNumbers), m.one({".5", "1.", "0x10", "012", "12abc", "1_000",
                                                           "1.5f", "1e", "0128x64"}));
             }},
    Mutation{"number too large",
             [](Mutator& m) {
               return m.replaced(m.token(kNumbers), m.one({"1234567890123456789", "1e999", "1.0e-999"}));
             }},
    Mutation{"tile in an expression", [](Mutator& m) { return m.last("t = relu(64x64)"); }},
    Mutation{"knob behind the chain", [](Mutator& m) { return m.line("t = relu(x) >> exp().vector(4)"); }},
    Mutation{"chain in brackets",
             [](Mutator& m) { return m.before(m.token({Tok::close_paren}), " >> relu()"); }},
    Mutation{"knob in brackets",
             [](Mutator& m) { return m.before(m.token({Tok::close_paren}), ".tile(64x64x64)"); }},
    Mutation{"no call behind >>",
             [](Mutator& m) {
               return m.behind(m.token({Tok::chain}), m.one({" it * 2 >>", " 3 >>", " >>", " relu >>"}));
             }},
    Mutation{"line ends within an expression",
             [](Mutator& m) {
               return m.line(m.one({"t = x +\n    y", "t = x\n    + y", "t =\n    x", "t, u\n    = f(x)"}));
             }},
    Mutation{"keyword misspelt",
             [](Mutator& m) {
               return m.line(m.one({"inptu q: f32[4]", "inputs q: f32[4]", "Param q: f32[4]", "targt sm_90a",
                                    "const q: f32[4]", "precison f16"}));
             }},
    Mutation{"behind return",
             [](Mutator& m) { return m.last(m.one({"return y", "y9 = relu(x)", "input q: f32[4]", "x"})); }},
    Mutation{"return of an expression",
             [](Mutator& m) {
               return m.last(
                   m.one({"return", "return f(x)", "return (y)", "return y + 1", "return [y]", "return y,"}));
             }},
    Mutation{"header form",
             [](Mutator& m) {
               return m.line(m.one({"target = sm_90a", "precision: f16", "name \"p\"", "precision 16",
                                    "target", "name a b"}));
             }},
    Mutation{"declaration form",
             [](Mutator& m) {
               return m.line(m.one({"input q f32[4]", "input q: f32(4)", "input q, r: f32[4]",
                                    "input: f32[4]", "param q: f32[4] = fc.weight", "input q[4]: f32",
                                    "param q: f32[4] =", "input q: f32[4] col"}));
             }},
    Mutation{"sizes",
             [](Mutator& m) {
               return m.line(m.one({"input q: f32[]", "input q: f32[4x4]", "input q: f32[-1]",
                                    "input q: f32[4][4]", "input q: f32[N*2]", "input q: f32[2 + 2]",
                                    "input q: f32[4,]", "input q: f32[:]"}));
             }},
    Mutation{"dim form",
             [](Mutator& m) {
               return m.line(
                   m.one({"dim N = 8", "dim N 1..8", "dim N = 1..", "dim N = 1...8", "dim N = 1..8 by 2",
                          "dim = 1..8", "dim N = 1..8 step", "dim N = 1..8step 2"}));
             }},
    Mutation{"string",
             [](Mutator& m) {
               return m.line(m.one({"param q: f32[4] = \"fc", "param q: f32[4] = 'fc'", "t = f(x) + \"a\"",
                                    "t = \"a\"", "t = f([\"a\"])", "t = cuda(\"\"\"a\"\")"}));
             }},
    Mutation{"control flow",
             [](Mutator& m) {
               return m.line(m.one({"for i in range(3):", "if x:", "def f(x):", "while 1:", "import torch",
                                    "class A:", "let t = f(x)", "t = x if y else z"}));
             }},
    Mutation{"indexing",
             [](Mutator& m) {
               return m.line(m.one({"t = x[0]", "t = f(x[1])", "t = x[:, 0]", "t = f(x)[0]", "t[0] = f(x)"}));
             }},
    Mutation{"member",
             [](Mutator& m) {
               return m.line(m.one({"t = x.T", "t = f(x.T)", "t = f(x.shape)", "t = x.sum", "t = f(x).T"}));
             }},
    Mutation{"comparisons in a row",
             [](Mutator& m) {
               return m.line(m.one({"t = a < b < c", "t = f(a == b == c)", "t = where(a <= b < c, 1, 0)"}));
             }},
    Mutation{"character",
             [](Mutator& m) {
               return m.before(&m.any(), m.one({"?", "$ ", "; ", "\\ ", "` ", "!", "~", "\xc2\xa0",
                                                "\xe2\x86\x92", "\x01"}));
             }},
    Mutation{"name beyond ASCII",
             [](Mutator& m) {
               return m.replaced(m.token({Tok::name}), m.one({"\xce\xb1", "x\xc3\xa9", "\xe5\x90\x8d"}));
             }},
    Mutation{"bytes that are no UTF-8", [](Mutator& m) { return m.line("# \xff\xfe"); }},
    Mutation{"setting",
             [](Mutator& m) {
               return m.line(m.one({"t = f(x).tile()x", "t = f(x).tile", "t = f(x).tile(64 * 64)",
                                    "t = f(x).tile([64, 64])", "t = f(x).tile(\"64x64\")",
                                    "t = f(x).tile({})", "t = f(x).tile(-1)", "t = f(x).tile(a=1)",
                                    "t = f(x).tile({64x64,})", "t = f(x).3(4)"}));
             }},
    Mutation{"tuple",
             [](Mutator& m) {
               return m.line(m.one({"t = (a, b)", "t = f((a, b))", "t = a, b", "(a, b) = f(x)", "t = [a]"}));
             }},
    Mutation{"token twice",
             [](Mutator& m) {
               const Token& t = m.any();
               return m.behind(&t, fmt::format(" {}", m.text(t)));
             }},
    Mutation{"token left out", [](Mutator& m) { return m.replaced(&m.any(), ""); }},
    Mutation{"token added",
             [](Mutator& m) {
               return m.before(&m.any(), m.one({"( ", ") ", ", ", ">> ", ". ", "= ", "x ", "3 ", "* ", "] ",
                                                "{ ", ": ", "@ ", ".. "}));
             }},
    Mutation{"tokens exchanged",
             [](Mutator& m) {
               const size_t i = m.pick(m.tokens().size() - 1);
               const Token& a = m.tokens()[i];
               const Token& b = m.tokens()[i + 1];
               return m.replaced(Span{a.span.begin, b.span.end}, fmt::format("{} {}", m.text(b), m.text(a)));
             }},
};

}  // namespace

std::vector<Entry> broken(const std::vector<Entry>& valid) {
  constexpr size_t kMostTries = 5000;
  std::vector<Entry> out;
  std::set<std::string> seen;
  std::mt19937_64 engine(20260302);
  for (const Mutation& mutation : kMutations) {
    size_t made = 0;
    for (size_t tries = 0; made < kOfEachKind && tries < kMostTries; ++tries) {
      const Entry& of = valid[engine() % valid.size()];
      if (of.name == "sampled" || of.text.size() > 600) continue;
      Mutator mutator(of.text, engine);
      if (mutator.tokens().size() < 4) continue;
      std::string text = mutation.apply(mutator);
      if (text.empty() || parse_errors(text).empty() || !seen.insert(text).second) continue;
      out.push_back({std::string(mutation.name), std::move(text)});
      ++made;
    }
  }
  return out;
}

}  // namespace uc::corpus
