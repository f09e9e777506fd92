#pragma once
// Why: generated C++ is built as a tree and written by one printer, so that emitters say what, not how to
// indent.
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace uc::cpp {

/// A type, printed with its arguments broken over lines when they are long: `A<B, C<D>>`.
struct Type {
  std::string name;
  std::vector<Type> args;
  std::string member;  ///< `typename A<B>::member`; empty: the type itself
  Type(std::string type_name = {}, std::vector<Type> arguments = {})
      : name(std::move(type_name)), args(std::move(arguments)) {}
  Type(const char* type_name) : name(type_name) {}
};
/// `make("Shape", "_128", "_256")`.
template <class... Args>
Type make(std::string name, Args&&... args) {
  return Type(std::move(name), {Type(std::forward<Args>(args))...});
}

struct Include {
  std::string path;  ///< with <> or "" as written
};
struct Define {
  std::string text;  ///< what follows `#define `
};
struct Comment {
  std::string text;  ///< one line a line, without `//`
};
struct Alias {
  std::string name;
  Type type;
};
struct Using {
  std::string text;  ///< `namespace cute`
};

/// A statement: a line that ends with `;` (added), or a head with a block.
struct Statement {
  std::string text;
  std::vector<Statement> body;
  bool is_block = false;
  std::string after = {};  ///< what follows the brace that ends the block: `;` of a lambda
};
inline Statement line(std::string text) { return {std::move(text), {}, false, {}}; }
inline Statement block(std::string head, std::vector<Statement> body) {
  return {std::move(head), std::move(body), true, {}};
}

struct Function {
  std::string head;  ///< all before the parameter list: `extern "C" __global__ void uck_x`
  std::vector<std::string> params;
  std::vector<Statement> body;
  std::string suffix = {};  ///< after the parameter list: `const`
};

struct Struct;
using Member = std::variant<Statement, Function, Alias, Comment>;
struct Struct {
  std::string head;  ///< `template <class T> struct Epilogue`
  std::vector<Member> members;
};

/// Text placed as it is: an embedded template file.
struct Verbatim {
  std::string text;
};

using Decl = std::variant<Include, Define, Comment, Alias, Using, Function, Struct, Statement, Verbatim>;

struct File {
  std::vector<Decl> decls;
};

/// Two-space indent, lines of at most about 110 characters, a blank line between groups; ends with a newline.
std::string print(const File& file);
std::string print(const Type& type);

/// A C++ string literal with everything unprintable escaped.
std::string quote(std::string_view text);

/// A float literal that reads back exactly: `0.1f`, `1e-05f`, and <math.h>'s `INFINITY` and `NAN`. What is
/// beyond f32 is infinite.
std::string float_literal(double value);

}  // namespace uc::cpp
