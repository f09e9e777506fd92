#pragma once
// Why: a knob is a setting of a step's kernel that changes speed, never meaning. One row a knob.
#include <string_view>

#include "diag/diag.h"
#include "ir/kernel.h"

namespace uc {

struct OpSpec;

struct KnobSpec {
  std::string_view name;      ///< "tile"
  std::string_view families;  ///< operator families it applies to, space-separated: "contraction conv"
  std::string_view syntax;    ///< "MxNxK | auto"
  std::string_view summary;
  bool emitted = true;  ///< false: parses, and is rejected with "not emitted yet"
  /// Whether the settings are of `syntax` and in range, for knobs that are not emitted and so never applied.
  bool (*fits)(const Knob&) = nullptr;
  /// Writes the settings into the config; false when they do not fit `syntax` (the caller reports with it).
  bool (*apply)(const Knob&, Launch&) = nullptr;
  /// The knob as text from a resolved config ("128x256x64"); empty when at its default.
  std::string (*print)(const Launch&) = nullptr;
  /// For settings that the language has and no back end emits yet: one line that says so. Empty for the
  /// others.
  std::string (*not_emitted)(const Knob&) = nullptr;
};

/// Whether steps of `main` take the knob: by family, and pointwise knobs by whatever is elementwise.
bool applies(const KnobSpec& knob, const OpSpec& main);

}  // namespace uc
