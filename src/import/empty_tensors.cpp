#include "import/empty_tensors.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace uc {

Result<> refuse_empty_tensors(const Graph& graph) {
  const auto empty = std::ranges::find_if(graph.tensors, [](const GraphTensor& each) {
    return std::ranges::find(each.shape, 0) != each.shape.end();
  });
  if (empty == graph.tensors.end()) return {};
  return fail(fmt::format("`{}` of [{}] has no elements: sizes are 1 or more", empty->name,
                          fmt::join(empty->shape, ", ")),
              "capture the problem with inputs that hold something");
}

}  // namespace uc
