#include "check/diags.h"

#include <algorithm>
#include <array>

#include "catalog/diags.h"
#include "catalog/diags_escape.h"
#include "catalog/diags_reduce.h"
#include "catalog/diags_window.h"
#include "syntax/diags.h"

namespace uc {

std::span<const DiagKind> check_diag_kinds() {
  using namespace kinds;
  static constexpr std::array kAll{
      unknown_name,     unknown_operator,  duplicate_name,     unknown_target,    unknown_precision,
      unknown_dtype,    unknown_attribute, bad_attribute,      unused_step,       no_result,
      bad_result,       header_twice,      no_target,          bad_size,          duplicate_binding,
      unused_dim,       dim_value,         no_legal_member,    too_many_members,  too_many_arguments,
      missing_argument, unknown_argument,  bad_argument,       precision_storage, precision_math,
      nested_launch,    operand_work,      not_fusable,        fused_only,        nothing_to_do,
      it_outside,       result_count,      prepack_not_params, view_of_work,      epilogue_view,
      chain_shape,      view_step_extras,  weights_each_call,  unknown_knob,      knob_family,
      knob_syntax,      knob_twice,        named_dims,         knob_not_emitted,  knob_set,
      form_not_yet,     no_backend,        no_legal_choice,    not_emitted};
  return kAll;
}

std::vector<DiagKind> all_diag_kinds() {
  std::vector<DiagKind> out;
  for (const auto& kinds : {syntax_diag_kinds(), type_diag_kinds(), reduce_diag_kinds(), window_diag_kinds(),
                            escape_diag_kinds(), check_diag_kinds()})
    out.insert(out.end(), kinds.begin(), kinds.end());
  std::ranges::sort(out, {}, &DiagKind::id);
  return out;
}

}  // namespace uc
