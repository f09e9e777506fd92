// Launch shapes of kernels over rows.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

#include "catalog/rule_spec.h"
#include "plan/rows_phases.h"
#include "plan/rows_stages.h"

namespace uc::rules {
namespace {

constexpr int64_t kSharedBytes = 48 * 1024;  // of a block, without asking for more
constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;

// A launch over rows as it would run.
struct Seen {
  const Rows& rows;
  const RowsConfig& config;
  RowsShape shape;
  RowsLayout layout;
};

std::optional<Seen> seen(const RuleContext& context) {
  const auto* rows = std::get_if<Rows>(&context.launch.kernel);
  const auto* config = std::get_if<RowsConfig>(&context.launch.config);
  if (rows == nullptr || config == nullptr) return std::nullopt;
  Seen out{*rows, *config, rows_shape(*rows), {}};
  out.layout = rows_layout(*rows, out.shape, *config);
  return out;
}

std::optional<Finding> row_fits(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.items == 0) return std::nullopt;
  const int64_t need = held_registers(s->rows, s->shape, s->layout);
  const int64_t have = free_registers(s->layout.threads());
  if (need <= have && s->layout.items <= kMostHeldVectors) return std::nullopt;
  if (need <= have) {
    return Finding{"passes",
                   fmt::format("a row of {} elements is {} vectors of each of {} threads", s->shape.length(),
                               s->layout.items, s->layout.team * s->layout.cluster),
                   fmt::format("{} at most", kMostHeldVectors),
                   "`.passes(2)`, or more threads a row: `.cluster(...)`, `.threads(...)`", "2"};
  }
  return Finding{"passes",
                 fmt::format("a row of {} elements takes {} registers of each of {} threads",
                             s->shape.length(), need, s->layout.team * s->layout.cluster),
                 fmt::format("{} are free", have),
                 "`.passes(2)`, or more threads a row: `.cluster(...)`, `.threads(...)`", "2"};
}

std::optional<Finding> reads_suffice(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->config.passes < 2) return std::nullopt;
  const int64_t least = rows_reads(s->rows, true);
  if (s->config.passes >= least) return std::nullopt;
  return Finding{"passes", fmt::format("what meets in a row depends on what met before: {} reads", least),
                 fmt::format("{} reads", s->config.passes),
                 least <= 3 ? fmt::format("`.passes({})`", least) : "`.passes(1)` keeps the row on the chip",
                 least <= 3 ? std::to_string(least) : "1"};
}

std::optional<Finding> split_streams(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.split == 1 || s->layout.items == 0) return std::nullopt;
  return Finding{
      "split", "blocks that meet in memory read their parts of a row again, and `.passes(1)` does not",
      fmt::format("{} parts", s->layout.split), "`.passes(2)`, or `.cluster(...)` in its place", "1"};
}

std::optional<Finding> split_or_cluster(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.split == 1 || s->layout.cluster == 1) return std::nullopt;
  return Finding{"cluster", "a row is split over a cluster or over blocks that meet in memory, not both",
                 fmt::format("with split {}", s->layout.split), "`.cluster(1)`, or `.split(1)`", "1"};
}

std::optional<Finding> cluster_arch(const RuleContext& context) {
  const auto s = seen(context);
  const bool known = context.device.arch == "sm_90a" || context.device.arch == "sm_100a";
  if (!s || s->layout.cluster == 1 || known) return std::nullopt;
  return Finding{"cluster", fmt::format("kernels for {} have no clusters of blocks", context.device.arch),
                 "sm_90a and sm_100a do", "`.split(...)` in its place, or `target sm_90a`", "1"};
}

std::optional<Finding> cluster_side(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.cluster == 1) return std::nullopt;
  if (s->shape.outer) {
    return Finding{"cluster", "neighbours in memory are different rows, which no cluster shares",
                   "rows side by side", "`.cluster(1)`", "1"};
  }
  if (s->layout.lanes == 1) return std::nullopt;
  return Finding{"cluster", fmt::format("a cluster shares one row, and its blocks have {}", s->layout.lanes),
                 "one row a block", "`.rows_per_block(1)`", "1"};
}

std::optional<Finding> cluster_filled(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.cluster == 1 || s->shape.outer) return std::nullopt;
  const int64_t vectors = s->shape.length() / s->layout.vector;
  const int64_t before = s->layout.cluster / 2 * s->layout.team;
  if (vectors > before) return std::nullopt;
  int64_t near = s->layout.cluster;
  while (near > 1 && vectors <= near / 2 * s->layout.team) near /= 2;
  return Finding{"cluster",
                 fmt::format("a row of {} elements leaves half of {} blocks without any", s->shape.length(),
                             s->layout.cluster),
                 fmt::format("{} threads each", s->layout.team), fmt::format("`.cluster({})`", near),
                 std::to_string(near)};
}

