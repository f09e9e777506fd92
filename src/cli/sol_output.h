#pragma once
// Why: bounds are written as text, JSON or a page, to standard output or to a file.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "sol/calibration.h"
#include "sol/several.h"

namespace uc::cli {

struct SolOutput {
  std::string format;              ///< "text", "json" or "html"
  std::string file;                ///< empty: standard output
  std::vector<std::string> times;  ///< files of ucutlass.times/1
  std::string command;             ///< as it was called
};

/// --format, --json, -o and --times.
void sol_output_options(Options& options, SolOutput& output, bool& json);

/// After parsing: one format, from --json, --format or the end of -o's name; `json` says whether it is JSON.
/// Something when they contradict.
std::optional<Error> settle(SolOutput& output, const Invocation& invocation, bool& json);

/// On standard error, for --strict: which operators' work is not counted. Nothing when all is.
void say_uncovered(const Context& context, std::string_view name, const SolReport& report);

/// Writes one report. A page shows the times of the problem that are known. Errors: files; times that are not
/// of this problem.
Result<> write_sol(const Context& context, const SolOutput& output, const SolReport& report,
                   const DeviceSpec& device);

/// Several devices, `rows` of each: a table, an array, or one page.
Result<> write_sol(const Context& context, const SolOutput& output, std::span<const DeviceBounds> rows,
                   std::span<const CalibratedDevice> devices);

/// What is text already.
Result<> write_sol(const Context& context, const SolOutput& output, std::string_view text);

}  // namespace uc::cli
