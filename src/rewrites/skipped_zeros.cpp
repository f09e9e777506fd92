// Products of triangular matrices without the tiles that are zero.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "check/lower.h"
#include "check/rule_engine.h"
#include "plan/choose.h"
#include "plan/ranking.h"
#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

using Schedule = ContractionConfig::Schedule;
using Scheduler = ContractionConfig::Scheduler;

// The knobs as they are but for what cannot go with it; nothing when no such launch is legal.
std::optional<Launch> skipping(const Program& program, const RewriteContext& context, const Launch& launch) {
  const auto* kernel = std::get_if<Contraction>(&launch.kernel);
  const auto* given = std::get_if<ContractionConfig>(&launch.config);
  if (kernel == nullptr || given == nullptr || given->skip_zeros || launch.phase == Phase::load)
    return std::nullopt;
  if (!kernel->a_band.any() && !kernel->b_band.any() && !kernel->d_band.any()) return std::nullopt;
  Launch out = launch;
  auto& config = std::get<ContractionConfig>(out.config);
  config.skip_zeros = true;
  if (config.schedule != Schedule::automatic) config.schedule = Schedule::cooperative;
  if (config.scheduler != Scheduler::automatic) config.scheduler = Scheduler::persistent;
  config.split = 0;
  config.raster = ContractionConfig::Raster::automatic;
  config.swizzle = 0;
  if (legal(context.catalog, program, out, context.device)) return out;
  config = ContractionConfig{};
  config.skip_zeros = true;
  return legal(context.catalog, program, out, context.device) ? std::optional(out) : std::nullopt;
}

std::vector<Launch> launches_of(const Program& program, const Catalog& catalog) {
  DiagSink diags;
  std::vector<Launch> launches = lower(catalog, program, diags);
  return diags.has_errors() ? std::vector<Launch>{} : launches;
}

std::vector<Site> find(const Program& program, const RewriteContext& context) {
  std::vector<Site> sites;
  for (const Launch& launch : launches_of(program, context.catalog)) {
    if (!skipping(program, context, launch)) continue;
    sites.push_back(
        {launch.step, program[launch.step].main, 0,
         fmt::format("`{}` without tiles of zeros", program[program[launch.step].results.back()].name)});
  }
  return sites;
}

Program apply(const Program& program, const Site& site, const RewriteContext& context) {
  auto launches = launches_of(program, context.catalog);
  const auto at = std::ranges::find(launches, site.step, &Launch::step);
  if (at == launches.end()) return program;
  const auto changed = skipping(program, context, *at);
  if (!changed) return program;
  *at = *changed;
  return write_knobs(context.catalog, program, launches);
}

constexpr RewriteSpec kRows[] = {
    {.id = "skip-zeros",
     .summary = "a product with a triangle leaves out the tiles that are zero: `.skip(zeros)`",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .knobs_only = true,
     .find = find,
     .apply = apply},
};

}  // namespace

std::span<const RewriteSpec> skipped_zeros_rows() { return kRows; }

}  // namespace uc::rewrites
