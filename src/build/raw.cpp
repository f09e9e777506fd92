// CUDA C++ that a language model or a person wrote.
#include <fmt/format.h>

#include "build/builder.h"
#include "emit/templates.h"

namespace uc {

Result<BuiltRaw> Builder::raw(const RawSource& raw, const std::string& output) {
  if (const auto able = require_build(toolchain_); !able) return tl::unexpected(able.error());
  BuiltRaw out{output, 0, output + ".build"};
  Result<> done = files_.make_folder(out.log);
  for (const char* name : {"uc_abi.h", "uc_raw.cuh"}) {
    if (done) done = files_.write(fmt::format("{}/{}", out.log, name), support_file(name));
  }
  const bool whole = raw.text.find("ucutlass_get_api") != std::string::npos;
  const std::string table =
      whole ? std::string()
            : fmt::format(
                  "\n#define UC_RAW_INPUTS {}\n#define UC_RAW_PARAMS {}\n#define UC_RAW_OUTPUTS {}\n"
                  "#include \"uc_raw.cuh\"\n",
                  raw.inputs, raw.params, raw.outputs);
  if (done) done = files_.write(out.log + "/candidate.cu", raw.text + table);
  if (!done) return tl::unexpected(done.error());
  const std::vector<std::string> nvcc{toolchain_.nvcc,
                                      "-shared",
                                      "-std=c++17",
                                      "-O3",
                                      "-DNDEBUG",
                                      "-gencode=arch=compute_90a,code=sm_90a",
                                      "--expt-relaxed-constexpr",
                                      "-cudart=static",
                                      "-Xcompiler=-fPIC,-w",
                                      "-Xptxas=-v",
                                      "-I.",
                                      "-I" + toolchain_.cutlass + "/include",
                                      "-I" + toolchain_.cutlass + "/tools/util/include",
                                      "candidate.cu",
                                      "-o",
                                      "candidate.so"};
  done = compile(nvcc, out.log, "candidate", out.seconds);
  if (!done) return tl::unexpected(done.error());
  const auto bytes = files_.read(out.log + "/candidate.so");
  if (!bytes) return tl::unexpected(bytes.error());
  if (auto written = files_.write(output, *bytes, 0755); !written) return tl::unexpected(written.error());
  (void)files_.remove(out.log + "/candidate.so");
  return out;
}

}  // namespace uc
