// Launch shapes of pointwise kernels.
#include <array>
#include <fmt/format.h>

#include "catalog/rule_spec.h"
#include "emit/map_kernel.h"

namespace uc::rules {
namespace {

bool vector_known(int64_t vector) {
  return vector == 1 || vector == 2 || vector == 4 || vector == 8 || vector == 16;
}

// What both kinds of launches without matrices have, elementwise and over rows; 0 where neither is.
struct Block {
  int64_t vector = 0;
  int64_t threads = 0;
};

Block block_of(const RuleContext& context) {
  if (const MapConfig* config = context.map_config()) return {config->vector, config->threads};
  const auto* rows = std::get_if<RowsConfig>(&context.launch.config);
  return rows == nullptr ? Block{} : Block{rows->vector, rows->threads};
}

std::optional<Finding> vector_value(const RuleContext& context) {
  const int64_t vector = block_of(context).vector;
  if (vector == 0 || vector_known(vector)) return std::nullopt;
  int64_t near = 1;
  while (near < 16 && near * 2 <= vector) near *= 2;
  return Finding{"vector", fmt::format("a vector of {} elements", vector), "1, 2, 4, 8 or 16",
                 fmt::format("`.vector({})`", near), std::to_string(near)};
}

// The widest vector that some body of the launch can use.
int64_t usable_vector(const Map& map, int64_t vector) {
  int64_t widest = 1;
  for (const Map::Body& body : map.bodies) widest = std::max(widest, collapse(body, vector).vector);
  return widest;
}

std::optional<Finding> vector_fits(const RuleContext& context) {
  const Map* map = context.map();
  const MapConfig* config = context.map_config();
  if (map == nullptr || config == nullptr || config->vector == 0 || !vector_known(config->vector))
    return std::nullopt;
  const int64_t widest = usable_vector(*map, config->vector);
  if (widest >= config->vector) return std::nullopt;
  return Finding{
      "vector",
      fmt::format("vectors of {} do not divide the contiguous extent, or do not start at aligned addresses",
                  config->vector),
      fmt::format("{} is the widest", widest), fmt::format("`.vector({})`", widest), std::to_string(widest)};
}

std::optional<Finding> threads_warps(const RuleContext& context) {
  const int64_t threads = block_of(context).threads;
  if (threads % 32 == 0) return std::nullopt;
  const int64_t near = std::clamp<int64_t>((threads + 16) / 32 * 32, 32, 1024);
  return Finding{"threads", fmt::format("a block of {} threads does not fill its last warp", threads),
                 "a multiple of 32", fmt::format("`.threads({})`", near), std::to_string(near)};
}

std::optional<Finding> threads_limit(const RuleContext& context) {
  const int64_t threads = block_of(context).threads;
  if (threads <= 1024 || threads % 32 != 0) return std::nullopt;
  return Finding{"threads", fmt::format("a block of {} threads", threads), "at most 1024", "`.threads(256)`",
                 "256"};
}

std::optional<Finding> map_grid(const RuleContext& context) {
  const Map* map = context.map();
  if (map == nullptr) return std::nullopt;
  const MapConfig* config = context.map_config();
  const int64_t threads = config == nullptr || config->threads == 0 ? kMapThreads : config->threads;
  for (const Map::Body& body : map->bodies) {
    const CollapsedBody collapsed = collapse(body, config == nullptr ? 0 : config->vector);
    if (map_blocks(collapsed, threads) < (int64_t{1} << 31) - 1) continue;
    return Finding{
        "threads",
        fmt::format("{} elements need more than 2^31 blocks of {} threads", numel(body.domain), threads),
        "too many blocks", "`.threads(1024)`", "1024"};
  }
  return std::nullopt;
}

#define UC_MAP_PROGRAM(extent, knobs) \
  "target sm_90a\ninput x: f32[128, " extent "]\ny = relu(x)" knobs "\nreturn y\n"

constexpr std::array<RuleSpec, 5> kRows{{
    {.id = "UC2501",
     .slug = "vector-value",
     .summary = "A vector has 1, 2, 4, 8 or 16 elements.",
     .rationale = "Loads and stores are 1 to 16 bytes, powers of two; wider vectors are several of them.",
     .source = "CUDA programming guide, device memory accesses",
     .archs = "*",
     .backend = "cuda",
     .check = vector_value,
     .bad_example = UC_MAP_PROGRAM("240", ".vector(3)"),
     .good_example = UC_MAP_PROGRAM("240", ".vector(2)")},
    {.id = "UC2502",
     .slug = "vector-fits",
     .summary = "The vector divides the contiguous extent, and rows start where vectors do.",
     .rationale = "A vector access at an address that it does not divide is a fault; narrower ones would be "
                  "used in silence.",
     .source = "CUDA programming guide, device memory accesses; src/emit/map_kernel.cpp",
     .archs = "*",
     .backend = "cuda",
     .check = vector_fits,
     .bad_example = "target sm_90a\ninput x: f32[127, 63]\ny = relu(x).vector(4)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[127, 64]\ny = relu(x).vector(4)\nreturn y\n"},
    {.id = "UC2503",
     .slug = "threads-warps",
     .summary = "A block is whole warps: a multiple of 32 threads.",
     .rationale = "The rest of the last warp would idle.",
     .source = "CUDA programming guide, SIMT architecture",
     .archs = "*",
     .backend = "cuda",
     .check = threads_warps,
     .bad_example = UC_MAP_PROGRAM("256", ".threads(100)"),
     .good_example = UC_MAP_PROGRAM("256", ".threads(96)")},
    {.id = "UC2504",
     .slug = "threads-limit",
     .summary = "A block has at most 1024 threads.",
     .rationale = "Larger blocks do not launch.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = threads_limit,
     .bad_example = UC_MAP_PROGRAM("256", ".threads(2048)"),
     .good_example = UC_MAP_PROGRAM("256", ".threads(1024)")},
    {.id = "UC2505",
     .slug = "map-grid",
     .summary = "A pointwise launch has fewer than 2^31 blocks.",
     .rationale = "The grid's first dimension ends there.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = map_grid,
     .bad_example =
         "target sm_90a\ninput x: f16[1073741824, 96]\ny = relu(x).vector(1).threads(32)\nreturn y\n",
     .good_example =
         "target sm_90a\ninput x: f16[1073741824, 96]\ny = relu(x).vector(1).threads(1024)\nreturn y\n"},
}};

}  // namespace

std::span<const RuleSpec> pointwise_rows();
std::span<const RuleSpec> pointwise_rows() { return kRows; }

}  // namespace uc::rules
