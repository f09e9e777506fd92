#pragma once
// Why: a kernel is named by what it is made of, so equal kernels share a build and different ones never do.
#include <string>
#include <string_view>

#include "emit/emitted.h"

namespace uc {

/// Written by emitters wherever the kernel's own symbol stands.
inline constexpr std::string_view kKernelSymbol = "uck_@@";

/// Names the kernel: hash of both sources, of the support files that they include and of the
/// emitter's version; then replaces
/// kKernelSymbol by `uck_<hash>` in both.
void name_kernel(EmittedKernel& kernel);

}  // namespace uc
