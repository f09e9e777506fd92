#pragma once
// Why: the doctor and the build driver must look for nvcc, CUTLASS and Python in the same places.
#include <string>

#include "base/result.h"
#include "platform/environment.h"
#include "platform/files.h"

namespace uc {

/// Path of a CUDA toolkit program ("nvcc", "cuobjdump", "ncu"): UCUTLASS_<NAME>, $CUDA_HOME/bin, PATH,
/// /usr/local/cuda/bin; empty when there is none.
std::string find_cuda_program(const std::string& name, const Environment& environment, Files& files);

/// The Python to use for torch: UCUTLASS_PYTHON, else python3 in PATH; empty when there is none.
std::string find_python(const Environment& environment);

/// The folder to put on PYTHONPATH for `-m ucutlass.capture`: `python` in the folder of the program or in one
/// above it. An error (exit code 3) when it is not there.
Result<std::string> find_python_package(Files& files);

struct CutlassTree {
  std::string folder;                  ///< what UCUTLASS_CUTLASS_DIR names, or third_party/cutlass-<version>
  std::string include, tools_include;  ///< for -I
  int major = 0, minor = 0, patch = 0;
  std::string version() const;  ///< "4.2.0"
};

/// The CUTLASS headers: UCUTLASS_CUTLASS_DIR (a checkout, or a folder that holds include/), else
/// third_party/cutlass-4.2 in the folder of the program or in one above it. An error (exit code 3) when
/// there is none, or its version is not in 4.2 ... 4.7.
Result<CutlassTree> find_cutlass(const Environment& environment, Files& files);

/// The tree in `folder`, when it is one and its version is served.
Result<CutlassTree> read_cutlass(const std::string& folder, Files& files);

}  // namespace uc
