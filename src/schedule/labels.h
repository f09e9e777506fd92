#pragma once
// Why: what became of an attempt is one of few words, the same in the store, in files and in reports.
#include <algorithm>
#include <array>
#include <string_view>

namespace uc::schedule {

/// `ok` and `minor` are proven by our judge or model; `unproven` is what somebody else says is right.
inline constexpr std::array<std::string_view, 9> kLabels{"ok",           "minor",     "unproven",
                                                         "sol_ceiling",  "gaming",    "inherited_gaming",
                                                         "library_only", "incorrect", "broken"};

inline bool is_label(std::string_view text) { return std::ranges::find(kLabels, text) != kLabels.end(); }

/// It runs, and is no honest answer.
inline bool is_flag(std::string_view label) {
  return label == "sol_ceiling" || label == "gaming" || label == "inherited_gaming" ||
         label == "library_only";
}

}  // namespace uc::schedule
