#pragma once
// Why: every command reads, reports and colours in the same way.
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"
#include "diag/diag.h"

namespace uc::cli {

/// Shows an Error on stderr ("error: ...", "help: ...") and returns its exit code. With `json` it goes to
/// stdout as {"schema": "ucutlass.error/1", "error": message, "help": help}, so that a reader of JSON always
/// gets JSON.
int report(const Context& context, const Error& error, bool json = false);

/// Shows findings: on stderr as text, or with `json` on stdout as an array, so that a reader of JSON always
/// gets JSON. Returns kFindings.
int report(const Context& context, std::span<const Diag> diags, std::string_view source,
           const std::string& path, bool json);

/// The text of a file, or of standard input when `path` is "-". Errors have the exit code kUsage.
Result<std::string> read_input(const Context& context, const std::string& path);

/// Where `-o` says: an empty name and "-" are standard output.
Result<> write_output(const Context& context, const std::string& path, std::string_view text);

/// Errors, with the exit code kUsage: `out` is one of the inputs, by whatever name, or a capture in a folder
/// of them. An empty `out`, "-" and what is no file yet harm none.
Result<> spare_inputs(const std::string& out, std::span<const std::string> inputs);

/// `text` in an SGR style ("1" bold, "31" red, "32" green, "33" yellow, "2" dim) when `on`.
std::string styled(bool on, std::string_view sgr, std::string_view text);

}  // namespace uc::cli
