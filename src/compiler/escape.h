#pragma once
// Why: what stands in `cuda("""...""")` is nvcc's to judge. Each source is compiled alone, and what nvcc says
// becomes findings at the lines of the program.
#include <string_view>

#include "base/result.h"
#include "build/toolchain.h"
#include "diag/diag.h"
#include "ir/program.h"
#include "platform/files.h"

namespace uc {

/// True when a step of the program is an escape.
bool has_escapes(const Program& program);

/// Compiles the source of every escape for the program's target. `source` is the program's text, which places
/// refer to. Errors: nvcc is missing or cannot be started.
Result<> compile_escapes(const Program& program, std::string_view source, const Toolchain& toolchain,
                         Processes& processes, Files& files, DiagSink& diags);

}  // namespace uc
