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

// The cluster N with which some tile N holds the row; 0: none.
int64_t cluster_that_holds(std::span<const int64_t> tiles, std::span<const int64_t> clusters,
                           int64_t extent) {
  for (const int64_t cluster : clusters) {
    for (const int64_t tile : tiles) {
      if (extent > 0 && tile * cluster % extent == 0) return cluster;
    }
  }
  return 0;
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
  if (cluster_that_holds(tiles, clusters, row->extent) != 0) return std::nullopt;
  Finding finding;
  finding.op = row->op;
  finding.message = what(context.program, *row);
  if (tiles.size() == 1 && clusters.size() == 1) {
    finding.message += fmt::format(", and tile N x cluster N is {} x {}", tiles[0], clusters[0]);
  } else if (row->extent != 0) {
    finding.message += tiles.size() == 1 ? fmt::format(", and no cluster makes that of tile N {}", tiles[0])
                                         : std::string(", and no tile and cluster hold that");
  }
  const int64_t other = cluster_that_holds(tiles, all_clusters, row->extent);
  if (other != 0) {
    finding.knob = "cluster";
    finding.replacement = fmt::format("1x{}", other);
    finding.help = fmt::format("`.cluster(1x{})`, or ", other);
  }
  const Program cut = cut_chain(context.catalog, context.program, context.step, row->call);
  finding.help += "two steps:\n" + print(context.catalog, cut);
  finding.label = "does not lie in one cluster's tiles";
  return finding;
}

std::optional<Finding> row_in_tile(const RuleContext& context) {
  const auto g = gemm(context);
  const int64_t columns = context.launch.columns;
  if (!g || columns == 0 || !g->has_tile() || !g->has_cluster()) return std::nullopt;
  if (columns > 0 && g->config.tile_n * g->config.cluster_n % columns == 0) return std::nullopt;
  return Finding{"cluster",
                 fmt::format("the epilogue needs {} columns at once, and tile N x cluster N is {} x {}",
                             columns, g->config.tile_n, g->config.cluster_n),
                 "does not lie in one cluster's tiles", "a step of its own for the row-wise operator", ""};
}

constexpr std::array<RuleSpec, 1> kRows{{
    {.id = "UC2410",
     .slug = "row-in-tile",
     .summary = "A row-wise operator after `>>` has its row, or its group, in the tiles of one cluster: the "
                "columns that it needs divide tile N x cluster N.",
     .rationale = "Blocks of a cluster exchange partial results through distributed shared memory; blocks of "
                  "different clusters do not wait for each other, so the kernel would have to read back what "
                  "others wrote, or wait for ever.",
     .source = "CUDA programming guide, thread block clusters; language.md, \"Row-wise in an epilogue\"",
     .archs = "*",
     .backend = "*",
     .caught_by = CaughtBy::emitter,
     .check = row_in_tile,
     .bad_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 1024]\n"
                    "y = gemm(a, b).tile(128x256x64).cluster(2x1) >> softmax()\nreturn y\n",
     .good_example = "target sm_90a\ninput a: f16[512, 64]\ninput b: f16[64, 1024]\n"
                     "y = gemm(a, b).tile(128x256x64).cluster(1x4) >> softmax()\nreturn y\n",
     .check_step = row_in_tile_of_step},
}};

}  // namespace

std::span<const RuleSpec> row_wise_rows();
std::span<const RuleSpec> row_wise_rows() { return kRows; }

}  // namespace uc::rules
