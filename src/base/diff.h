#pragma once
// Why: what a tool would change in a file is shown in the form that people and `patch` read.
#include <string>
#include <string_view>

namespace uc {

/// The unified diff from `before` to `after`, three lines of context, as `diff -u` prints it; empty when they
/// are equal. The shortest edit script of lines (Myers 1986); texts that differ in thousands of lines are one
/// change from the first to the last line that differs.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name);

}  // namespace uc
