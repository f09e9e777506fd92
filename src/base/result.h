#pragma once
// Why: operations that can fail for reasons outside the program (files, tools, devices) return a value or an
// Error. What a user wrote wrong is a Diag (diag/), not an Error.
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace uc {

/// What went wrong, and what the user can do about it.
struct Error {
  std::string message;  ///< one line, no trailing period
  std::string help;     ///< what to do; may be empty
  int exit_code = 1;    ///< process exit code if it reaches the command line (product.md: 0 1 2 3 4 130)
};

template <class T = void>
using Result = tl::expected<T, Error>;

/// Shorthand for returning a failure.
inline tl::unexpected<Error> fail(std::string message, std::string help = {}, int exit_code = 1) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(help), exit_code});
}

}  // namespace uc
