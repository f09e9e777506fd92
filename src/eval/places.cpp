#include "eval/places.h"

#include <cstdlib>
#include <fmt/format.h>

#include "platform/files.h"

namespace uc {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The first existing `relative` below the program's folder, its parents, and the places of an installation.
std::string look(const std::string& relative) {
  const std::string here = executable_folder();
  for (const char* base : {"", "/..", "/../..", "/../share/ucutlass", "/../lib/ucutlass"}) {
    std::string path = fmt::format("{}{}/{}", here, base, relative);
    if (real_files().exists(path)) return path;
  }
  return {};
}

Result<> fill(std::string& place, const char* name, const std::string& relative, const char* brings) {
  if (place.empty()) place = variable(name);
  if (place.empty()) place = look(relative);
  if (!place.empty() && real_files().exists(place)) return {};
  return fail(fmt::format("{} was not found", place.empty() ? relative : place),
              fmt::format("{}, or set {}", brings, name), 3);
}

}  // namespace

Result<EvalEnvironment> find_places(EvalEnvironment environment) {
  if (environment.python.empty()) environment.python = variable("UCUTLASS_PYTHON");
  if (environment.python.empty()) environment.python = "python3";
  if (find_program(environment.python).empty()) {
    return fail(fmt::format("no {}", environment.python),
                "the judge needs Python 3.11 or newer with torch: name one with UCUTLASS_PYTHON", 3);
  }
  if (environment.judge_folder.empty()) environment.judge_folder = variable("UCUTLASS_JUDGE");
  if (environment.judge_folder.empty()) {
    const std::string found = look("python/ucutlass_judge/__main__.py");
    if (!found.empty()) environment.judge_folder = found.substr(0, found.rfind("/ucutlass_judge/"));
  }
  if (!real_files().exists(environment.judge_folder + "/ucutlass_judge/__main__.py")) {
    return fail("the judge (python/ucutlass_judge) was not found",
                "set UCUTLASS_JUDGE to the folder that holds ucutlass_judge", 3);
  }
  for (const auto& done :
       {fill(environment.runner, "UCUTLASS_RUNNER", "ucutlass-runner", "build it with `make build`"),
        fill(environment.timing_library, "UCUTLASS_TIMING", "libucutlass_timing.so",
             "build it with `make build`")}) {
    if (!done) return tl::unexpected(done.error());
  }
  if (!environment.processes) environment.processes = &real_processes();
  return environment;
}

}  // namespace uc
