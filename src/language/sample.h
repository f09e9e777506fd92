#pragma once
// Why: random texts of the table show that it never says more than the parser accepts, and fill the corpora.
#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "language/grammar.h"

namespace uc::language {

struct SampleOptions {
  int depth = 24;       ///< rules within rules, after which the shortest way out is taken
  double go_on = 0.45;  ///< the chance of an optional part, and of one more repetition
  double next_statement = 0.75;
  double odd_space = 0.1;  ///< the chance of line breaks and comments where blanks would do
};

/// A random program of the grammar: the same for the same engine state. `used` gathers the parts that took
/// part.
std::string sample(const Grammar& grammar, std::mt19937_64& engine, const SampleOptions& options = {},
                   std::set<const Part*>* used = nullptr);

}  // namespace uc::language
