#pragma once
// Why: pieces of a generated program's text that know nothing of its tables.
#include <string>
#include <string_view>

#include "emit/emitted.h"
#include "plan/buffers.h"

namespace uc {

/// A constant of uc_runtime.h: "kInput".
std::string_view where_name(Location::Kind kind);

struct Capability {
  int major, minor;
  bool exact;
};
/// Of "sm_90a": 9.0 and no other; of "sm_86": 8.6 and later ones of major 8.
Capability capability(std::string_view target);

/// String literals, one a line.
std::string quote_lines(const std::string& text);

/// Its cubin in the assembler's words, and the functions of its host half.
std::string declare_kernel(const EmittedKernel& kernel);

}  // namespace uc
