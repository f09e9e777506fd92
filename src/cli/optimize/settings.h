#pragma once
// Why: what `ucutlass optimize` was asked, as text that is stored with the run: equal texts are the same
// work, and a run is resumed with what it began with.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/controller.h"
#include "base/result.h"
#include "cli/command.h"

namespace uc::cli {

/// What --precision takes. f8 needs scales, which no rewrite sets yet.
inline constexpr std::string_view kOptimizePrecisions[] = {"strict", "tf32", "f16", "bf16"};

struct OptimizeSettings {
  std::string problem;
  std::string source;                  ///< .py of a captured problem
  std::string device = "auto";         ///< auto, gpu, cuda:N, model:NAME
  std::string precision;               ///< empty: what the problem itself uses
  std::vector<std::string> baselines;  ///< empty: all
  int64_t attempts = 40;
  int64_t seed = 0;
  int64_t jobs = 0;
  std::string proposer = "search";  ///< search, llm, manual
  std::string controller = "mantis";
  std::vector<std::string> without;  ///< phases that are left out
  std::string llm;                   ///< endpoint_json() of the language model; empty: none
  int64_t max_tokens = 0;            ///< of the run; 0: no cap
  double max_usd = 0;                ///< of the run; 0: no cap
  std::string exchange;              ///< folder of the manual proposer; empty: in the run's folder
  int64_t wait_s = 0;                ///< for an answer of the manual proposer
  std::string answer;                ///< file with the answer to the last request, for this call only
  bool raw = false;                  ///< authors write CUDA C++
  bool no_prepack = false;
  bool no_build = false;
  bool fresh = false;
  std::string policy;  ///< of a sweep, where attempts are given on line; empty: each problem by itself
  bool reuse = false;  ///< a finished run of the same work is the answer
  bool json = false;
  bool dry_run = false;  ///< say what it would take, for this call only
  std::string store, run_dir, resume;
};

/// Where the run happens, once `auto` is decided.
struct Target {
  bool gpu = false;
  std::string eval_device;             ///< "cuda:0"
  const DeviceSpec* device = nullptr;  ///< the row whose rates and limits count
};

/// Errors: a device that is not known, or a GPU that is not there.
Result<Target> target_of(const OptimizeSettings& settings, const Context& context);

/// JSON with sorted keys: everything that decides what a run does.
std::string settings_json(const OptimizeSettings& settings);
/// The settings of a stored run. Errors: text of another version.
Result<OptimizeSettings> parse_settings(const std::string& json);

/// What the loop is told of them. Precision: as settled.
RunOptions run_options(const OptimizeSettings& settings);

/// The same as a command line.
std::string command_line(const OptimizeSettings& settings);

/// `text` as one word of a shell's command line: as it is, or in single quotes.
std::string shell_word(const std::string& text);

}  // namespace uc::cli
