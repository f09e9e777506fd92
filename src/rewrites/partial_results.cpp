// Of what is computed and mostly left out again, only what is read.
#include <span>

#include "rewrites/support/cut.h"

namespace uc::rewrites {
namespace {

std::optional<ValueId> partial(Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.spec->name != "slice" || !s.read_once(op.in[0])) return std::nullopt;
  const auto at = cut_of(s, op);
  const OpId maker = at ? s.maker(op.in[0]) : OpId{};
  return maker ? cut_before(s, maker, *at) : std::nullopt;
}

constexpr RewriteSpec kRows[] = {
    simplifying<partial>("partial-result", "what a slice leaves out is not computed",
                         "nothing else reads it, and the rest does not depend on it", Claim::algebraic),
};

}  // namespace

std::span<const RewriteSpec> partial_results_rows() { return kRows; }

}  // namespace uc::rewrites
