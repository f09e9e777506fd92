#pragma once
// Why: which box of a pointwise launch a block turns in shared memory follows from the extents, the types and
// the alignment of its tensors.
#include "plan/map_shape.h"

namespace uc {

/// The tensors of a body that are contiguous along one other dimension than its result; nothing where there
/// are none, or the result is contiguous along no dimension.
std::optional<MapTile> turned_views(const Map::Body& body, const CollapsedBody& shape);

/// The box and the widths of accesses to it. Requires `body.tile` of turned_views and `body.vector`, as wide
/// as `widest` allows along columns; vectors become wider where rows lie densely. False: what is to be turned
/// does not fit.
bool set_tile(const Map::Body& map, int64_t widest, CollapsedBody& body);

/// The box's elements of a view lie behind each other, as wide as `width` elements of 16 bytes at most are
/// aligned.
bool lies_flat(const Map::Body& map, const CollapsedBody& body, size_t view, int64_t width);

}  // namespace uc
