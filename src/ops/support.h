#pragma once
// Why: what several operator rows share: import of the plain forms, and the texts that examples are made of.
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/import_context.h"
#include "catalog/op_spec.h"

/// A whole program whose one step applies `call` to `x`.
#define UC_STEP_EXAMPLE(call) "target sm_90a\ninput x: f32[64, 128]\ny = " call "\nreturn y\n"
/// A whole program that applies `call` to two inputs.
#define UC_BINARY_EXAMPLE(call) \
  "target sm_90a\ninput x: f32[64, 128]\ninput z: f16[128]\ny = " call "\nreturn y\n"
/// A whole program that applies `call` in the epilogue of a gemm.
#define UC_FUSED_EXAMPLE(call)                                                           \
  "target sm_90a\ninput a: f16[128, 64]\ninput b: f16[64, 256]\nc = gemm(a, b) >> " call \
  " >> to(f32)\nreturn c\n"

namespace uc::ops {

/// A text as a template argument: the name of the operator that an import applies.
template <size_t N>
struct Word {
  char text[N]{};
  constexpr Word(const char (&from)[N]) {  // NOLINT(google-explicit-constructor): written as a literal
    for (size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// Declares the captured op's result; false when there is no value.
inline bool finish(ImportContext& context, const GraphOp& op, std::optional<ValueId> value) {
  if (value) context.result(op, 0, *value);
  return value.has_value();
}

/// The captured op's first `Count` arguments become the operands of `Name`.
template <Word Name, size_t Count>
bool import_plain(ImportContext& context, const GraphOp& op) {
  std::vector<ValueId> in;
  for (size_t i = 0; i < Count; ++i) {
    const auto value = context.value(op, i);
    if (!value) return false;
    in.push_back(*value);
  }
  return finish(context, op, context.apply(Name.view(), std::move(in)));
}

/// A captured op that changes nothing here: its result is its first argument.
inline bool import_identity(ImportContext& context, const GraphOp& op) {
  return finish(context, op, context.value(op, 0));
}

inline constexpr ParamSpec kX{"x", ParamKind::tensor, {}, true, {}, "the running value after `>>`"};
inline constexpr ParamSpec kUnary[] = {kX};

}  // namespace uc::ops
