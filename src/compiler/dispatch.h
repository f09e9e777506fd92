#pragma once
// Why: one C++ entry over the libraries of one program at several sizes.
#include <string>
#include <vector>

#include "compiler/emission.h"

namespace uc {

struct CompiledSize {
  std::vector<int64_t> sizes;  ///< in the order of the program's dimensions
  Compiled compiled;           ///< at these sizes
  EmittedProgram emitted;
};

/// Hash of the whole set: in file and namespace names.
std::string dispatch_hash(const std::vector<CompiledSize>& set);

/// `ucutlass_dispatch_<hash>.h`: picks the library by the sizes of the call, which must be listed. Sizes
/// whose weights are prepared the same way share the prepared memory. Requires at least one entry.
std::string emit_dispatch(const Program& program, const std::vector<CompiledSize>& set);

}  // namespace uc
