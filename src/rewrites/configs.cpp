// The knobs of one launch: a list ranked by the model, and the neighbours of what is set.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "check/lower.h"
#include "check/rule_engine.h"
#include "plan/choose.h"
#include "plan/ranking.h"
#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

constexpr size_t kRanked = 24;  // configurations of the model's list that are worth naming

using Schedule = ContractionConfig::Schedule;
using Raster = ContractionConfig::Raster;

std::vector<Launch> launches_of(const Program& program, const Catalog& catalog) {
  DiagSink diags;
  std::vector<Launch> launches = lower(catalog, program, diags);
  return diags.has_errors() ? std::vector<Launch>{} : launches;
}

Program with_config(const Program& program, const Catalog& catalog, std::vector<Launch> launches,
                    size_t index, const Config& config) {
  launches[index].config = config;
  return write_knobs(catalog, program, launches);
}

// ---- the model's list

std::vector<RankedConfig> ranked(const Program& program, const RewriteContext& context,
                                 const Launch& launch) {
  Launch open = launch;
  open.config = blank(launch.config);
  return rank_configs(context.catalog, program, open, context.device, kRanked);
}

std::vector<Site> find_configs(const Program& program, const RewriteContext& context) {
  std::vector<Site> sites;
  for (const Launch& launch : launches_of(program, context.catalog)) {
    if (launch.phase == Phase::load) continue;
    Launch shown = launch;
    uint32_t variant = 0;
    for (const RankedConfig& each : ranked(program, context, launch)) {
      shown.config = each.config;
      sites.push_back({launch.step, program[launch.step].main, variant++,
                       fmt::format("`{}` with {}", program[program[launch.step].results.back()].name,
                                   knobs_text(context.catalog, shown))});
    }
  }
  return sites;
}

Program apply_config(const Program& program, const Site& site, const RewriteContext& context) {
  auto launches = launches_of(program, context.catalog);
  for (size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].step != site.step) continue;
    const auto list = ranked(program, context, launches[i]);
    if (site.variant < list.size())
      return with_config(program, context.catalog, launches, i, list[site.variant].config);
  }
  return program;
}

// ---- neighbours

// One knob moved by one notch each; what is automatic is first settled by the model.
std::vector<ContractionConfig> neighbours(const ContractionConfig& at) {
  std::vector<ContractionConfig> out;
  const auto with = [&](auto change) {
    ContractionConfig next = at;
    change(next);
    if (!(next == at)) out.push_back(next);
  };
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}}) {
    with([&](ContractionConfig& c) { c.cluster_m = m, c.cluster_n = n; });
  }
  for (const Raster raster : {Raster::along_m, Raster::along_n})
    with([&](ContractionConfig& c) { c.raster = raster; });
  for (const int64_t swizzle : {1, 2, 4, 8}) with([&](ContractionConfig& c) { c.swizzle = swizzle; });
  for (const Schedule schedule : {Schedule::cooperative, Schedule::pingpong}) {
    with([&](ContractionConfig& c) { c.schedule = schedule; });
  }
  if (at.stages > 2) with([](ContractionConfig& c) { --c.stages; });
  with([](ContractionConfig& c) { c.tile_k *= 2, c.stages = 0; });
  if (at.tile_k > 32) with([](ContractionConfig& c) { c.tile_k /= 2, c.stages = 0; });
  for (const int64_t n : {int64_t{64}, int64_t{128}, int64_t{192}, int64_t{256}}) {
    with([n](ContractionConfig& c) { c.tile_n = n, c.stages = 0; });
  }
  return out;
}

std::vector<Config> legal_neighbours(const Program& program, const RewriteContext& context,
                                     const Launch& launch) {
  std::vector<Config> out;
  const auto settled = rank_configs(context.catalog, program, launch, context.device, 1);
  if (settled.empty()) return out;
  const auto* at = std::get_if<ContractionConfig>(&settled.front().config);
  if (at == nullptr) return out;
  for (const ContractionConfig& next : neighbours(*at)) {
    Launch candidate = launch;
    candidate.config = next;
    const auto filled = rank_configs(context.catalog, program, candidate, context.device, 1);
    if (filled.empty() || !legal(context.catalog, program, candidate, context.device)) continue;
    if (std::ranges::find(out, filled.front().config) == out.end() &&
        filled.front().config != settled.front().config) {
      out.push_back(filled.front().config);
    }
  }
  return out;
}

std::vector<Site> find_neighbours(const Program& program, const RewriteContext& context) {
  std::vector<Site> sites;
  for (const Launch& launch : launches_of(program, context.catalog)) {
    if (launch.phase == Phase::load) continue;
    Launch shown = launch;
    uint32_t variant = 0;
    for (const Config& config : legal_neighbours(program, context, launch)) {
      shown.config = config;
      sites.push_back({launch.step, program[launch.step].main, variant++,
                       fmt::format("`{}` with {}", program[program[launch.step].results.back()].name,
                                   knobs_text(context.catalog, shown))});
    }
  }
  return sites;
}

Program apply_neighbour(const Program& program, const Site& site, const RewriteContext& context) {
  auto launches = launches_of(program, context.catalog);
  for (size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].step != site.step) continue;
    const auto list = legal_neighbours(program, context, launches[i]);
    if (site.variant < list.size())
      return with_config(program, context.catalog, launches, i, list[site.variant]);
  }
  return program;
}

constexpr RewriteSpec kRows[] = {
    {.id = "set-config",
     .summary = "tile, cluster, stages and schedule from the list that the model ranks",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .knobs_only = true,
     .find = find_configs,
     .apply = apply_config},
    {.id = "tune-config",
     .summary = "one knob of a launch moved by one notch",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .knobs_only = true,
     .find = find_neighbours,
     .apply = apply_neighbour},
};

}  // namespace

std::span<const RewriteSpec> configs_rows() { return kRows; }

}  // namespace uc::rewrites
