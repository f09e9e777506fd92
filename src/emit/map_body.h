#pragma once
// Why: what one body of a pointwise kernel does, as statements: each thread moves whole vectors along the
// result's fastest dimension, or a block turns a box in shared memory first.
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "plan/map_shape.h"

namespace uc {

/// Statements of body `index`, of `few` (a uck_map's), or of many, which share the text; `i` is the number of
/// the thread in its row of blocks, `shared` the block's shared memory where the body has a tile.
std::vector<cpp::Statement> map_statements(const Map::Body& body, const CollapsedBody& collapsed,
                                           size_t index, bool few, int64_t threads);

/// Empty when the body can be spelled, else one line on why not.
std::string map_body_refuses(const Map::Body& body);

}  // namespace uc
