#include "syntax/diags.h"

#include <array>

namespace uc {

std::span<const DiagKind> syntax_diag_kinds() {
  using namespace kinds;
  static constexpr std::array kAll{invalid_utf8,       unexpected_character, non_ascii_name,
                                   number_point,       number_suffix,        number_range,
                                   leading_zero,       unclosed_string,      string_quotes,
                                   unexpected_token,   unclosed_bracket,     stray_bracket,
                                   too_deep,           chained_comparison,   not_a_statement,
                                   no_control_flow,    unknown_keyword,      foreign_operator,
                                   line_break,         trailing_comma,       knob_form,
                                   knob_setting,       knob_after_chain,     chain_call,
                                   step_in_brackets,   declaration_form,     size_form,
                                   tile_in_expression, string_in_expression, no_indexing,
                                   after_return,       return_form,          dim_form,
                                   header_form,        source_too_large,     too_many_errors};
  return kAll;
}

}  // namespace uc
