#pragma once
// Why: operators read views; what several of them need of one memory can be united only where it lies.
#include <vector>

#include "catalog/part.h"
#include "ir/program.h"

namespace uc::sol {

/// A part of a view as a part of the memory that it looks at: by place where the view's dimensions lie in the
/// memory's one by one, or split or join them; else a share.
Part in_root(const Value& view, const Value& root, const Part& part);

/// The view of those elements alone, with shape, strides and offset and nothing else. Requires that their
/// place is known: no triangle, all inside.
Value cut_out(const Value& view, const Part& part);

/// Parts of one tensor, each once, neighbours joined, at most a few. What is left out is least.
void unite(std::vector<Part>& parts);

}  // namespace uc::sol
