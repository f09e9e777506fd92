// Knobs of operators over sequences: attention, recurrent layers. What no back end makes yet is checked here
// and written nowhere.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "knobs/settings.h"

namespace uc::knobs {
namespace {

/// `auto`, or two extents, each a multiple of 8 up to 512.
bool tile_fits(const Knob& knob) {
  if (is_auto(knob)) return true;
  const Tile* extents = tile(knob, 2);
  return extents != nullptr && std::ranges::all_of(extents->extents, [](int64_t extent) {
           return extent >= 8 && extent <= 512 && extent % 8 == 0;
         });
}

/// `auto`, or two counts of blocks that make a cluster of at most 16.
bool cluster_fits(const Knob& knob) {
  if (is_auto(knob)) return true;
  const Tile* extents = tile(knob, 2);
  if (extents == nullptr) return false;
  const int64_t m = extents->extents[0];
  const int64_t n = extents->extents[1];
  return m >= 1 && n >= 1 && m <= 16 && n <= 16 && m * n <= 16;
}

bool stages_fit(const Knob& knob) {
  const auto stages = positive_or_auto(knob);
  return stages && *stages <= 8;
}

bool schedule_fits(const Knob& knob) {
  return choice(knob, {"auto", "pingpong", "cooperative", "warp_specialized", "multistage"}).has_value();
}

bool apply_tile(const Knob& knob, Launch& launch) {
  AttentionConfig* config = attention_config(launch);
  if (config == nullptr || !tile_fits(knob)) return false;
  const Tile* extents = tile(knob, 2);
  config->tile_m = extents == nullptr ? 0 : extents->extents[0];
  config->tile_n = extents == nullptr ? 0 : extents->extents[1];
  return true;
}

std::string print_tile(const Launch& launch) {
  const AttentionConfig* config = attention_config(launch);
  if (config == nullptr || config->tile_m == 0) return {};
  return fmt::format("{}x{}", config->tile_m, config->tile_n);
}

bool apply_stages(const Knob& knob, Launch& launch) {
  AttentionConfig* config = attention_config(launch);
  if (config == nullptr || !stages_fit(knob)) return false;
  config->stages = *positive_or_auto(knob);
  return true;
}

std::string print_stages(const Launch& launch) {
  const AttentionConfig* config = attention_config(launch);
  return config == nullptr || config->stages == 0 ? std::string() : std::to_string(config->stages);
}

using Schedule = ContractionConfig::Schedule;

bool apply_schedule(const Knob& knob, Launch& launch) {
  AttentionConfig* config = attention_config(launch);
  if (config == nullptr || !schedule_fits(knob)) return false;
  for (const Schedule each : {Schedule::automatic, Schedule::warp_specialized, Schedule::multistage}) {
    if (*word(knob) == name(each)) config->schedule = each;
  }
  return true;
}

std::string print_schedule(const Launch& launch) {
  const AttentionConfig* config = attention_config(launch);
  const bool said = config != nullptr && config->schedule != Schedule::automatic;
  return said ? std::string(name(config->schedule)) : std::string();
}

std::string schedule_not_emitted(const Knob& knob) {
  const std::string* text = word(knob);
  const bool later = text != nullptr && (*text == "pingpong" || *text == "cooperative");
  return later ? "attention has no such schedule yet" : std::string();
}

bool threads_fit(const Knob& knob) {
  const auto threads = positive_or_auto(knob);
  return threads && *threads <= 1024 && *threads % 32 == 0;
}

constexpr std::array<KnobSpec, 6> kRows{{
    {.name = "tile",
     .families = "attention",
     .syntax = "MxN | auto",
     .summary = "queries that a block holds, and keys that it goes over at once",
     .fits = tile_fits,
     .apply = apply_tile,
     .print = print_tile},
    {.name = "cluster",
     .families = "attention",
     .syntax = "MxN | auto",
     .summary = "blocks that share keys and values through multicast",
     .emitted = false,
     .fits = cluster_fits},
    {.name = "stages",
     .families = "attention",
     .syntax = "1 to 8 | auto",
     .summary = "tiles of keys, and of values, in shared memory",
     .fits = stages_fit,
     .apply = apply_stages,
     .print = print_stages},
    {.name = "schedule",
     .families = "attention",
     .syntax = "auto | pingpong | cooperative | warp_specialized | multistage",
     .summary =
         "multistage: warps copy and multiply; warp_specialized: warpgroups multiply, one copies for them",
     .fits = schedule_fits,
     .apply = apply_schedule,
     .print = print_schedule,
     .not_emitted = schedule_not_emitted},
    {.name = "tile",
     .families = "recurrent",
     .syntax = "MxN | auto",
     .summary = "batch entries and hidden units of a time step that a block computes",
     .emitted = false,
     .fits = tile_fits},
    {.name = "threads",
     .families = "recurrent",
     .syntax = "COUNT | auto",
     .summary = "threads of a block, a multiple of 32 up to 1024",
     .emitted = false,
     .fits = threads_fit},
}};

}  // namespace

std::span<const KnobSpec> sequence_rows();
std::span<const KnobSpec> sequence_rows() { return kRows; }

}  // namespace uc::knobs
