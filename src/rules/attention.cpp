// Tiles of attention.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "catalog/rule_spec.h"
#include "plan/attention_tiles.h"

namespace uc::rules {
namespace {

// A launch of attention whose tile is known.
const Attention* seen(const RuleContext& context, AttentionTiles& tiles) {
  const auto* kernel = std::get_if<Attention>(&context.launch.kernel);
  const auto* config = std::get_if<AttentionConfig>(&context.launch.config);
  if (kernel == nullptr || config == nullptr || config->tile_m == 0) return nullptr;
  tiles = attention_tiles(*kernel, *config);
  return kernel;
}

bool whole(const AttentionTiles& tiles) {
  return tiles.rows % 16 == 0 && tiles.keys % 16 == 0 &&
         (tiles.groups || tiles.threads() <= kAttentionThreads);
}

int64_t near(int64_t extent, int64_t most) { return std::clamp<int64_t>((extent + 8) / 16 * 16, 16, most); }

std::optional<Finding> tile_steps(const RuleContext& context) {
  AttentionTiles tiles;
  if (seen(context, tiles) == nullptr || whole(tiles)) return std::nullopt;
  const std::string best = fmt::format("{}x{}", near(tiles.rows, 128), near(tiles.keys, 512));
  return Finding{"tile", "queries and keys of a tile are multiples of 16, the queries at most 8 warps' own",
                 fmt::format("{}x{}", tiles.rows, tiles.keys), fmt::format("`.tile({})`", best), best};
}

std::optional<Finding> registers_fit(const RuleContext& context) {
  AttentionTiles tiles;
  if (seen(context, tiles) == nullptr || !whole(tiles)) return std::nullopt;
  if (tiles.held() <= tiles.most_held()) return std::nullopt;
  const int64_t keys = std::max<int64_t>(16, (tiles.keys - 1) / 16 * 16);
  const std::string best = fmt::format("{}x{}", tiles.rows, keys);
  return Finding{"tile",
                 fmt::format("scores of {} keys and sums of {} features take {} registers of each thread",
                             tiles.keys, tiles.value, tiles.held()),
                 fmt::format("{} are free", tiles.most_held()), fmt::format("`.tile({})`", best), best};
}

std::optional<Finding> memory_fits(const RuleContext& context) {
  AttentionTiles tiles;
  const Attention* kernel = seen(context, tiles);
  if (kernel == nullptr || !whole(tiles) || tiles.shared() <= context.device.smem_per_block)
    return std::nullopt;
  const bool staged = tiles.stages == 2;
  return Finding{staged ? "stages" : "tile",
                 fmt::format("{} queries, and {} of {} keys and values, take {} bytes of shared memory",
                             tiles.rows, staged ? "two tiles" : "a tile", tiles.keys, tiles.shared()),
                 fmt::format("a block has {}", context.device.smem_per_block),
                 staged ? "`.stages(1)`, or a smaller tile" : "a smaller tile, or `.tile(auto)`",
                 staged ? "1" : "auto"};
}

std::optional<Finding> stage_count(const RuleContext& context) {
  const auto* config = std::get_if<AttentionConfig>(&context.launch.config);
  if (config == nullptr || config->stages <= 2) return std::nullopt;
  return Finding{"stages", "while one tile of keys is multiplied, the next one is on its way, and no other",
                 fmt::format("{} stages", config->stages), "`.stages(2)`", "2"};
}

std::optional<Finding> groups_can(const RuleContext& context) {
  AttentionTiles tiles;
  const Attention* kernel = seen(context, tiles);
  if (kernel == nullptr || !tiles.groups) return std::nullopt;
  std::string why;
  if (context.device.arch != "sm_90a") {
    why = fmt::format("warpgroups multiply on sm_90a, not on {}", context.device.arch);
  } else if (tiles.size != 2) {
    why = fmt::format("warpgroups take weights of 16 bits, and these data are {}", name(kernel->q.dtype));
  } else if (std::min({tiles.q_bytes, tiles.k_bytes, tiles.v_bytes}) < 16) {
    why = "rows of q, k and v are copied 16 bytes at a time, and these are not aligned to that";
  } else if (tiles.rows != kAttentionGroupRows || tiles.stages != 2 || tiles.keys > 256) {
    why = "two warpgroups have 128 queries, up to 256 keys and two stages";
  } else {
    return std::nullopt;
  }
  return Finding{"schedule", why, fmt::format("{}x{} in {} stages", tiles.rows, tiles.keys, tiles.stages),
                 "`.schedule(multistage)`, or `.schedule(auto)`", "multistage"};
}

#define UC_ATTENTION_EXAMPLE(knobs)                                             \
  "target sm_90a\ninput q: f16[2, 8, 512, 128]\ninput k: f16[2, 8, 512, 128]\n" \
  "input v: f16[2, 8, 512, 128]\no = attention(q, k, v)" knobs "\nreturn o\n"

constexpr std::array<RuleSpec, 5> kRows{{
    {.id = "UC2941",
     .slug = "attention-tile",
     .summary = "Attention's tile is in steps of 16 queries and 16 keys, of at most 256 threads.",
     .rationale = "A warp multiplies 16 queries by 8 keys, and loads keys in pairs of 8.",
     .source = "PTX ISA, mma.m16n8k16; src/emit/templates/uc_attention.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = tile_steps,
     .bad_example = UC_ATTENTION_EXAMPLE(".tile(128x40)"),
     .good_example = UC_ATTENTION_EXAMPLE(".tile(128x48)")},
    {.id = "UC2942",
     .slug = "attention-registers",
     .summary = "Scores and sums of a warp's queries fit into its registers.",
     .rationale = "What does not fit would go to local memory in every step over the keys.",
     .source = "src/plan/attention_tiles.cpp: 255 registers a thread",
     .archs = "*",
     .backend = "cuda",
     .check = registers_fit,
     .bad_example = UC_ATTENTION_EXAMPLE(".tile(64x272)"),
     .good_example = UC_ATTENTION_EXAMPLE(".tile(64x128)")},
    {.id = "UC2943",
     .slug = "attention-shared-memory",
     .summary = "The queries of a block and its stages of keys and values fit into shared memory.",
     .rationale = "The launch would be refused.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = memory_fits,
     .bad_example = UC_ATTENTION_EXAMPLE(".tile(128x208).stages(2)"),
     .good_example = UC_ATTENTION_EXAMPLE(".tile(128x128).stages(2)")},
    {.id = "UC2944",
     .slug = "attention-stages",
     .summary = "Attention has one stage of keys and values, or two.",
     .rationale = "Steps are so long that what is two steps ahead need not be on its way.",
     .source = "src/emit/templates/uc_attention.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = stage_count,
     .bad_example = UC_ATTENTION_EXAMPLE(".tile(64x64).stages(3)"),
     .good_example = UC_ATTENTION_EXAMPLE(".tile(64x64).stages(2)")},
    {.id = "UC2945",
     .slug = "attention-warpgroups",
     .summary =
         "Attention in warpgroups is of 16-bit data on SM90, 128 queries a block, aligned to 16 bytes.",
     .rationale = "Their instructions read keys and values from shared memory in rows of 128 bytes.",
     .source = "PTX ISA, wgmma.mma_async; src/emit/templates/uc_attention_groups.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = groups_can,
     .bad_example = UC_ATTENTION_EXAMPLE(".tile(64x64).stages(2).schedule(warp_specialized)"),
     .good_example = UC_ATTENTION_EXAMPLE(".tile(128x64).stages(2).schedule(warp_specialized)")},
}};

}  // namespace

std::span<const RuleSpec> attention_rows();
std::span<const RuleSpec> attention_rows() { return kRows; }

}  // namespace uc::rules
