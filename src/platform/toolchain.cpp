#include "platform/toolchain.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>

#include "platform/process.h"

namespace uc {
namespace {

constexpr int kMissing = 3;
constexpr std::string_view kSetup =
    "`make setup` fetches the headers; or set UCUTLASS_CUTLASS_DIR to a CUTLASS 4.2 to 4.7";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The folder of the program, or the nearest one above it, that holds `path`; empty when none does.
std::string find_above(std::string_view path, Files& files) {
  for (std::string folder = executable_folder(); !folder.empty(); folder.resize(folder.rfind('/'))) {
    if (files.exists(fmt::format("{}/{}", folder, path))) return folder;
  }
  return {};
}

/// The value of `#define name <integer>`, or -1.
int define_value(std::string_view text, std::string_view name) {
  const std::string define = fmt::format("#define {} ", name);
  size_t at = text.find(define);
  if (at == std::string_view::npos) return -1;
  at = text.find_first_not_of(' ', at + define.size());
  if (at == std::string_view::npos) return -1;
  int value = -1;
  std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string CutlassTree::version() const { return fmt::format("{}.{}.{}", major, minor, patch); }

std::string find_cuda_program(const std::string& name, const Environment& environment, Files& files) {
  if (const auto given = environment.get("UCUTLASS_" + upper(name)); given && !given->empty()) {
    return find_program(*given);
  }
  for (const std::string_view variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const auto home = environment.get(variable);
    if (home && !home->empty() && files.exists(*home + "/bin/" + name)) return *home + "/bin/" + name;
  }
  const std::string in_path = find_program(name);
  if (!in_path.empty()) return in_path;
  const std::string usual = "/usr/local/cuda/bin/" + name;
  return files.exists(usual) ? usual : std::string();
}

std::string find_python(const Environment& environment) {
  const auto given = environment.get("UCUTLASS_PYTHON");
  return find_program(given && !given->empty() ? *given : "python3");
}

Result<std::string> find_python_package(Files& files) {
  const std::string folder = find_above("python/ucutlass/capture.py", files);
  if (!folder.empty()) return folder + "/python";
  return fail(fmt::format("python/ucutlass is neither beside {}/ucutlass nor above it", executable_folder()),
              "run the program from the folder where it was built, or install it with its python folder",
              kMissing);
}

Result<CutlassTree> read_cutlass(const std::string& folder, Files& files) {
  const auto text = files.read(folder + "/include/cutlass/version.h");
  if (!text) {
    return fail(fmt::format("{} holds no CUTLASS: include/cutlass/version.h is not there", folder),
                std::string(kSetup), kMissing);
  }
  CutlassTree tree{folder, folder + "/include", folder + "/tools/util/include", 0, 0, 0};
  tree.major = define_value(*text, "CUTLASS_MAJOR");
  tree.minor = define_value(*text, "CUTLASS_MINOR");
  tree.patch = define_value(*text, "CUTLASS_PATCH");
  if (tree.major != 4 || tree.minor < 2 || tree.minor > 7) {
    return fail(fmt::format("{} is CUTLASS {}, but 4.2 to 4.7 is needed", folder, tree.version()),
                std::string(kSetup), kMissing);
  }
  return tree;
}

Result<CutlassTree> find_cutlass(const Environment& environment, Files& files) {
  if (const auto given = environment.get("UCUTLASS_CUTLASS_DIR"); given && !given->empty()) {
    return read_cutlass(*given, files);
  }
  const std::string folder = find_above("third_party/cutlass-4.2/include/cutlass/version.h", files);
  if (!folder.empty()) return read_cutlass(folder + "/third_party/cutlass-4.2", files);
  return fail("the CUTLASS headers are not there", std::string(kSetup), kMissing);
}

}  // namespace uc
