#pragma once
// Why: the few text helpers that several layers need.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uc {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
bool starts_with(std::string_view text, std::string_view prefix);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// Levenshtein distance with transpositions counted as one edit.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or empty when none is near enough to be a likely misspelling.
std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates);

/// Shortest decimal text that reads back as the same double ("0.1", "1e-05"); always has '.', 'e', "inf" or
/// "nan".
std::string shortest_float(double value);

/// True when the bytes are well-formed UTF-8.
bool is_utf8(std::string_view bytes);

/// The text as a terminal may be given it: bytes that are no UTF-8 become '?', control characters other than
/// the newline become blanks. Each stays one column.
std::string printable(std::string_view bytes);

}  // namespace uc
