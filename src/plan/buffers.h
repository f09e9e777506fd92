#pragma once
// Why: where every tensor lives while the program runs.
#include <cstddef>
#include <vector>

#include "ir/kernel.h"
#include "ir/program.h"

namespace uc {

struct Location {
  enum class Kind : uint8_t { none, input, param, packed, workspace, output } kind = Kind::none;
  size_t index = 0;   ///< of the input, param or output
  size_t offset = 0;  ///< bytes, packed and workspace: multiple of 256
};

struct BufferPlan {
  std::vector<Location> location;  ///< one a value; views have their root's
  size_t packed_bytes = 0;
  size_t workspace_bytes = 0;
};

/// Results go to outputs, load-phase values to packed memory, the rest to the workspace, whose space is
/// reused as soon as the last reader has run (launches run in stream order).
BufferPlan plan_buffers(const Program& program, const std::vector<Launch>& launches);

}  // namespace uc
