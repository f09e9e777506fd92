#pragma once
// Why: each tool that `ucutlass doctor` knows is one row: how it is found and what its absence costs.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace uc::cli {

struct Found {
  bool ok = false;
  std::string version;  ///< "13.0", "NVIDIA H200"; empty when unknown
  std::string path;     ///< file or folder; empty where there is none
  std::string note;     ///< why it is not ok, or a limit of what was found; may be empty
};

struct Probe {
  std::string_view name;   ///< what --require takes
  std::string_view costs;  ///< what is not possible without it
  std::string_view fix;    ///< what to do
  Found (*find)(const Context&);
};

/// In the order in which they are shown.
std::span<const Probe> probes();

/// What ucutlass can do, and the probes that it needs.
struct Ability {
  std::string_view name;
  std::vector<std::string_view> needs;
};
std::vector<Ability> abilities();

}  // namespace uc::cli
