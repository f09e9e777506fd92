#pragma once
// Why: code hosts and editors show findings that come in SARIF 2.1.0.
#include <span>
#include <string>
#include <string_view>

#include "diag/diag.h"

namespace uc {

/// What a SARIF log says about the program that made it.
struct SarifTool {
  std::string_view version;
  /// Every rule and kind that a finding may have; those that no finding has are left out.
  std::span<const DiagKind> kinds;
};

/// One SARIF 2.1.0 log (OASIS, sarif-v2.1.0-os) with one run: its rules, each finding with its region, and
/// replacements as fixes. Columns count code points. `file` is the path as given; relative ones stay
/// relative.
std::string render_sarif(std::span<const Diag> diags, std::string_view source, std::string_view file,
                         const SarifTool& tool);

}  // namespace uc
