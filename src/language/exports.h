#pragma once
// Why: the language's exports in one list, so that the command, docs/generated and the tests have the same
// ones.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "syntax/ast.h"

namespace uc::language {

struct Export {
  std::string_view name;  ///< of `--format`: "lark"
  std::string_view file;  ///< in docs/generated; empty: elsewhere, or several, see `files`
  std::string_view summary;
  std::string (*print)(const Catalog&);
};
std::span<const Export> exports();

struct Page {
  std::string file;  ///< "operators.md"
  std::string text;
};
/// The reference: operators, knobs, rules, diagnostics, devices.
std::vector<Page> reference_pages(const Catalog& catalog);
/// All that docs/generated holds.
std::vector<Page> files(const Catalog& catalog);

/// The TextMate grammar that editors colour by.
std::string textmate(const Catalog& catalog);
/// What the folder editors/ holds that is generated; the rest of it is written by hand.
std::vector<Page> editor_files(const Catalog& catalog);

/// What a model needs to write programs: at most kCardTokens tokens of o200k_base.
std::string card(const Catalog& catalog);
inline constexpr size_t kCardTokens = 2500;
/// What the card is cut to by estimate_tokens, which counts 2 % too many on it; a test holds the exact count.
inline constexpr size_t kCardEstimate = 2545;
/// Not below the number of o200k_base tokens for texts like the card, and at most a fifth above it.
size_t estimate_tokens(std::string_view text);

/// JSON schema (2020-12) of what `to_json` prints, with the catalog's names. Without if, not and uniqueItems;
/// every object requires all of its properties, so that constrained decoders take it.
std::string json_schema(const Catalog& catalog);
/// A program's tree as JSON, schema ucutlass.tree/1, one line.
std::string to_json(const ast::File& file);
/// The program that such a tree says, in canonical form. Errors: not of the schema, with the place; nested
/// deeper than JSON is read; names or strings that no text can hold.
Result<std::string> from_json(std::string_view text);

}  // namespace uc::language
