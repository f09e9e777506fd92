#pragma once
// Why: knob rows read their settings and reach their launch's config in the same few ways.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "catalog/knob_spec.h"

namespace uc::knobs {

/// The one setting, or null when there are more or none.
inline const KnobValue* only(const Knob& knob) {
  return knob.settings.size() == 1 ? &knob.settings[0] : nullptr;
}

/// The one setting as a name ("auto"), or null.
inline const std::string* word(const Knob& knob) {
  const KnobValue* value = only(knob);
  return value == nullptr ? nullptr : std::get_if<std::string>(value);
}

inline bool is_auto(const Knob& knob) {
  const std::string* text = word(knob);
  return text != nullptr && *text == "auto";
}

/// The one setting as a positive integer; 0 for `auto`; nothing otherwise.
inline std::optional<int64_t> positive_or_auto(const Knob& knob) {
  if (is_auto(knob)) return 0;
  const KnobValue* value = only(knob);
  const int64_t* number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  return number != nullptr && *number > 0 ? std::optional(*number) : std::nullopt;
}

/// The one setting as a tile of `rank` positive extents, or null.
inline const Tile* tile(const Knob& knob, size_t rank) {
  const KnobValue* value = only(knob);
  const Tile* extents = value == nullptr ? nullptr : std::get_if<Tile>(value);
  if (extents == nullptr || extents->extents.size() != rank) return nullptr;
  return std::ranges::all_of(extents->extents, [](int64_t extent) { return extent > 0; }) ? extents : nullptr;
}

/// Index of the one setting among `words`; nothing when it is none of them.
inline std::optional<size_t> choice(const Knob& knob, std::initializer_list<std::string_view> words) {
  const std::string* text = word(knob);
  if (text == nullptr) return std::nullopt;
  const auto* found = std::ranges::find(words, std::string_view(*text));
  return found == words.end() ? std::nullopt : std::optional(static_cast<size_t>(found - words.begin()));
}

inline ContractionConfig* contraction_config(Launch& launch) {
  return std::get_if<ContractionConfig>(&launch.config);
}
inline const ContractionConfig* contraction_config(const Launch& launch) {
  return std::get_if<ContractionConfig>(&launch.config);
}
inline AttentionConfig* attention_config(Launch& launch) {
  return std::get_if<AttentionConfig>(&launch.config);
}
inline const AttentionConfig* attention_config(const Launch& launch) {
  return std::get_if<AttentionConfig>(&launch.config);
}
inline RowsConfig* rows_config(Launch& launch) { return std::get_if<RowsConfig>(&launch.config); }
inline const RowsConfig* rows_config(const Launch& launch) { return std::get_if<RowsConfig>(&launch.config); }
inline MapConfig* map_config(Launch& launch) { return std::get_if<MapConfig>(&launch.config); }
inline const MapConfig* map_config(const Launch& launch) { return std::get_if<MapConfig>(&launch.config); }

}  // namespace uc::knobs
