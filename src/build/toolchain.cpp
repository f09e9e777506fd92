#include "build/toolchain.h"

#include <array>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "platform/files.h"

namespace uc {
namespace fs = std::filesystem;
namespace {

// The number that follows `#define NAME` in a header.
int defined(std::string_view text, std::string_view name) {
  const size_t at = text.find(fmt::format("#define {} ", name));
  return at == std::string_view::npos ? -1 : std::atoi(std::string(text.substr(at + 9 + name.size(), 8)).c_str());
}

std::string cutlass_version_in(const fs::path& folder) {
  const auto text = real_files().read((folder / "include/cutlass/version.h").string());
  if (!text) return {};
  const int major = defined(*text, "CUTLASS_MAJOR");
  return major < 0 ? "" : fmt::format("{}.{}.{}", major, defined(*text, "CUTLASS_MINOR"), defined(*text, "CUTLASS_PATCH"));
}

Result<> find_cutlass(Toolchain& out) {
  if (const char* given = std::getenv("UCUTLASS_CUTLASS_DIR"); given != nullptr && given[0] != 0) {
    const std::string version = cutlass_version_in(given);
    const bool known = starts_with(version, "4.") && std::atoi(version.c_str() + 2) >= 2 && std::atoi(version.c_str() + 2) <= 7;
    if (!known) {
      return fail(fmt::format("UCUTLASS_CUTLASS_DIR={} holds {}", given, version.empty() ? "no CUTLASS" : "CUTLASS " + version),
                  "name the root of a CUTLASS checkout, 4.2 to 4.7 (it holds include/cutlass), or unset it", 3);
    }
    out.cutlass = given;
    out.cutlass_version = version;
    return {};
  }
  for (fs::path folder = executable_folder(); folder.has_relative_path(); folder = folder.parent_path()) {
    const fs::path candidate = folder / "third_party/cutlass-4.2";
    out.cutlass_version = cutlass_version_in(candidate);
    if (out.cutlass_version.empty()) continue;
    out.cutlass = candidate.string();
    break;
  }
  return {};
}

std::string first_match(Processes& processes, const std::string& program, const std::string& argument, std::string_view before) {
  const auto done = processes.run({.argv = {program, argument}, .deadline = Millis{20000}});
  if (!done || !done->end.ok()) return {};
  const size_t at = before.empty() ? 0 : done->out.find(before);
  if (at == std::string::npos) return {};
  const std::string_view rest = std::string_view(done->out).substr(at + before.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

}  // namespace

std::string Toolchain::id() const { return fmt::format("nvcc {} gxx {} cutlass {}", nvcc_version, gxx_version, cutlass_version); }

Result<Toolchain> find_toolchain(Processes& processes) {
  Toolchain out;
  const char* given = std::getenv("UCUTLASS_NVCC");
  out.nvcc = given != nullptr && given[0] != 0 ? given : find_program("nvcc");
  if (out.nvcc.empty() && find_program("/usr/local/cuda/bin/nvcc") != "") out.nvcc = "/usr/local/cuda/bin/nvcc";
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
  if (const auto found = find_cutlass(out); !found) return tl::unexpected(found.error());
  return out;
}

Result<> require_build(const Toolchain& toolchain) {
  if (toolchain.nvcc.empty() || toolchain.cuda_include.empty()) {
    return fail("no nvcc: kernels cannot be compiled here", "install the CUDA toolkit 13, or set UCUTLASS_NVCC to its nvcc", 3);
  }
  if (toolchain.gxx.empty()) return fail("no g++: programs cannot be built here", "install g++ 12 or newer", 3);
  if (toolchain.cutlass.empty()) {
    return fail("no CUTLASS headers", "run `make setup`, or set UCUTLASS_CUTLASS_DIR to a CUTLASS checkout (4.2 to 4.7)", 3);
  }
  return {};
}

}  // namespace uc
