// Knobs of contractions. What parses and is not emitted yet says so, whole knobs by `emitted`, single
// settings by `not_emitted`.
#include <array>
#include <fmt/format.h>

#include "ir/kernel_parts.h"
#include "knobs/settings.h"

namespace uc::knobs {
namespace {

using Config = ContractionConfig;

bool apply_tile(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  if (config == nullptr) return false;
  if (is_auto(knob)) return true;
  const Tile* extents = tile(knob, 3);
  if (extents == nullptr) return false;
  config->tile_m = extents->extents[0];
  config->tile_n = extents->extents[1];
  config->tile_k = extents->extents[2];
  return true;
}

std::string print_tile(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->tile_m == 0) return {};
  return fmt::format("{}x{}x{}", config->tile_m, config->tile_n, config->tile_k);
}

bool apply_cluster(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  if (config == nullptr) return false;
  if (is_auto(knob)) return true;
  const Tile* extents = tile(knob, 2);
  if (extents == nullptr) return false;
  config->cluster_m = extents->extents[0];
  config->cluster_n = extents->extents[1];
  return true;
}

std::string print_cluster(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->cluster_m == 0) return {};
  return fmt::format("{}x{}", config->cluster_m, config->cluster_n);
}

bool apply_stages(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto stages = positive_or_auto(knob);
  if (config == nullptr || !stages) return false;
  config->stages = *stages;
  return true;
}

std::string print_stages(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || config->stages == 0 ? std::string() : std::to_string(config->stages);
}

bool apply_schedule(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"auto", "pingpong", "cooperative", "warp_specialized", "multistage"});
  if (config == nullptr || !which) return false;
  config->schedule = static_cast<Config::Schedule>(*which);
  return true;
}

std::string print_schedule(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->schedule == Config::Schedule::automatic) return {};
  return std::string(name(config->schedule));
}

bool apply_scheduler(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"auto", "persistent", "stream_k", "split_k"});
  if (config == nullptr || !which) return false;
  config->scheduler = static_cast<Config::Scheduler>(*which);
  return true;
}

// Persistent is what is meant when nothing is said.
std::string print_scheduler(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->scheduler == Config::Scheduler::automatic ||
      config->scheduler == Config::Scheduler::persistent)
    return {};
  return std::string(name(config->scheduler));
}

bool apply_raster(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"auto", "along_m", "along_n"});
  if (config == nullptr || !which) return false;
  config->raster = static_cast<Config::Raster>(*which);
  return true;
}

std::string print_raster(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->raster == Config::Raster::automatic) return {};
  return std::string(name(config->raster));
}

bool apply_swizzle(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto tiles = positive_or_auto(knob);
  if (config == nullptr || !tiles) return false;
  config->swizzle = *tiles;
  return true;
}

std::string print_swizzle(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || config->swizzle == 0 ? std::string() : std::to_string(config->swizzle);
}

bool apply_math(const Knob& knob, Launch& launch) {
  Math* into = math_of(launch.kernel);
  const std::string* text = word(knob);
  const auto math = text == nullptr ? std::nullopt : parse_math(*text);
  if (into == nullptr || !math) return false;
  *into = *math;
  return true;
}

std::string print_math(const Launch& launch) {
  const Math* math = math_of(launch.kernel);
  if (math == nullptr || *math == Math::automatic) return {};
  // Only f32 data may be multiplied in several forms; of others the type says it all, and the form that
  // programs are compared and named by does not say it twice.
  return operand_type_of(launch.kernel) == DType::f32 ? std::string(name(*math)) : std::string();
}

bool apply_backend(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  if (config == nullptr || !choice(knob, {"auto", "cutlass3", "cutlass2", "simt", "cuda"})) return false;
  config->backend = *word(knob);
  return true;
}

std::string print_backend(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || config->backend == "auto" ? std::string() : config->backend;
}

bool apply_split(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto parts = positive_or_auto(knob);
  if (config == nullptr || !parts) return false;
  config->split = *parts;
  return true;
}

std::string print_split(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || config->split == 0 ? std::string() : std::to_string(config->split);
}

bool apply_align(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto bytes = positive_or_auto(knob);
  if (config == nullptr || !bytes) return false;
  config->align = *bytes;
  return true;
}

std::string print_align(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || config->align == 0 ? std::string() : std::to_string(config->align);
}

bool apply_epilogue_tile(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  if (config == nullptr) return false;
  if (is_auto(knob)) return true;
  const Tile* extents = tile(knob, 2);
  if (extents == nullptr) return false;
  config->epilogue_m = extents->extents[0];
  config->epilogue_n = extents->extents[1];
  return true;
}

std::string print_epilogue_tile(const Launch& launch) {
  const Config* config = contraction_config(launch);
  if (config == nullptr || config->epilogue_m == 0) return {};
  return fmt::format("{}x{}", config->epilogue_m, config->epilogue_n);
}

bool apply_skip(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"none", "zeros"});
  if (config == nullptr || !which) return false;
  config->skip_zeros = *which == 1;
  return true;
}

std::string print_skip(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || !config->skip_zeros ? std::string() : "zeros";
}

