#pragma once
// Why: a step that moves data (concat, pad, roll) is a pointwise kernel of several bodies: each has a box of
// the result, and reads what it is made of through strides of its own.
#include <optional>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/program.h"

namespace uc {

/// The node of what `piece` holds, and what the step's parentheses compute of it: views are as if the result
/// were read from its start on. Nothing after an error, or where something has no kernel yet.
std::optional<NodeId> piece_node(const Catalog& catalog, const Program& program, const Step& step,
                                 const Piece& piece, Scalar& scalar, DiagSink& diags);

/// Leaves of a body over the whole result the piece's box.
void restrict_to(const Piece& piece, Map::Body& body);

}  // namespace uc
