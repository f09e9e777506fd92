#include "cli/real_context.h"

#include <iostream>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"

namespace uc::cli {
namespace {

bool wants_color(int descriptor, const Environment& environment) {
  if (isatty(descriptor) == 0) return false;
  const auto no_color = environment.get("NO_COLOR");
  if (no_color && !no_color->empty()) return false;
  return environment.get("TERM").value_or("dumb") != "dumb";
}

}  // namespace

Context real_context(const Catalog& catalog) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  const Environment& environment = real_environment();
  return Context{catalog,
                 std::cin,
                 std::cout,
                 std::cerr,
                 environment,
                 real_files(),
                 real_processes(),
                 real_clock(),
                 wants_color(STDOUT_FILENO, environment),
                 wants_color(STDERR_FILENO, environment)};
}

}  // namespace uc::cli
