#pragma once
// Why: agents call the commands as tools of the Model Context Protocol. What a command takes is declared
// once, with its options; the schemas follow.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace uc::cli {

/// An array of {name, description, inputSchema}.
std::string mcp_tools(const Context& context);

/// A call of a tool as a command line, and what the command reads on standard input.
struct ToolCall {
  std::vector<std::string> args;
  std::string input;
};

/// True when a tool has that name.
bool is_tool(std::string_view name);

/// Requires is_tool(name). Errors: an argument that is missing, that the tool does not take, or of the wrong
/// type.
Result<ToolCall> tool_call(const Context& context, std::string_view name, const nlohmann::json& arguments);

}  // namespace uc::cli
