#pragma once
// Why: agents reach the commands over the Model Context Protocol: JSON-RPC 2.0, a message a line. Whoever is
// at the other end may send anything, and gets an answer that says what was wrong with it; the server goes
// on.
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace uc::cli {

class McpServer {
 public:
  static constexpr size_t kMostMessage = size_t{4} << 20U;  ///< bytes of a line that is read
  static constexpr size_t kMostAnswer = size_t{8} << 20U;   ///< bytes of a tool's output that is passed on
  static constexpr int kDeepest = 64;                       ///< arrays and objects in each other

  explicit McpServer(const Context& context) : context_(context) {}

  /// The answer to one message, without its line's end; nothing: none is due (notifications, answers).
  std::optional<std::string> answer(std::string_view message);

  /// Reads lines from `context.in` until there are no more, and answers on `context.out`. The exit code.
  int serve();

 private:
  const Context& context_;
  bool initialized_ = false;
};

}  // namespace uc::cli
