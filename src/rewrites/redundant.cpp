// Work that changes nothing, is done twice, or is read by nobody.
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

std::optional<ValueId> dead(Simplifier& s, OpId id) {
  const ValueId out = s[id].out[0];
  return s.uses(out) == 0 ? std::optional(out) : std::nullopt;
}

std::optional<ValueId> common(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.spec->name == "cuda" || op.spec->family == "bounds") return std::nullopt;  // drawn, or unknown
  const OpId twin = s.twin(id);
  return twin ? std::optional(s[twin].out[0]) : std::nullopt;
}

// x * 1, x + 0, x - 0, x / 1, x ** 1.
std::optional<ValueId> neutral(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.size() != 2 || !is_any(op, {"add", "sub", "mul", "div", "pow"})) return std::nullopt;
  const double wanted = is_any(op, {"add", "sub"}) ? 0 : 1;
  for (size_t k = is_any(op, {"add", "mul"}) ? 0 : 1; k < 2; ++k) {
    if (number_of(s, op.in[k]) == wanted && s[op.in[1 - k]].kind != ValueKind::literal) return op.in[1 - k];
  }
  return std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<dead>("dead-work", "an operator whose result nobody reads is dropped",
                      "no result of the program depends on it", Claim::exact),
    simplifying<common>("common-work", "what is computed twice is computed once",
                        "the same operator with the same operands and arguments gives the same result",
                        Claim::exact),
    simplifying<neutral>("neutral-operand", "x * 1, x / 1, x + 0 and x - 0 are x",
                         "1 and 0 are neutral, for infinities and NaN too", Claim::exact),
};

}  // namespace

std::span<const RewriteSpec> redundant_rows() { return kRows; }

}  // namespace uc::rewrites
