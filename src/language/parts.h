#pragma once
// Why: the grammar's table reads like a grammar.
#include <initializer_list>

#include "language/grammar.h"

namespace uc::language::parts {

inline Part text(std::string_view text) { return {Part::Kind::text, std::string(text), {}}; }
inline Part set(std::string_view characters) { return {Part::Kind::set, std::string(characters), {}}; }
inline Part rule(std::string_view name) { return {Part::Kind::rule, std::string(name), {}}; }
inline Part sp() { return {Part::Kind::space, {}, {}}; }
inline Part sequence(std::vector<Part> parts) { return {Part::Kind::sequence, {}, std::move(parts)}; }
inline Part choice(std::vector<Part> parts) { return {Part::Kind::choice, {}, std::move(parts)}; }
inline Part optional(std::vector<Part> parts) {
  return {Part::Kind::optional, {}, {parts.size() == 1 ? parts[0] : sequence(std::move(parts))}};
}
inline Part many(std::vector<Part> parts) {
  return {Part::Kind::many, {}, {parts.size() == 1 ? parts[0] : sequence(std::move(parts))}};
}
inline Part repeat(Part part, int low, int high) {
  return {Part::Kind::repeat, {}, {std::move(part)}, low, high};
}
/// `open` ... `close`, with spaces inside that may hold line breaks.
inline Part bracketed(std::string_view open, Part inner, std::string_view close) {
  return sequence(
      {text(open), {Part::Kind::bracketed, {}, {sequence({sp(), std::move(inner), sp()})}}, text(close)});
}
/// The same where nothing may stand between the brackets.
inline Part bracketed_or_empty(std::string_view open, Part inner, std::string_view close) {
  return sequence({text(open),
                   {Part::Kind::bracketed, {}, {sequence({sp(), optional({std::move(inner), sp()})})}},
                   text(close)});
}
/// part { "," part }
inline Part listed(const Part& part) { return sequence({part, many({sp(), text(","), sp(), part})}); }

inline Part words(const std::vector<std::string>& names) {
  std::vector<Part> out;
  for (const std::string& name : names) out.push_back(text(name));
  return out.size() == 1 ? out[0] : choice(std::move(out));
}

}  // namespace uc::language::parts