std::optional<Finding> vector_fits(const RuleContext& context) {
  const auto s = seen(context);
  const bool known = s && std::has_single_bit(static_cast<uint64_t>(s->config.vector));
  if (!known || s->layout.vector == s->config.vector) return std::nullopt;
  return Finding{"vector",
                 fmt::format("vectors of {} do not divide the contiguous extent, or rows do not start at "
                             "aligned addresses",
                             s->config.vector),
                 fmt::format("{} is the widest", s->layout.vector),
                 fmt::format("`.vector({})`", s->layout.vector), std::to_string(s->layout.vector)};
}

std::optional<Finding> rows_fill(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->config.rows_per_block == 0 || s->config.threads % 32 != 0) return std::nullopt;
  const int64_t have = s->layout.rows_per_block(s->shape.outer);
  if (have == s->config.rows_per_block &&
      s->layout.threads() == (s->config.threads == 0 ? kRowsThreads : s->config.threads))
    return std::nullopt;
  return Finding{
      "rows_per_block",
      fmt::format("{} threads do not divide into {} rows of equal teams",
                  s->config.threads == 0 ? kRowsThreads : s->config.threads, s->config.rows_per_block),
      fmt::format("{} rows would have some", have), fmt::format("`.rows_per_block({})`", have),
      std::to_string(have)};
}

std::optional<Finding> split_filled(const RuleContext& context) {
  const auto s = seen(context);
  if (!s || s->layout.split == 1) return std::nullopt;
  const int64_t vectors = s->shape.length() / (s->shape.outer ? 1 : s->layout.vector);
  if (vectors >= s->layout.split) return std::nullopt;
  const auto near =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, vectors))));
  return Finding{"split", fmt::format("a row of {} elements in {} parts", s->shape.length(), s->layout.split),
                 fmt::format("{} vectors", vectors), fmt::format("`.split({})`", near), std::to_string(near)};
}

std::optional<Finding> shared_fits(const RuleContext& context) {
  const auto s = seen(context);
  if (!s) return std::nullopt;
  const int64_t need = rows_shared(s->rows, s->shape, s->layout);
  if (need <= kSharedBytes) return std::nullopt;
  const int64_t near = std::max<int64_t>(32, s->layout.threads() / 2 / 32 * 32);
  return Finding{
      "threads",
      fmt::format("what {} threads have seen takes {} bytes of shared memory", s->layout.threads(), need),
      fmt::format("{} are there", kSharedBytes), fmt::format("`.threads({})`", near), std::to_string(near)};
}

std::optional<Finding> grid_fits(const RuleContext& context) {
  const auto s = seen(context);
  if (!s) return std::nullopt;
  const int64_t group = s->layout.rows_per_block(s->shape.outer);
  if ((s->shape.count() + group - 1) / group * s->layout.cluster <= kMostBlocks) return std::nullopt;
  return Finding{"rows_per_block", fmt::format("{} rows need more than 2^31 blocks", s->shape.count()),
                 fmt::format("{} a block", group), "`.rows_per_block(8)`", "8"};
}

