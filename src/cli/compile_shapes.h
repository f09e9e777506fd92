#pragma once
// Why: `ucutlass compile --dims ... --emit dispatch`: one program, several sizes, one C++ entry.
#include <string>

#include "cli/command.h"

namespace uc::cli {

struct CompileShapes {
  std::string source;  ///< text of the program
  std::string dims;    ///< "m=1:.6,64:.3,4096:.1"
  std::string folder;
  std::string device;  ///< a device row; empty: the target's own
  bool no_build = false;
};

/// Writes headers and libraries of all sizes and the entry; prints modelled times and their weighted sum to
/// standard error, names of files to standard output. Returns the exit code.
int compile_shapes(const Context& context, const CompileShapes& given);

}  // namespace uc::cli
