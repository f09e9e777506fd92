// Builds the catalog, wires the real platform, runs the command line.
#include <string>
#include <vector>

#include "catalog/builtin.h"
#include "cli/command.h"
#include "cli/real_context.h"

int main(int argc, char** argv) {
  const uc::Catalog catalog = uc::builtin_catalog();
  const uc::cli::Context context = uc::cli::real_context(catalog);
  const std::vector<const uc::cli::CommandSpec*> commands = uc::cli::builtin_commands();
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return uc::cli::run(context, commands, args);
}