constexpr std::array<RuleSpec, 12> kRows{{
    {.id = "UC2921",
     .slug = "row-on-chip",
     .summary = "A row that is read once fits into the registers of its threads.",
     .rationale = "What does not fit would go to local memory, and be read and written once more than with "
                  "two passes.",
     .source = "src/plan/rows_shape.cpp: 65,536 registers an SM, 40 of each thread for the rest",
     .archs = "*",
     .backend = "cuda",
     .check = row_fits,
     .bad_example = "target sm_90a\ninput x: f32[64, 65536]\ny = "
                    "softmax(x).passes(1).threads(256).cluster(1)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[64, 65536]\ny = "
                     "softmax(x).passes(1).threads(256).cluster(8)\nreturn y\n"},
    {.id = "UC2922",
     .slug = "reads-suffice",
     .summary = "A row is read at least as often as what meets in it depends on what met before.",
     .rationale =
         "The results of one stage are needed before the next can begin, and what is not kept is read again.",
     .source = "src/plan/rows_stages.cpp",
     .archs = "*",
     .backend = "cuda",
     .check = reads_suffice,
     .bad_example =
         "target sm_90a\ninput x: f32[64, 4096]\ny = layer_norm(x).passes(2) >> softmax()\nreturn y\n",
     .good_example =
         "target sm_90a\ninput x: f32[64, 4096]\ny = layer_norm(x).passes(3) >> softmax()\nreturn y\n"},
    {.id = "UC2923",
     .slug = "split-streams",
     .summary = "Rows that are split over blocks are read again for results.",
     .rationale = "Blocks that meet in memory are different launches: what they held is gone.",
     .source = "src/emit/templates/uc_rows.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = split_streams,
     .bad_example = "target sm_90a\ninput x: f32[4, 16384]\ny = softmax(x).passes(1).split(8)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[4, 16384]\ny = softmax(x).passes(2).split(8)\nreturn y\n"},
    {.id = "UC2924",
     .slug = "split-or-cluster",
     .summary = "Blocks share a row in a cluster, or through memory, not both.",
     .rationale = "One way to meet is enough: with both, parts would be parts of parts.",
     .source = "src/emit/templates/uc_rows.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = split_or_cluster,
     .bad_example =
         "target sm_90a\ninput x: f32[4, 1048576]\ny = sum(x, dim=1).split(8).cluster(2)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[4, 1048576]\ny = sum(x, dim=1).split(8)\nreturn y\n"},
    {.id = "UC2925",
     .slug = "cluster-arch",
     .summary = "Clusters of blocks are for sm_90a and sm_100a.",
     .rationale = "Distributed shared memory came with that architecture.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = cluster_arch,
     .bad_example = "target sm_80\ninput x: f32[64, 4096]\ny = softmax(x).cluster(2)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[64, 4096]\ny = softmax(x).cluster(2)\nreturn y\n"},
    {.id = "UC2926",
     .slug = "cluster-row",
     .summary = "A cluster shares one row, along which neighbours in memory lie.",
     .rationale = "Blocks of a cluster meet once a row: several rows side by side need no cluster.",
     .source = "src/emit/templates/uc_rows.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = cluster_side,
     .bad_example = "target sm_90a\ninput x: f32[64, 4096]\ny = softmax(x, dim=0).cluster(2)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[64, 4096]\ny = softmax(x, dim=1).cluster(2)\nreturn y\n"},
    {.id = "UC2927",
     .slug = "cluster-filled",
     .summary = "Each half of a cluster has elements of the row.",
     .rationale = "Blocks without elements only wait for the others.",
     .source = "src/plan/rows_shape.cpp",
     .archs = "*",
     .backend = "cuda",
     .check = cluster_filled,
     .bad_example =
         "target sm_90a\ninput x: f32[64, 1024]\ny = softmax(x).threads(256).cluster(4)\nreturn y\n",
     .good_example =
         "target sm_90a\ninput x: f32[64, 16384]\ny = softmax(x).threads(256).cluster(4)\nreturn y\n"},
    {.id = "UC2928",
     .slug = "rows-vector-fits",
     .summary = "The vector divides the contiguous extent, and rows start where vectors do.",
     .rationale = "A vector access at an address that it does not divide is a fault; narrower ones would be "
                  "used in silence.",
     .source = "CUDA programming guide, device memory accesses",
     .archs = "*",
     .backend = "cuda",
     .check = vector_fits,
     .bad_example = "target sm_90a\ninput x: f32[64, 4095]\ny = softmax(x).vector(4)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[64, 4096]\ny = softmax(x).vector(4)\nreturn y\n"},
    {.id = "UC2929",
     .slug = "rows-divide",
     .summary = "The rows of a block have as many threads each: a power of two, or whole warps.",
     .rationale = "Threads of a row meet by halves of a warp, then warp by warp.",
     .source = "src/plan/rows_shape.cpp",
     .archs = "*",
     .backend = "cuda",
     .check = rows_fill,
     .bad_example =
         "target sm_90a\ninput x: f32[64, 512]\ny = sum(x, dim=1).threads(256).rows_per_block(3)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[64, 512]\ny = sum(x, "
                     "dim=1).threads(256).rows_per_block(4)\nreturn y\n"},
    {.id = "UC2930",
     .slug = "split-filled",
     .summary = "Each part of a row has elements.",
     .rationale = "Parts without elements are blocks that do nothing but meet.",
     .source = "src/emit/templates/uc_rows.cuh",
     .archs = "*",
     .backend = "cuda",
     .check = split_filled,
     .bad_example = "target sm_90a\ninput x: f32[4, 64]\ny = sum(x, dim=1).split(64)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f32[4, 64]\ny = sum(x, dim=1).split(2)\nreturn y\n"},
    {.id = "UC2931",
     .slug = "rows-shared-memory",
     .summary = "What the threads of a block have seen fits into 48 KB of shared memory.",
     .rationale = "Threads that handle several rows each meet through one slot a thread and row.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = shared_fits,
     .bad_example = "target sm_90a\ninput x: f16[4096, 4096]\ny, z = mean(x, x * x, "
                    "dim=0).threads(1024).vector(8)\nreturn y, z\n",
     .good_example = "target sm_90a\ninput x: f16[4096, 4096]\ny, z = mean(x, x * x, "
                     "dim=0).threads(512).vector(8)\nreturn y, z\n"},
    {.id = "UC2932",
     .slug = "rows-grid",
     .summary = "A launch over rows has fewer than 2^31 blocks.",
     .rationale = "The grid's first dimension ends there.",
     .source = "CUDA programming guide, technical specifications a compute capability",
     .archs = "*",
     .backend = "cuda",
     .check = grid_fits,
     .bad_example = "target sm_90a\ninput x: f16[4294967296, 8]\ny = sum(x, "
                    "dim=1).threads(32).rows_per_block(1)\nreturn y\n",
     .good_example = "target sm_90a\ninput x: f16[4294967296, 8]\ny = sum(x, "
                     "dim=1).threads(256).rows_per_block(32)\nreturn y\n"},
}};

}  // namespace

std::span<const RuleSpec> rows_rows();
std::span<const RuleSpec> rows_rows() { return kRows; }

}  // namespace uc::rules
