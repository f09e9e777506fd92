#pragma once
// Why: tests run commands in-process against string streams and a fake environment.
#include <sstream>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "cli/command.h"
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"

namespace uc::cli {

/// A context whose streams are strings. Files and processes are the real ones unless replaced.
struct TestWorld {
  explicit TestWorld(std::string standard_input = {}) : in(std::move(standard_input)) {}
  /// Runs `args` and returns the exit code; `out` and `err` hold what was printed.
  int run(std::vector<std::string> args) { return run(builtin_commands(), std::move(args)); }
  int run(std::vector<const CommandSpec*> commands, std::vector<std::string> args) {
    const Context context{catalog, in, out, err, environment, real_files(), real_processes(), clock};
    return cli::run(context, commands, args);
  }

  Catalog catalog;
  std::istringstream in;
  std::ostringstream out, err;
  FakeEnvironment environment;
  FakeClock clock;
};

}  // namespace uc::cli
