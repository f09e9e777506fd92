#pragma once
// Why: what `ucutlass compile` leaves in a folder, whole: sources, support files, manifest, forms, and the
// built library.
#include <string>
#include <vector>

#include "base/result.h"
#include "build/builder.h"
#include "compiler/emission.h"
#include "platform/files.h"

namespace uc {

struct ArtifactForms {
  bool header = true;        ///< ucutlass_<hash>.h
  bool cu = true;            ///< the kernels' sources and the glue
  bool torch = false;        ///< ucutlass_<hash>.py
  bool standalone = false;   ///< ucutlass_<hash>_bench.cu: checks itself and prints TFLOP/s against cuBLAS
  bool kernelbench = false;  ///< kernelbench_<hash>.py, made after the build (compiler/kernelbench.h)
};

/// Names of the files written, relative to `folder`. Errors: the folder cannot be written.
Result<std::vector<std::string>> write_artifacts(const Catalog& catalog, const Compiled& compiled,
                                                 const EmittedProgram& emitted, const ArtifactForms& forms,
                                                 const std::string& folder, Files& files);

}  // namespace uc
