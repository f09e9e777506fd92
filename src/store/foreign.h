#pragma once
// Why: other benchmarks keep results in files of their own. They come into the store to stand beside ours,
// and say that nobody here has proven them.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/results.h"

namespace uc::results {

struct ForeignOptions {
  int64_t level = 0;  ///< of KernelBench; its file does not say
  std::map<int64_t, std::string>
      names;  ///< of that level's problems; those that are missing are called L1/23
};

/// A format of somebody else's. What reads as right gets the label `unproven`, and its time is `reported`.
struct ForeignFormat {
  std::string_view name;
  bool levels = false;  ///< the level has to be told
  /// A run a problem, an attempt a sample, with ids that follow from the contents. Errors name the file, the
  /// place, and the field that is missing, wrong or there twice.
  Result<std::vector<Bundle>> (*read)(std::string_view text, std::string_view file,
                                      const ForeignOptions& options);
};

std::span<const ForeignFormat> foreign_formats();
const ForeignFormat* find_foreign(std::string_view name);

/// "kernelbench": an object whose keys are all numbers; "sol-execbench": lines with `definition` and
/// `workload`. Empty: neither.
std::string_view looks_like(std::string_view text);

}  // namespace uc::results