bool apply_pdl(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"off", "on"});
  if (config == nullptr || !which) return false;
  config->overlap = *which == 1;
  return true;
}

std::string print_pdl(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || !config->overlap ? std::string() : "on";
}

// The type that sums are in is that of the operands; what can be chosen is where f8 adds up.
bool apply_accum(const Knob& knob, Launch& launch) {
  Config* config = contraction_config(launch);
  const auto which = choice(knob, {"auto", "f32", "f16", "i32", "f64", "fast"});
  if (config == nullptr || !which) return false;
  config->fast_accumulate = *which == 5;
  const auto accumulate = accumulate_of(launch.kernel);
  if (!accumulate || *which == 0 || *which == 2) return true;
  const bool floats = *which == 1 || *which == 5;
  return *accumulate == (floats ? DType::f32 : *which == 3 ? DType::i32 : DType::f64);
}

std::string print_accum(const Launch& launch) {
  const Config* config = contraction_config(launch);
  return config == nullptr || !config->fast_accumulate ? std::string() : "fast";
}

std::string accum_not_emitted(const Knob& knob) {
  const std::string* text = word(knob);
  if (text == nullptr || (*text != "f16" && *text != "f64")) return {};
  return fmt::format("sums in {} are not emitted yet", *text);
}

constexpr std::string_view kFamilies = "contraction conv";

constexpr std::array<KnobSpec, 15> kRows{{
    {.name = "tile",
     .families = kFamilies,
     .syntax = "MxNxK | auto",
     .summary = "elements of the result that a block computes at once, and of K that a stage holds",
     .apply = apply_tile,
     .print = print_tile},
    {.name = "cluster",
     .families = kFamilies,
     .syntax = "MxN | auto",
     .summary = "blocks that share operand tiles through multicast",
     .apply = apply_cluster,
     .print = print_cluster},
    {.name = "stages",
     .families = kFamilies,
     .syntax = "COUNT | auto",
     .summary = "tiles of A and B in shared memory; auto: as many as fit beside the epilogue",
     .apply = apply_stages,
     .print = print_stages},
    {.name = "schedule",
     .families = kFamilies,
     .syntax = "auto | pingpong | cooperative | warp_specialized | multistage",
     .summary =
         "how warpgroups share the work: pingpong alternates two tiles, cooperative splits one along M",
     .apply = apply_schedule,
     .print = print_schedule},
    {.name = "scheduler",
     .families = kFamilies,
     .syntax = "auto | persistent | stream_k | split_k",
     .summary = "how tiles are given to blocks",
     .apply = apply_scheduler,
     .print = print_scheduler},
    {.name = "split",
     .families = kFamilies,
     .syntax = "COUNT | auto",
     .summary = "parts that K is split into",
     .apply = apply_split,
     .print = print_split},
    {.name = "raster",
     .families = kFamilies,
     .syntax = "auto | along_m | along_n",
     .summary = "the direction in which consecutive tiles go",
     .apply = apply_raster,
     .print = print_raster},
    {.name = "swizzle",
     .families = kFamilies,
     .syntax = "1 | 2 | 4 | 8 | auto",
     .summary = "tiles grouped across the raster direction, so that operands are found in L2",
     .apply = apply_swizzle,
     .print = print_swizzle},
    {.name = "math",
     .families = "contraction conv attention",
     .syntax = "auto | f32 | tf32 | tf32x3 | f16x3 | f16 | bf16 | f8 | i8 | f64",
     .summary = "how the operands are multiplied; auto: the fastest that `precision` allows",
     .apply = apply_math,
     .print = print_math},
    {.name = "accum",
     .families = kFamilies,
     .syntax = "auto | f32 | f16 | i32 | f64 | fast",
     .summary = "the type that products are summed in; `fast`: f8 in the tensor core, in fewer bits than f32",
     .apply = apply_accum,
     .print = print_accum,
     .not_emitted = accum_not_emitted},
    {.name = "align",
     .families = kFamilies,
     .syntax = "BYTES | auto",
     .summary = "alignment of the operands that the kernel may count on",
     .apply = apply_align,
     .print = print_align},
    {.name = "backend",
     .families = kFamilies,
     .syntax = "auto | cutlass3 | cutlass2 | simt | cuda",
     .summary = "which family of kernels serves the step",
     .apply = apply_backend,
     .print = print_backend},
    {.name = "epilogue_tile",
     .families = kFamilies,
     .syntax = "MxN | auto",
     .summary = "elements of the result that the epilogue handles at once",
     .apply = apply_epilogue_tile,
     .print = print_epilogue_tile},
    {.name = "skip",
     .families = kFamilies,
     .syntax = "none | zeros",
     .summary = "leave out tiles that the operands' structure makes zero",
     .apply = apply_skip,
     .print = print_skip},
    {.name = "pdl",
     .families = kFamilies,
     .syntax = "on | off",
     .summary = "start before the launch before has ended (programmatic dependent launch)",
     .apply = apply_pdl,
     .print = print_pdl},
}};

}  // namespace

std::span<const KnobSpec> contraction_rows();
std::span<const KnobSpec> contraction_rows() { return kRows; }

}  // namespace uc::knobs
