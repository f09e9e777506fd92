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

// ---- views

// The same elements in the same places.
bool same_view(const Value& a, const Value& b) {
  if (a.root != b.root || a.offset != b.offset || a.shape != b.shape || a.dtype != b.dtype) return false;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] != 1 && a.stride[i] != b.stride[i]) return false;
  }
  return true;
}

// A view of views that is one of them again, a reshape of a reshape.
std::optional<ValueId> view_of_view(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (!op.spec->is_view() || op.in.size() != 1) return std::nullopt;
  OpId maker = id;
  for (int depth = 0; maker && s[maker].spec->is_view() && depth < 8; ++depth) {
    const ValueId before = s[maker].in[0];
    if (same_view(s[before], s[op.out[0]])) return before;
    maker = s.maker(before);
  }
  const OpId inner = op.spec->name == "reshape" ? s.maker(op.in[0], "reshape") : OpId{};
  return inner ? s.op("reshape", {s[inner].in[0]}, op.attrs) : std::nullopt;
}

// A copy of what has that type and order already.
std::optional<ValueId> same_copy(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.spec->name != "to" || op.in.size() != 1 || op.attrs.has("pitch") || op.attrs.has("channels"))
    return std::nullopt;
  const Value& x = s[op.in[0]];
  const Value& y = s[op.out[0]];
  if (x.kind == ValueKind::literal || x.dtype != y.dtype || x.shape != y.shape) return std::nullopt;
  for (size_t i = 0; i < x.shape.size(); ++i) {
    if (x.shape[i] != 1 && x.stride[i] != y.stride[i]) return std::nullopt;
  }
  return op.in[0];
}

constexpr RewriteSpec kRows[] = {
    simplifying<dead>("dead-work", "an operator whose result nobody reads is dropped",
                      "no result of the program depends on it", Claim::exact),
    simplifying<common>("common-work", "what is computed twice is computed once",
                        "the same operator with the same operands and arguments gives the same result",
                        Claim::exact),
    simplifying<neutral>("neutral-operand", "x * 1, x / 1, x + 0 and x - 0 are x",
                         "1 and 0 are neutral, for infinities and NaN too", Claim::exact),
    simplifying<view_of_view>(
        "view-of-view",
        "a view that undoes another one is what both began with, a reshape of a reshape is one",
        "views name elements; the names are the same", Claim::exact),
    simplifying<same_copy>("same-copy", "a copy of what has that type and order in memory already is dropped",
                           "it has the same elements in the same places", Claim::exact),
};

}  // namespace

std::span<const RewriteSpec> redundant_rows() { return kRows; }

}  // namespace uc::rewrites
