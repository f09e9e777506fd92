#pragma once
// Why: `ucutlass compile --dims ... --emit dispatch`: one program, any of its sizes, one C++ entry.
#include <string>

#include "cli/command.h"

namespace uc::cli {

struct CompileShapes {
  std::string source;  ///< text of the program
  std::string dims;    ///< "m=1:.6,64:.3,4096:.1"
  std::string folder;
  std::string device;  ///< a device row; empty: the target's own
  std::string times;   ///< file with measured times of cuBLASLt; may be empty
  bool no_build = false;
};

/// Writes the entry and a library a choice of kernels; prints modelled times of the listed sizes, their
/// weighted sum and what serves which sizes to standard error, names of files to standard output. Returns the
/// exit code.
int compile_shapes(const Context& context, const CompileShapes& given);

}  // namespace uc::cli
