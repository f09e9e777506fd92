#include "check/diags.h"

#include <array>

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

}  // namespace uc
