#pragma once
// Why: results outlive a machine and are merged from several. Runs go into a text and come out of it whole:
// what was exported, imported and exported again is the same text (docs/schemas, ucutlass.results/1).
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/exchanges.h"
#include "store/store.h"

namespace uc::results {

inline constexpr std::string_view kSchema = "ucutlass.results/1";

/// A run with all that is stored of it. Lessons are in the order in which they were learned.
struct Bundle {
  RunRecord run;
  std::vector<AttemptRecord> attempts;
  std::vector<LessonRecord> lessons;
  std::vector<ExchangeRecord> exchanges;
};

/// As one moment of the store has them.
Result<std::vector<Bundle>> collect(Store& store, std::span<const RunRecord> runs);

/// Lines of JSON: the schema with the number of runs, then each run, its attempts, lessons, exchanges.
/// `RunRecord::imported` is of a store, and is left out.
std::string write(std::span<const Bundle> bundles);

/// True when the text begins as `write` begins.
bool is_results(std::string_view text);

/// Errors name `file` and the line: no JSON, another schema, an unknown, missing or repeated field, a wrong
/// type, an unknown label or state, an attempt of no run, a number twice, fewer lines than were announced.
Result<std::vector<Bundle>> read(std::string_view text, std::string_view file);

struct AddOptions {
  /// Where they come from: what is added counts as not proven here. Empty: it is one's own, and counts.
  std::string from;
  bool replace = false;  ///< a run that is there with other contents is replaced
};

struct Added {
  size_t added = 0;
  size_t same = 0;  ///< were there already, word for word
  size_t replaced = 0;
};

/// All or nothing. Errors: a run that is there with other contents, and `replace` is not set.
Result<Added> add(Store& store, std::span<const Bundle> bundles, const AddOptions& options);

}  // namespace uc::results
