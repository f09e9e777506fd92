// `ucutlass mcp`: the commands as tools of the Model Context Protocol.
#include "cli/mcp/server.h"
#include "cli/options.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass mcp                              # serves on standard input and output until the input ends\n"
    "claude mcp add ucutlass -- ucutlass mcp   # how a client starts it: a command, no port\n"
    "ucutlass language --format mcp            # the tools with their schemas\n";

int run_mcp(const Invocation& invocation) {
  Options options(invocation);
  if (const auto code = options.parse()) return *code;
  return McpServer(invocation.context).serve();
}

constexpr CommandSpec kRows[] = {{"mcp", CommandGroup::agents,
                                  "serve check, sol, explain, evaluate and more to agents (MCP over stdio)",
                                  kExamples, run_mcp}};

}  // namespace

std::span<const CommandSpec> mcp_command_rows() { return kRows; }

}  // namespace uc::cli
