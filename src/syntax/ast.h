#pragma once
// Why: the text as a tree, with a place for everything, before any name is looked up. The grammar is
// language.md's.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diag/diag.h"

namespace uc::ast {

struct Name {
  std::string text;
  Span span;
};

/// An extent as written: INT ["*" NAME] or NAME.
struct Size {
  std::optional<int64_t> scale;
  std::optional<Name> dim;
  Span span;
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

/// NAME "[" sizes "]" where an argument may be a typed shape: `out=f32[4, 8]`.
struct Typed {
  Name dtype;
  std::vector<Size> sizes;
};

struct List;
using ArgValue =
    std::variant<ExprPtr, Typed, std::unique_ptr<List>, std::string>;  ///< string: the literal's raw text

struct List {
  std::vector<ArgValue> items;
  Span span;
};

struct Arg {
  std::optional<Name> name;
  ArgValue value;
  Span span;
};

struct Call {
  Name callee;
  std::vector<Arg> args;
  Span span;
};

struct Expr {
  enum class Kind : uint8_t { integer, real, name, call, negate, binary };
  Kind kind = Kind::integer;
  Span span;
  int64_t integer = 0;
  double real = 0;
  std::string text;  ///< name: the name; binary: the operator ("+", "<=", "**"); numbers: as written
  std::optional<Call> call;
  ExprPtr left;  ///< negate: the operand
  ExprPtr right;
  Span op_span;  ///< binary: the operator
};

/// One setting of a knob: INT, FLOAT, TILE or NAME.
struct Literal {
  std::variant<int64_t, double, std::vector<int64_t>, std::string> value;
  std::string text;  ///< as written
  Span span;
};

/// One literal, or a set `{a, b}` of them.
struct Setting {
  std::vector<Literal> literals;
  bool is_set = false;
  Span span;
};

struct Knob {
  Name name;
  std::vector<Setting> settings;
  Span span;  ///< name to closing parenthesis
};

struct Header {
  Name keyword;  ///< target, precision, name
  Name value;
};

struct Dim {
  Name name;
  int64_t low = 0;
  int64_t high = 0;
  std::optional<int64_t> step;
  Span span;
};

struct Type {
  Name dtype;
  std::vector<Size> sizes;  ///< empty: a number
  Span span;
};

struct Attribute {
  Name name;
  std::vector<Arg> args;
  Span span;
};

struct Decl {
  Name keyword;  ///< input, param, scalar
  Name name;
  Type type;
  std::vector<Attribute> attributes;
  std::optional<std::string> binding;
  Span span;
};

struct Step {
  std::vector<Name> names;
  ExprPtr expr;
  std::vector<Knob> knobs;
  std::vector<Call> chain;
  Span span;
};

struct Result {
  std::vector<Name> names;
  Span span;
};

using Statement = std::variant<Header, Dim, Decl, Step, Result>;

/// A comment, kept for the formatter. `own_line`: nothing but white space before it.
struct Comment {
  std::string text;  ///< with the '#'
  Span span;
  bool own_line = false;
};

struct File {
  std::vector<Statement> statements;  ///< in source order
  std::vector<Comment> comments;      ///< in source order
  std::vector<Name> broken;  ///< names of statements with syntax errors: no knock-on errors about them
};

}  // namespace uc::ast
