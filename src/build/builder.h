#pragma once
// Why: compiling is the slow step, so it is split (device half, host half), cached by content, and never
// leaves half a result: a build happens beside its place and is renamed into it when whole.
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "build/toolchain.h"
#include "emit/emitted.h"
#include "platform/files.h"
#include "platform/process.h"

namespace uc {

struct BuiltKernel {
  std::string hash;
  std::string folder;  ///< holds <hash>.cubin and, for contractions, <hash>.o
  bool has_host = false;
  bool cached = false;
  double device_seconds = 0;  ///< nvcc
  double host_seconds = 0;    ///< g++
};

struct BuiltProgram {
  std::string library;  ///< the shared object: exports ucutlass_get_api
  double seconds = 0;   ///< wall time of everything that was not cached
  std::vector<BuiltKernel> kernels;
};

/// CUDA C++ that somebody wrote for so many tensors.
struct RawSource {
  std::string text;
  size_t inputs = 0, params = 0, outputs = 0;
};

struct BuiltRaw {
  std::string library;
  double seconds = 0;
  std::string log;  ///< folder of nvcc's log
};

struct BuilderOptions {
  std::string
      cache;     ///< folder; empty: $UCUTLASS_CACHE, else $XDG_CACHE_HOME/ucutlass, else ~/.cache/ucutlass
  int jobs = 0;  ///< compilers at once; 0: as many as cores and memory allow (4 GB an nvcc)
  std::function<void(const std::string&)> progress;
};

class Builder {
 public:
  Builder(Toolchain toolchain, BuilderOptions options, Processes& processes = real_processes(),
          Files& files = real_files());

  /// Both halves of each kernel, in parallel, cached ones not at all. Errors carry the compiler's first
  /// messages; the whole log stays in the cache folder and is named.
  Result<std::vector<BuiltKernel>> kernels(const std::vector<EmittedKernel>& kernels);

  /// Kernels, then the glue, linked into `output` (a .so path).
  Result<BuiltProgram> program(const std::vector<EmittedKernel>& kernels, const std::string& glue,
                               const std::string& output);

  /// The table of the ABI is put around its two functions (templates/uc_raw.cuh) unless it exports one. The
  /// log is in the folder `output`.build.
  Result<BuiltRaw> raw(const RawSource& raw, const std::string& output);

  const Toolchain& toolchain() const { return toolchain_; }
  const std::string& cache() const { return cache_; }

 private:
  std::string folder_of(const EmittedKernel& kernel) const;
  /// Whole, not cut short: what is damaged is compiled again.
  bool present(const EmittedKernel& kernel) const;
  /// Removes what killed or failed compilers left behind long ago.
  void sweep();
  Result<BuiltKernel> build(const EmittedKernel& kernel);
  Result<> compile(const std::vector<std::string>& argv, const std::string& folder, const std::string& what,
                   double& seconds);

  Toolchain toolchain_;
  BuilderOptions options_;
  Processes& processes_;
  Files& files_;
  std::string cache_;
};

}  // namespace uc
