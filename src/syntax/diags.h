#pragma once
// Why: the ids that text and syntax raise (UC10xx), in one place, so that `explain` and the tests can walk
// them.
#include <span>

#include "diag/diag.h"

namespace uc::kinds {

// Characters and tokens.
inline constexpr DiagKind invalid_utf8{"UC1001", "invalid-utf8", Severity::error, "A program is UTF-8 text."};
inline constexpr DiagKind unexpected_character{
    "UC1002", "unexpected-character", Severity::error,
    "Outside strings and comments a program uses ASCII letters, digits and the signs of the grammar."};
inline constexpr DiagKind non_ascii_name{
    "UC1003", "non-ascii-name", Severity::error,
    "A name is [A-Za-z_][A-Za-z0-9_]*, so that it can become a name in C++ and Python."};
inline constexpr DiagKind number_point{
    "UC1004", "number-point", Severity::error,
    "A number has digits on both sides of its point, so that `1..8192` is a range."};
inline constexpr DiagKind number_suffix{"UC1005", "number-suffix", Severity::error,
                                        "A number does not run into letters: no hexadecimal, suffixes or "
                                        "digit separators; a tile is 128x256x64, each "
                                        "extent at least 1."};
inline constexpr DiagKind number_range{
    "UC1006", "number-range", Severity::error,
    "An integer has at most 18 digits, and a float is a finite, non-vanishing f64."};
inline constexpr DiagKind leading_zero{"UC1007", "leading-zero", Severity::error,
                                       "Numbers and tile extents have no leading zeros."};
inline constexpr DiagKind unclosed_string{
    "UC1008", "unclosed-string", Severity::error,
    "A string \"...\" closes on its line; \"\"\"...\"\"\" may span lines. Both are raw."};
inline constexpr DiagKind string_quotes{"UC1009", "string-quotes", Severity::error,
                                        "Strings stand in double quotes."};

// Structure.
inline constexpr DiagKind unexpected_token{"UC1010", "unexpected-token", Severity::error,
                                           "The grammar allows something else here."};
inline constexpr DiagKind unclosed_bracket{"UC1011", "unclosed-bracket", Severity::error,
                                           "Every bracket is closed before the next statement."};
inline constexpr DiagKind stray_bracket{"UC1012", "stray-bracket", Severity::error,
                                        "A closing bracket closes one of its own kind."};
inline constexpr DiagKind too_deep{
    "UC1013", "too-deep", Severity::error,
    "Expressions nest at most 200 deep, and a chain of one operator has at most 200 operands."};
inline constexpr DiagKind chained_comparison{
    "UC1014", "chained-comparison", Severity::error,
    "Comparisons do not chain: `a < b < c` would compare a bool with c."};
inline constexpr DiagKind not_a_statement{
    "UC1015", "not-a-statement", Severity::error,
    "A statement is a header, dim, input, param, scalar, a step `name = expression`, or return."};
inline constexpr DiagKind no_control_flow{
    "UC1016", "no-control-flow", Severity::error,
    "A program is a straight line of steps: no loops, branches, functions or imports."};
inline constexpr DiagKind unknown_keyword{
    "UC1017", "unknown-keyword", Severity::error,
    "The first words of statements are target precision name dim input param scalar return."};
inline constexpr DiagKind foreign_operator{
    "UC1018", "foreign-operator", Severity::error,
    "Operators are + - * / ** and the comparisons < <= > >= == !=; everything else is a call."};
inline constexpr DiagKind line_break{"UC1019", "line-break", Severity::error,
                                     "A newline ends a statement outside brackets, unless the next line "
                                     "begins with `.` or `>>`, or this one ends with `>>`."};
inline constexpr DiagKind trailing_comma{"UC1020", "trailing-comma", Severity::error,
                                         "A comma stands between two items."};

// Steps.
inline constexpr DiagKind knob_form{"UC1021", "knob-form", Severity::error,
                                    "A knob is `.name(settings)`; there are no members or methods."};
inline constexpr DiagKind knob_setting{
    "UC1022", "knob-setting", Severity::error,
    "A knob's settings are an integer, a float, a tile such as 128x256x64, a name, or a set {a, b} of them."};
inline constexpr DiagKind knob_after_chain{
    "UC1023", "knob-after-chain", Severity::error,
    "Knobs set the step's kernel, so they follow its expression, before the first `>>`."};
inline constexpr DiagKind chain_call{
    "UC1024", "chain-call", Severity::error,
    "After `>>` stands a call; an expression stands in `map(...)`, where `it` is the running value."};
inline constexpr DiagKind step_in_brackets{
    "UC1025", "step-in-brackets", Severity::error,
    "Knobs and `>>` stand at the end of a statement, outside all brackets: one statement is one launch."};
inline constexpr DiagKind tile_in_expression{"UC1028", "tile-in-expression", Severity::error,
                                             "A tile such as 128x256 stands only in a knob."};
inline constexpr DiagKind string_in_expression{
    "UC1029", "string-in-expression", Severity::error,
    "A string stands only as a whole argument or as the binding of a declaration."};
inline constexpr DiagKind no_indexing{"UC1030", "no-indexing", Severity::error,
                                      "There is no indexing: `slice`, `split` and `unbind` make views."};

// Declarations, headers, result.
inline constexpr DiagKind declaration_form{
    "UC1026", "declaration-form", Severity::error,
    "A declaration is `input x: f32[1024, 8192] @col` or `param W: f32[8192] = \"module.name\"`."};
inline constexpr DiagKind size_form{"UC1027", "size-form", Severity::error,
                                    "A size is an integer, a dim's name, or integer * name; sizes stand in [ "
                                    "] behind the type, separated by commas."};
inline constexpr DiagKind after_return{"UC1031", "after-return", Severity::error,
                                       "`return` is the last statement, once."};
inline constexpr DiagKind return_form{"UC1032", "return-form", Severity::error,
                                      "`return` takes names, separated by commas."};
inline constexpr DiagKind dim_form{"UC1033", "dim-form", Severity::error,
                                   "A dim is `dim N = 1..8192 step 8`: the multiples of step in the range."};
inline constexpr DiagKind header_form{"UC1034", "header-form", Severity::error,
                                      "A header is its keyword and one name: `target sm_90a`."};

// Limits.
inline constexpr DiagKind source_too_large{"UC1035", "source-too-large", Severity::error,
                                           "A program has at most 16 MiB of text."};
inline constexpr DiagKind too_many_errors{"UC1036", "too-many-errors", Severity::error,
                                          "At most 100 syntax errors are shown at once."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for `explain` and for tests.
std::span<const DiagKind> syntax_diag_kinds();
}  // namespace uc
