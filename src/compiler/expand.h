#pragma once
// Why: a set in a knob, `.tile({128x128x64, 128x256x64})`, is one text for a family of programs. Here they
// are written out and told apart.
#include <string>
#include <string_view>
#include <vector>

#include "compiler/pipeline.h"

namespace uc {

/// Most programs that one text may stand for.
inline constexpr size_t kMostMembers = 4096;

/// One program of the family.
struct Member {
  std::vector<std::string> settings;  ///< one a set, in source order: ".tile(128x128x64)"
  std::string source;                 ///< as long as the family's text, so that places are the same
};

bool has_sets(const ast::File& tree);

/// How many programs the text stands for; saturates above kMostMembers.
size_t count_members(const ast::File& tree);

/// All members, the last set fastest. Requires a tree without syntax errors and at most kMostMembers.
std::vector<Member> expand(const ast::File& tree, std::string_view source);

/// The first legal member as `check_source` gives it, with a finding UC1903 that says how many there are.
/// When none is legal: the errors that all have, or else one that says which rules dropped them.
Compiled check_members(const Catalog& catalog, std::string_view source, const CompileOptions& options);

}  // namespace uc
