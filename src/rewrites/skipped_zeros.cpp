// Products of triangular matrices without the tiles that are zero.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <span>

#include "check/lower.h"
#include "check/rule_engine.h"
#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

std::vector<Launch> launches_of(const Program& program, const Catalog& catalog) {
  DiagSink diags;
  std::vector<Launch> launches = lower(catalog, program, diags);
  return diags.has_errors() ? std::vector<Launch>{} : launches;
}

// Knobs that say how all of K is shared out, or in which order tiles are, go; with `all`, those of tiles too.
bool stays(const Knob& knob, bool all) {
  constexpr std::array<std::string_view, 5> kShared{"skip", "scheduler", "split", "raster", "swizzle"};
  if (all) return knob.name == "math" || knob.name == "accum";
  if (knob.name == "schedule") return knob.settings == std::vector<KnobValue>{std::string("cooperative")};
  return std::ranges::find(kShared, knob.name) == kShared.end();
}

Program skipping(const Program& program, StepId step, bool all) {
  Program out = program;
  std::erase_if(out[step].knobs, [all](const Knob& knob) { return !stays(knob, all); });
  Knob skip;
  skip.name = "skip";
  skip.settings.emplace_back(std::string("zeros"));
  out[step].knobs.push_back(std::move(skip));
  return out;
}

bool serves(const Program& program, StepId step, const RewriteContext& context) {
  const std::vector<Launch> launches = launches_of(program, context.catalog);
  const auto at = std::ranges::find(launches, step, &Launch::step);
  return at != launches.end() && legal(context.catalog, program, *at, context.device);
}

// The knobs as they are but for what cannot go with it; nothing when no such launch is legal.
std::optional<Program> skipped(const Program& program, StepId step, const RewriteContext& context) {
  for (const bool all : {false, true}) {
    Program out = skipping(program, step, all);
    if (serves(out, step, context)) return out;
  }
  return std::nullopt;
}

bool may_skip(const Launch& launch) {
  const auto* kernel = std::get_if<Contraction>(&launch.kernel);
  const auto* given = std::get_if<ContractionConfig>(&launch.config);
  if (kernel == nullptr || given == nullptr || given->skip_zeros || launch.phase == Phase::load) return false;
  return kernel->a_band.any() || kernel->b_band.any() || kernel->d_band.any();
}

std::vector<Site> find(const Program& program, const RewriteContext& context) {
  std::vector<Site> sites;
  for (const Launch& launch : launches_of(program, context.catalog)) {
    if (!may_skip(launch) || !skipped(program, launch.step, context)) continue;
    sites.push_back(
        {launch.step, program[launch.step].main, 0,
         fmt::format("`{}` without tiles of zeros", program[program[launch.step].results.back()].name)});
  }
  return sites;
}

Program apply(const Program& program, const Site& site, const RewriteContext& context) {
  return skipped(program, site.step, context).value_or(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "skip-zeros",
     .summary = "a product with a triangle leaves out the tiles that are zero: `.skip(zeros)`",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find,
     .apply = apply},
};

}  // namespace

std::span<const RewriteSpec> skipped_zeros_rows() { return kRows; }

}  // namespace uc::rewrites
