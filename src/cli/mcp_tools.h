#pragma once
// Why: agents call the commands as tools of the Model Context Protocol. What a command takes is declared
// once, with its options; the schemas follow.
#include <string>

#include "cli/command.h"

namespace uc::cli {

/// An array of {name, description, inputSchema}.
std::string mcp_tools(const Context& context);

}  // namespace uc::cli
