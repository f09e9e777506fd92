#include "build/toolchain.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/text.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/toolchain.h"

namespace uc {
namespace fs = std::filesystem;
namespace {

std::string first_match(Processes& processes, const std::string& program, const std::string& argument,
                        std::string_view before) {
  const auto done = processes.run({.argv = {program, argument}, .deadline = Millis{20000}});
  if (!done || !done->end.ok()) return {};
  const size_t at = before.empty() ? 0 : done->out.find(before);
  if (at == std::string::npos) return {};
  const std::string_view rest = std::string_view(done->out).substr(at + before.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

}  // namespace

std::string Toolchain::id() const {
  return fmt::format("nvcc {} gxx {} cutlass {}", nvcc_version, gxx_version, cutlass_version);
}

Result<Toolchain> find_toolchain(Processes& processes) {
  Toolchain out;
  const Environment& environment = real_environment();
  out.nvcc = find_cuda_program("nvcc", environment, real_files());
  if (!out.nvcc.empty()) {
    out.nvcc_version = first_match(processes, out.nvcc, "--version", "release ");
    std::error_code error;
    const fs::path root = fs::canonical(out.nvcc, error).parent_path().parent_path();
    for (const fs::path& folder : {root / "include", fs::path("/usr/local/cuda/include")}) {
      if (fs::exists(folder / "cuda.h", error)) {
        out.cuda_include = folder.string();
        break;
      }
    }
  }
  out.gxx = find_program("g++");
  if (!out.gxx.empty()) out.gxx_version = first_match(processes, out.gxx, "-dumpfullversion", "");
  if (const auto tree = find_cutlass(environment, real_files())) {
    out.cutlass = tree->folder;
    out.cutlass_version = tree->version();
  } else if (!environment.get("UCUTLASS_CUTLASS_DIR").value_or("").empty()) {
    return tl::unexpected(tree.error());
  }
  return out;
}

Result<> require_build(const Toolchain& toolchain) {
  if (toolchain.nvcc.empty() || toolchain.cuda_include.empty()) {
    return fail("no nvcc: kernels cannot be compiled here",
                "install the CUDA toolkit 13, or set UCUTLASS_NVCC to its nvcc", 3);
  }
  if (toolchain.gxx.empty())
    return fail("no g++: programs cannot be built here", "install g++ 12 or newer", 3);
  if (toolchain.cutlass.empty()) {
    return fail("no CUTLASS headers",
                "run `make setup`, or set UCUTLASS_CUTLASS_DIR to a CUTLASS checkout (4.2 to 4.7)", 3);
  }
  return {};
}

}  // namespace uc
