#pragma once
// Why: the ids that the resolver and the lowering raise. UC11xx names, UC13xx precision, UC14xx steps and
// fusion, UC15xx knobs, UC19xx parsed but not emitted yet. (UC12xx, types and shapes, are raised by operator
// rows.)
#include <span>
#include <vector>

#include "diag/diag.h"

namespace uc::kinds {

inline constexpr DiagKind unknown_name{
    "UC1101", "unknown-name", Severity::error,
    "Every name is declared before it is used: by input, param, scalar, or an earlier step."};
inline constexpr DiagKind unknown_operator{
    "UC1102", "unknown-operator", Severity::error,
    "A call names an operator of the catalog; `ucutlass explain NAME` shows each."};
inline constexpr DiagKind duplicate_name{"UC1103", "duplicate-name", Severity::error,
                                         "A name is given once; steps do not assign again."};
inline constexpr DiagKind unknown_target{"UC1104", "unknown-target", Severity::error,
                                         "`target` names an architecture that a device row has."};
inline constexpr DiagKind unknown_precision{"UC1105", "unknown-precision", Severity::error,
                                            "`precision` is strict, tf32, f16, bf16 or f8."};
inline constexpr DiagKind unknown_dtype{"UC1106", "unknown-dtype", Severity::error,
                                        "Types are f64 f32 f16 bf16 f8e4m3 f8e5m2 i8 u8 i32 i64 bool."};
inline constexpr DiagKind unknown_attribute{"UC1107", "unknown-attribute", Severity::error,
                                            "Attributes are the layouts row, col, nwc, nhwc, ndhwc, "
                                            "strides(...) and the structures diag, lower, upper, "
                                            "symmetric, positive."};
inline constexpr DiagKind bad_attribute{"UC1108", "bad-attribute", Severity::error,
                                        "An attribute fits the rank of its tensor."};
inline constexpr DiagKind unused_step{
    "UC1109", "unused-step", Severity::warning,
    "What a step makes is used by a later step or returned; otherwise the step is dead."};
inline constexpr DiagKind no_result{"UC1110", "no-result", Severity::error,
                                    "A program ends with `return` and names what its steps made."};
inline constexpr DiagKind bad_result{"UC1111", "bad-result", Severity::error,
                                     "A result is made by a run-time step, once."};
inline constexpr DiagKind header_twice{"UC1112", "header-twice", Severity::error,
                                       "`target`, `precision` and `name` are given at most once."};
inline constexpr DiagKind no_target{"UC1113", "no-target", Severity::error,
                                    "A program says its target: rules and kernels differ by architecture."};
inline constexpr DiagKind bad_size{
    "UC1114", "bad-size", Severity::error,
    "A tensor has at most 8 dimensions and 2^40 elements; extents start at 1."};

inline constexpr DiagKind duplicate_binding{
    "UC1115", "duplicate-binding", Severity::error,
    "A parameter or buffer of the module is bound by one declaration."};
inline constexpr DiagKind unused_dim{"UC1117", "unused-dim", Severity::error,
                                     "The sizes of inputs and params say what a named dimension is."};
inline constexpr DiagKind dim_value{
    "UC1118", "dim-value", Severity::error,
    "What a program says holds for every value of its named dimensions; two are equal when they have the "
    "same name."};

inline constexpr DiagKind too_many_arguments{"UC1121", "too-many-arguments", Severity::error,
                                             "A call gives each parameter once."};
inline constexpr DiagKind missing_argument{"UC1122", "missing-argument", Severity::error,
                                           "Parameters without a default are given."};
inline constexpr DiagKind unknown_argument{"UC1123", "unknown-argument", Severity::error,
                                           "Named arguments are parameters of the operator."};
inline constexpr DiagKind bad_argument{"UC1124", "bad-argument", Severity::error,
                                       "An argument is of its parameter's kind."};

inline constexpr DiagKind precision_storage{
    "UC1301", "precision-storage", Severity::error,
    "`precision` is the least accurate form that data derived from an f32 input or param may be stored in."};
inline constexpr DiagKind precision_math{"UC1302", "precision-math", Severity::error,
                                         "`precision` is the least accurate form that data derived from an "
                                         "f32 input or param may be multiplied in."};

inline constexpr DiagKind nested_launch{"UC1401", "nested-launch", Severity::error,
                                        "One statement is one launch group: what cannot happen in the same "
                                        "kernel stands in a statement of its own."};
inline constexpr DiagKind operand_work{"UC1402", "operand-work", Severity::error,
                                       "Operands of a contraction are tensors, views or prepacked; "
                                       "converting or computing them takes a step before."};
inline constexpr DiagKind not_fusable{"UC1403", "not-fusable", Severity::error,
                                      "After `>>` stand fused operators only."};
inline constexpr DiagKind fused_only{"UC1404", "fused-only", Severity::error,
                                     "Some operators exist only after `>>`."};
inline constexpr DiagKind nothing_to_do{"UC1405", "nothing-to-do", Severity::error,
                                        "A step applies an operator."};
inline constexpr DiagKind it_outside{"UC1406", "it-outside", Severity::error,
                                     "`it` is the running value of a chain, after `>>`."};
inline constexpr DiagKind result_count{
    "UC1407", "result-count", Severity::error,
    "Names on the left bind the chain's stores in order, then the final value."};
inline constexpr DiagKind prepack_not_params{
    "UC1408", "prepack-not-params", Severity::error,
    "`prepack` takes an expression over params only: it runs once, when the weights are loaded."};
inline constexpr DiagKind view_of_work{"UC1409", "view-of-work", Severity::error,
                                       "A view is of a tensor that has memory."};
inline constexpr DiagKind epilogue_view{"UC1410", "epilogue-view", Severity::error,
                                        "What an epilogue reads broadcasts to the result and keeps one "
                                        "stride a row, column and batch dimension."};
inline constexpr DiagKind chain_shape{"UC1411", "chain-shape", Severity::error,
                                      "Fused operators keep the shape of the running value."};
inline constexpr DiagKind view_step_extras{"UC1412", "view-step-extras", Severity::error,
                                           "A view runs no kernel, so it takes no knobs and no chain."};
inline constexpr DiagKind weights_each_call{
    "UC1413", "weights-each-call", Severity::warning,
    "What depends on params alone can be computed once: `prepack` runs when the weights are loaded."};

inline constexpr DiagKind unknown_knob{"UC1501", "unknown-knob", Severity::error,
                                       "A knob is one of its operator family's."};
inline constexpr DiagKind knob_family{"UC1502", "knob-family", Severity::error,
                                      "A knob applies to some operator families only."};
inline constexpr DiagKind knob_syntax{"UC1503", "knob-syntax", Severity::error,
                                      "A knob takes the settings that its row describes."};
inline constexpr DiagKind knob_twice{"UC1504", "knob-twice", Severity::error, "A knob is set once a step."};

inline constexpr DiagKind named_dims{"UC1901", "named-dims-not-yet", Severity::error,
                                     "Programs with named dims are checked and executed, and compiled at "
                                     "sizes written as numbers only."};
inline constexpr DiagKind knob_not_emitted{"UC1902", "knob-not-emitted", Severity::error,
                                           "The knob is part of the language, and no back end emits it yet."};
inline constexpr DiagKind knob_set{"UC1903", "knob-set", Severity::error,
                                   "A set of settings stands for several programs, and one is compiled: "
                                   "`ucutlass expand` lists them."};
inline constexpr DiagKind no_legal_member{
    "UC1505", "no-legal-member", Severity::error,
    "Of the programs that sets of settings stand for, at least one is legal."};
inline constexpr DiagKind too_many_members{"UC1506", "too-many-members", Severity::error,
                                           "Sets of settings stand for at most 4096 programs together."};
inline constexpr DiagKind form_not_yet{
    "UC1904", "form-not-yet", Severity::error,
    "The grammar has this form, and no operator of this version takes it yet."};
inline constexpr DiagKind no_backend{"UC1905", "no-backend", Severity::error,
                                     "Some back end emits the step's kernel for the target."};
inline constexpr DiagKind no_legal_choice{"UC1906", "no-legal-choice", Severity::error,
                                          "With the knobs given, some legal choice of the others exists."};

inline constexpr DiagKind not_emitted{
    "UC1907", "not-emitted-yet", Severity::error,
    "The step is legal and has a meaning, and no back end makes a kernel of it yet."};

}  // namespace uc::kinds

namespace uc {
/// All of the above, for tests.
std::span<const DiagKind> check_diag_kinds();
/// Those of every layer, rules aside, by id: for `explain` and the reference.
std::vector<DiagKind> all_diag_kinds();
}  // namespace uc
