// Row-wise operators after `>>`: the row, or the group, lies in the tiles of one cluster.
#include <array>
#include <vector>

#include "check/row_scope.h"
#include "check/two_steps.h"
#include "plan/gemm_choices.h"
#include "rules/gemm_rule.h"
#include "syntax/print.h"

namespace uc::rules {
namespace {

// Extent `at` of a knob that is written as a tile, else the choices of auto.
std::vector<int64_t> choices(const Step& step, std::string_view knob_name,
                             const std::vector<int64_t>& automatic) {
  const Knob* knob = step.knob(knob_name);
  const Tile* tile =
      knob == nullptr || knob->settings.empty() ? nullptr : std::get_if<Tile>(&knob->settings[0]);
  if (tile != nullptr && tile->extents.size() >= 2) return {tile->extents[1]};
  return automatic;
}

// No tile has the end of one row, or group, and the beginning of the next.
bool in_whole_tiles(int64_t tile, int64_t extent) { return tile % extent == 0 || extent % tile == 0; }

// `columns` tiles side by side have a whole number of what meets, or the one row that ends with the matrix.
bool is_held(int64_t columns, int64_t extent, bool whole_row) {
  return extent > 0 && (columns % extent == 0 || (whole_row && columns >= extent));
}

// The cluster N with which some tile N holds the row; 0: none.
int64_t cluster_that_holds(std::span<const int64_t> tiles, std::span<const int64_t> clusters, int64_t extent,
                           bool whole_row) {
  for (const int64_t cluster : clusters) {
    for (const int64_t tile : tiles) {
      if (is_held(tile * cluster, extent, whole_row)) return cluster;
    }
  }
  return 0;
}

bool is_whole_row(const Program& program, const Step& step, const EpilogueRow& row) {
  const Op& main = program[step.main];
  return main.spec->family == "contraction" && program[main.out[0]].shape.back() == row.extent;
}

std::string two_steps(const StepContext& context, size_t call) {
  return "two steps:\n" +
         print(context.catalog, cut_chain(context.catalog, context.program, context.step, call));
}

std::string what(const Program& program, const EpilogueRow& row) {
  const std::string_view name = program[row.op].spec->name;
  return row.extent == 0 ? fmt::format("`{}` needs more than one row of the result at once", name)
                         : fmt::format("`{}` needs {} columns of a row at once", name, row.extent);
}

std::optional<Finding> row_in_tile_of_step(const StepContext& context) {
  const Step& step = context.program[context.step];
  const auto row = epilogue_row(context.program, step);
  if (!row) return std::nullopt;
  const std::vector<int64_t> all_clusters = cluster_widths();
  const auto tiles = choices(step, "tile", tile_widths());
  const auto clusters = choices(step, "cluster", all_clusters);
  const bool whole = is_whole_row(context.program, step, *row);
  if (cluster_that_holds(tiles, clusters, row->extent, whole) != 0) return std::nullopt;
  Finding finding;
  finding.op = row->op;
  finding.message = what(context.program, *row);
  if (tiles.size() == 1 && clusters.size() == 1) {
    finding.message += fmt::format(", and tile N x cluster N is {} x {}", tiles[0], clusters[0]);
  } else if (row->extent != 0) {
    finding.message += tiles.size() == 1 ? fmt::format(", and no cluster makes that of tile N {}", tiles[0])
                                         : std::string(", and no tile and cluster hold that");
  }
  const int64_t other = cluster_that_holds(tiles, all_clusters, row->extent, whole);
  if (other != 0) {
    finding.knob = "cluster";
    finding.replacement = fmt::format("1x{}", other);
    finding.help = fmt::format("`.cluster(1x{})`, or ", other);
  }
  finding.help += two_steps(context, row->call);
  finding.label = "does not lie in one cluster's tiles";
  return finding;
}

std::optional<Finding> row_in_tile(const RuleContext& context) {
  const auto g = gemm(context);
  const int64_t columns = context.launch.columns;
  if (!g || columns == 0 || !g->has_tile() || !g->has_cluster()) return std::nullopt;
  if (is_held(g->config.tile_n * g->config.cluster_n, columns, columns == g->kernel.n())) return std::nullopt;
  return Finding{"cluster",
                 fmt::format("the epilogue needs {} columns at once, and tile N x cluster N is {} x {}",
                             columns, g->config.tile_n, g->config.cluster_n),
                 "does not lie in one cluster's tiles", "a step of its own for the row-wise operator", ""};
}

// ---- a row ends where a tile ends

std::optional<Finding> row_in_whole_tiles(const RuleContext& context) {
  const auto g = gemm(context);
  const int64_t columns = context.launch.columns;
  if (!g || columns <= 0 || !g->has_tile() || in_whole_tiles(g->config.tile_n, columns)) return std::nullopt;
  if (columns == g->kernel.n()) return std::nullopt;  // it ends with the matrix, in whichever tile
  Finding finding;
  finding.knob = "tile";
  finding.message =
      fmt::format("{} columns meet, and tile N is {}: a tile ends between them", columns, g->config.tile_n);
  finding.label = "neither a multiple nor a part of what meets";
  for (const int64_t width : tile_widths()) {
    const bool held = in_whole_tiles(width, columns) && width % g->n_step() == 0 &&
                      width * std::max<int64_t>(1, g->config.cluster_n) % columns == 0;
    if (held) finding.replacement = tile_text(g->config.tile_m, width, g->config.tile_k);
  }
  finding.help = finding.replacement.empty() ? "a step of its own for the row-wise operator"
                                             : fmt::format("`.tile({})`", finding.replacement);
  return finding;
}

// Columns of one row that meet after a product of matrices.
std::optional<EpilogueRow> row_of_product(const StepContext& context) {
  const Step& step = context.program[context.step];
  const auto row = epilogue_row(context.program, step);
  const bool product = context.program[step.main].spec->family == "contraction";
  return product && row && row->extent != 0 ? row : std::nullopt;
}

// ---- two columns of eight a thread

std::optional<Finding> groups_of_eight(const StepContext& context) {
  const auto row = row_of_product(context);
  if (!row || row->extent % 8 == 0) return std::nullopt;
  Finding finding;
  finding.op = row->op;
  finding.message = fmt::format("{}, which is no multiple of 8", what(context.program, *row));
  finding.help = two_steps(context, row->call);
  finding.label = "columns of a tile lie in threads by eights";
  return finding;
}

// ---- a tile has one block, and its whole sum

std::optional<Finding> row_of_whole_sums(const RuleContext& context) {
  const auto g = gemm(context);
  if (!g || context.launch.columns == 0) return std::nullopt;
  const bool slices = g->config.split > 1 || in_slices(g->kernel, g->config);
  if (!g->splits_k() && !slices) return std::nullopt;
  Finding finding;
  finding.knob = g->splits_k() ? "scheduler" : "split";
  finding.message = "K is split, and what meets in a row needs whole sums in the blocks of one cluster";
  finding.replacement = g->splits_k() ? "persistent" : "1";
  finding.label = "parts of K are added up elsewhere";
  finding.help = g->splits_k() ? "`.scheduler(persistent)`, or a step of its own for the row-wise operator"
                               : "`.split(1)`, or a step of its own for the row-wise operator";
  return finding;
}

// ---- which kernels see rows

bool names_other_backend(const Step& step) {
  const Knob* knob = step.knob("backend");
  if (knob == nullptr || knob->settings.empty()) return false;
  const auto* word = std::get_if<std::string>(&knob->settings[0]);
  return word != nullptr && *word != "cutlass3" && *word != "auto";
}

std::optional<Finding> epilogue_sees_rows(const StepContext& context) {
  const Step& step = context.program[context.step];
  const auto row = row_of_product(context);
  if (!row) return std::nullopt;
  const Op& main = context.program[step.main];
  const DType type = context.program[main.in[0]].dtype;
  const bool floats = is_floating(type) && size_bytes(type) <= 4;
  if (context.program.target == "sm_90a" && floats && !names_other_backend(step)) return std::nullopt;
  Finding finding;
  finding.op = row->op;
  finding.message = fmt::format("{}, and only f32 sums of CUTLASS 3 kernels of sm_90a meet in rows",
                                what(context.program, *row));
  finding.help = two_steps(context, row->call);
  finding.label = "this kernel's epilogue sees elements one by one";
  return finding;
}

constexpr std::array<RuleSpec, 5> kRows{{
    {.id = "UC2410",
     .slug = "row-in-tile",
     .summary =
         "A row-wise operator after `>>` has its row, or its group, in the tiles of one cluster: a whole row "
         "is no longer than tile N x cluster N, and groups divide it.",
     .rationale = "Blocks of a cluster exchange partial results through distributed shared memory; blocks of "
                  "different clusters do not wait for each other, so the kernel would have to read back what "
                  "others wrote, or wait for ever.",
     .source = "CUDA programming guide, thread block clusters; language.md, \"Row-wise in an epilogue\"",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::nobody,
     .check = row_in_tile,
     .bad_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 1024]\n"
                    "y = gemm(a, b).tile(128x256x64).cluster(2x1) >> softmax()\nreturn y\n",
     .good_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 1024]\n"
                     "y = gemm(a, b).tile(128x256x64).cluster(1x4) >> softmax()\nreturn y\n",
     .check_step = row_in_tile_of_step},
    {.id = "UC2411",
     .slug = "row-in-whole-tiles",
     .summary =
         "A group that meets after `>>` is whole tiles wide, or a tile holds a whole number of groups.",
     .rationale = "A block gathers what its tile has; of a row that ends inside a tile, and of the next that "
                  "begins there, it would gather two, with others than its neighbours do.",
     .source = "emitted kernels: templates/uc_row_epilogue.cuh",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::nobody,
     .check = row_in_whole_tiles,
     .bad_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 384]\n"
                    "y = gemm(a, b).tile(128x192x64).cluster(1x2) >> group_norm(3) >> to(f32)\nreturn y\n",
     .good_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 384]\n"
                     "y = gemm(a, b).tile(128x128x64).cluster(1x2) >> group_norm(3) >> to(f32)\nreturn y\n"},
    {.id = "UC2412",
     .slug = "row-by-eights",
     .summary = "What meets after `>>` is a multiple of 8 columns.",
     .rationale =
         "A thread holds two columns of every eight; a narrower group would meet in some threads of a "
         "quad and not in others.",
     .source = "PTX ISA, register fragments of wgmma: accumulator D; templates/uc_row_epilogue.cuh",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::compiler,
     .bad_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 256]\n"
                    "y = gemm(a, b) >> group_norm(64) >> to(f32)\nreturn y\n",
     .good_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 256]\n"
                     "y = gemm(a, b) >> group_norm(32) >> to(f32)\nreturn y\n",
     .check_step = groups_of_eight},
    {.id = "UC2413",
     .slug = "row-of-whole-sums",
     .summary = "A row-wise operator after `>>` comes with whole tiles: K is not split.",
     .rationale =
         "With stream-K the blocks of a cluster may finish different tiles, and wait for each other for "
         "ever; slices of K are added element by element by another function.",
     .source = "cutlass/gemm/kernel/sm90_tile_scheduler_stream_k.hpp; templates/uc_slices.cuh",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::nobody,
     .check = row_of_whole_sums,
     .bad_example =
         "target sm_90a\ninput a: f16[512, 4096]\ninput b: f16[4096, 256]\n"
         "y = gemm(a, b).tile(128x256x64).cluster(2x1).schedule(cooperative).scheduler(stream_k) >> "
         "softmax() >> to(f32)\nreturn y\n",
     .good_example =
         "target sm_90a\ninput a: f16[512, 4096]\ninput b: f16[4096, 256]\n"
         "y = gemm(a, b).tile(128x256x64).cluster(2x1).schedule(cooperative).scheduler(persistent) >> "
         "softmax() >> to(f32)\nreturn y\n"},
    {.id = "UC2414",
     .slug = "row-in-sm90-epilogue",
     .summary = "A row-wise operator after `>>` stands in a CUTLASS 3 kernel of sm_90a with f32 sums.",
     .rationale =
         "Only there do the accumulators of a row meet in registers and across a cluster; the epilogues "
         "of other kernels see elements one by one.",
     .source = "templates/uc_row_epilogue.cuh, templates/uc_epilogue2.cuh",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::emitter,
     .bad_example = "target sm_80\ninput a: f16[512, 64]\ninput b: f16[64, 256]\n"
                    "y = gemm(a, b) >> softmax() >> to(f32)\nreturn y\n",
     .good_example = "target sm_80\ninput a: f16[512, 64]\ninput b: f16[64, 256]\n"
                     "t = gemm(a, b)\ny = softmax(t) >> to(f32)\nreturn y\n",
     .check_step = epilogue_sees_rows},
}};

}  // namespace

std::span<const RuleSpec> row_wise_rows();
std::span<const RuleSpec> row_wise_rows() { return kRows; }

}  // namespace uc::rules
