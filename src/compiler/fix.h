#pragma once
// Why: what a finding says would pass its rule can be put in place by a tool, when trying it shows that it
// does.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline.h"

namespace uc {

struct Fixed {
  std::string source;         ///< with every replacement that was taken
  std::vector<Diag> applied;  ///< what they mended, in the order they were taken; spans are of the text then
  Compiled compiled;          ///< of `source`
  bool settled = true;  ///< false: stopped after kMostFixChecks tries; running it again goes on from here
};

inline constexpr size_t kMostFixChecks = 2000;  ///< programs that fix_source checks at most

/// Applies the replacements of the findings in `source`, each only when afterwards its rule has nothing left
/// to say there, and neither the syntax nor a phase before the rule's (meaning, rules) finds more than it
/// did; then those of the findings that this brings to light, until nothing changes.
Fixed fix_source(const Catalog& catalog, std::string_view source, const CompileOptions& options = {});

}  // namespace uc
