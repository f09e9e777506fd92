#pragma once
// Why: how an epilogue reads or writes each tensor decides which CUTLASS node carries it; rules, the cost
// model and the emitter classify in the same way.
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/kernel.h"

namespace uc {

enum class LeafKind : uint8_t {
  scalar,  ///< one element (a batch)
  row,     ///< along N, unit stride
  column,  ///< along M, unit stride
  full,    ///< M x N, unit stride along N
  other    ///< none of these: no node reads it
};
LeafKind leaf_kind(const View& view);

/// Rows and matrices of a full view start at multiples of 16 bytes, as tensor memory access asks for.
bool rows_aligned(const View& view);
/// They hold whole vectors of 16 bytes besides, so that vector accesses need no care at the end of a row.
bool whole_vectors(const View& view);

/// An epilogue as a visitor tree carries it out: what it reads, what it makes, and which of that is D. Where
/// elements meet in rows: what of it the tree is left with (plan/epilogue_rows.h).
struct EpilogueParts {
  std::vector<uint32_t> loads;     ///< views it reads, in order of first use
  std::optional<uint32_t> source;  ///< the view read as C by tensor memory access: the first that can be
  std::optional<size_t> result;    ///< the effect stored as D by tensor memory access: the last that can be
  std::vector<size_t> aside;       ///< the other effects, in chain order
  /// The view of D, or nothing.
  const View* d(const Scalar& epilogue) const {
    return result ? &epilogue.views[epilogue.effects[*result].view] : nullptr;
  }
};
EpilogueParts epilogue_parts(const Scalar& epilogue);

}  // namespace uc
