#pragma once
// Why: `ucutlass import` takes results as well as problems: what another store exported, and what other
// benchmarks wrote. They go into the store, and say where they come from.
#include <string>

#include "cli/command.h"

namespace uc::cli {

struct ImportResults {
  std::string path;
  std::string format;  ///< --from: a foreign format; empty: our own
  std::string level;   ///< --level, of KernelBench; empty: not said
  std::string corpus = "data/kernelbench";
  std::string store;
  bool trust = false, replace = false, json = false;
};

/// True for a file whose first line says that it holds results of ours.
bool holds_results(const Context& context, const std::string& path);

/// What a file that is no problem seems to be: advice for who named it; empty where it seems nothing.
std::string foreign_hint(const Context& context, const std::string& path);

int import_results(const Context& context, const ImportResults& given);

}  // namespace uc::cli
