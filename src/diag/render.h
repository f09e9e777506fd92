#pragma once
// Why: text for people, JSON for machines, from the same Diag.
#include <span>
#include <string>
#include <string_view>

#include "diag/diag.h"

namespace uc {

struct RenderOptions {
  bool color = false;
  bool concise = false;  ///< one line a finding: file:line:column: severity[ID]: message
};

/// Line and column, both from 1; the column counts code points.
struct SourcePlace {
  uint32_t line = 1;
  uint32_t column = 1;
};
SourcePlace place_of(std::string_view source, uint32_t offset);

/// The form of language.md: header, place, excerpt with carets and label, help, rule.
std::string render_text(std::span<const Diag> diags, std::string_view source, std::string_view file,
                        const RenderOptions& options = {});

/// A JSON array: id, rule, severity, message, file, line, column, length, label, help, replacement, and what
/// the replacement replaces (line, column, length).
std::string render_json(std::span<const Diag> diags, std::string_view source, std::string_view file);

}  // namespace uc
