#pragma once
// Why: a sweep names many problems in one word: a list, a level, one of them, a folder.
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "platform/files.h"

namespace uc::cli {

struct SweepProblem {
  std::string name;    ///< "L1/23", or the path that was named
  std::string path;    ///< of the capture, or of the Python file
  std::string source;  ///< Python file of the capture; empty: none is known
};

struct SweepPlaces {
  std::string corpus;   ///< folder that holds level1/ID_Name.json, ...; kb59.json lies beside it
  std::string sources;  ///< folder that holds level1/ID_Name.py, ...; empty: not known
};

/// Part `index` of `count`, counted from 1.
struct Shard {
  int64_t index = 1, count = 1;
};
/// "2/8". Errors: not of that form, or no such part.
Result<Shard> parse_shard(const std::string& text);

/// What the words mean, in their order, each problem once: `kb59`, `all`, `level1`, `L1/23` (or `1/23`), a
/// .json or .py file, a folder of captures. Errors: a word that is none of these, a problem that the corpus
/// lacks.
Result<std::vector<SweepProblem>> sweep_problems(const std::vector<std::string>& words,
                                                 const SweepPlaces& places, Files& files);

/// Every `count`th problem, beginning with the `index`th: parts of a list of one difficulty after the other
/// are alike.
std::vector<SweepProblem> part_of(const std::vector<SweepProblem>& all, const Shard& shard);

}  // namespace uc::cli
