#pragma once
// Why: pointwise launches (conversions too) as plain CUDA: each thread moves whole vectors along the fastest
// dimension.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// A body with dimensions merged where every view allows it, and the vector width that its views allow.
struct CollapsedBody {
  Shape shape;                  ///< outermost first; at least one dimension
  std::vector<Strides> stride;  ///< a view, for `shape`
  int64_t vector = 1;           ///< elements a thread handles at once
};

/// `vector` 0: as wide as 16 bytes of the widest type allows; otherwise at most that.
CollapsedBody collapse(const Map::Body& body, int64_t vector);

/// Empty when emit_map can emit the kernel, else one line on why not.
std::string map_refuses(const Map& kernel);

/// `arch`: what it is compiled for, "sm_90a".
EmittedKernel emit_map(const Map& kernel, const MapConfig& config, std::string_view arch);

/// Threads a block when the knob is automatic.
inline constexpr int64_t kMapThreads = 256;

}  // namespace uc
