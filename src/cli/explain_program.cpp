#include "cli/explain_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "check/lower.h"
#include "cli/output.h"
#include "compiler/pipeline.h"
#include "plan/conv_product.h"
#include "plan/map_shape.h"
#include "plan/ranking.h"
#include "plan/scalar_cost.h"

namespace uc::cli {
namespace {

using nlohmann::ordered_json;

/// A step with what it could have been.
struct StepChoice {
  const Launch& chosen;
  Ranking ranking;
  double us = 0;  ///< of what was chosen, modelled
};

struct SizesText {
  std::string operator()(const Contraction& kernel) const {
    const std::string batch = kernel.batch() == 1 ? "" : fmt::format("{} x ", kernel.batch());
    return fmt::format("{} contraction, {}{} x {} x {} (M x N x K)", name(kernel.math), batch, kernel.m(),
                       kernel.n(), kernel.k());
  }
  std::string operator()(const Map& kernel) const {
    int64_t elements = 0;
    std::string tiles;
    for (const Map::Body& body : kernel.bodies) {
      elements += numel(body.domain);
      if (const std::string text = tile_text(collapse(body, 0)); !text.empty()) tiles += ", " + text;
    }
    return fmt::format("pointwise, {} elements{}", elements, tiles);
  }
  std::string operator()(const Rows& kernel) const {
    return fmt::format("{} rows of {} elements", kernel.count(), kernel.length());
  }
  std::string operator()(const Attention& kernel) const {
    return fmt::format("{} attention, {} x {} heads, {} queries x {} keys, {} features{}", name(kernel.math),
                       kernel.batch(), kernel.heads(), kernel.queries(), kernel.keys(), kernel.head_dim(),
                       kernel.causal ? ", causal" : "");
  }
  std::string operator()(const Convolution& kernel) const {
    const Contraction product = conv_product(kernel);
    const std::string batch = product.batch() == 1 ? "" : fmt::format("{} x ", product.batch());
    return fmt::format("{} {}convolution, as a product {}{} x {} x {} (pixels x channels x K)",
                       name(kernel.math), kernel.transposed ? "transposed " : "", batch, product.m(),
                       product.n(), product.k());
  }
};

std::string heading(const Program& program, const Launch& launch) {
  const Step& step = program[launch.step];
  std::string names;
  for (const ValueId id : step.results) names += (names.empty() ? "" : ", ") + program[id].name;
  return fmt::format("{}{}: {}", names, launch.phase == Phase::load ? " (at load)" : "",
                     std::visit(SizesText{}, launch.kernel));
}

void print_table(const Context& context, const StepChoice& step) {
  constexpr std::string_view kRow = "  {:>4} {:>10} {:>9} {:>9} {:>7} {:>8}  {}\n";
  context.out << fmt::format(fmt::runtime(kRow), "rank", "modelled", "compute", "memory", "waves", "of peak",
                             "configuration");
  for (size_t i = 0; i < step.ranking.ranked.size(); ++i) {
    const RankedConfig& each = step.ranking.ranked[i];
    const Estimate& cost = each.estimate;
    context.out << fmt::format(fmt::runtime(kRow), i + 1, fmt::format("{:.2f} us", cost.total_us),
                               fmt::format("{:.2f}", cost.compute_us), fmt::format("{:.2f}", cost.memory_us),
                               cost.waves > 0 ? fmt::format("{:.2f}", cost.waves) : "",
                               cost.efficiency > 0 ? fmt::format("{:.0f} %", 100 * cost.efficiency) : "",
                               knobs_text(context.catalog, with(step.chosen, each.config)) +
                                   (each.config == step.chosen.config ? "  <- chosen" : ""));
  }
}

void print_step(const Context& context, const Program& program, const StepChoice& step) {
  context.out << styled(context.color_out, "1", heading(program, step.chosen)) << "\n";
  for (const Served& each : step.ranking.backends) {
    context.out << fmt::format("  {}: {}\n", each.row->id,
                               each.refusal.empty() ? "can" : "cannot: " + each.refusal);
  }
  print_table(context, step);
  if (!step.ranking.open.empty() && step.us > 0) {
    const RankedConfig& best = step.ranking.open.front();
    context.out << fmt::format("  without the step's own knobs: {:.2f} us with {}\n", best.estimate.total_us,
                               knobs_text(context.catalog, with(step.chosen, best.config)));
  }
}

ordered_json row_json(const Context& context, const StepChoice& step, const RankedConfig& row) {
  const Estimate& cost = row.estimate;
  return {
      {"backend", row.backend->id},    {"knobs", knobs_text(context.catalog, with(step.chosen, row.config))},
      {"us", cost.total_us},           {"compute_us", cost.compute_us},
      {"memory_us", cost.memory_us},   {"waves", cost.waves},
      {"efficiency", cost.efficiency}, {"chosen", row.config == step.chosen.config}};
}

ordered_json step_json(const Context& context, const Program& program, const StepChoice& step) {
  ordered_json out{{"step", heading(program, step.chosen)}, {"modelled_us", step.us}};
  for (const Served& each : step.ranking.backends)
    out["backends"].push_back({{"id", each.row->id}, {"refuses", each.refusal}});
  out["ranked"] = ordered_json::array();
  for (const RankedConfig& row : step.ranking.ranked) out["ranked"].push_back(row_json(context, step, row));
  out["without_knobs"] = ordered_json::array();
  for (const RankedConfig& row : step.ranking.open)
    out["without_knobs"].push_back(row_json(context, step, row));
  return out;
}

}  // namespace

int explain_program(const Context& context, const ExplainProgram& settings) {
  const auto source = read_input(context, settings.path);
  if (!source) return report(context, source.error(), settings.json);
  const Compiled compiled = check_source(context.catalog, *source, {.device = settings.device});
  if (!compiled.ok()) return report(context, compiled.diags.sorted(), *source, settings.path, settings.json);
  const DeviceSpec* device = context.catalog.device(settings.device);
  if (device == nullptr) device = context.catalog.device_of_target(compiled.program.target);
  DiagSink quiet;
  std::vector<Launch> given = lower(context.catalog, compiled.program, quiet);
  choose_math(context.catalog, compiled.program, given, *device);
  std::vector<StepChoice> steps;
  double total = 0;
  for (size_t i = 0; i < compiled.launches.size() && i < given.size(); ++i) {
    StepChoice step{
        compiled.launches[i],
        ranking_of(context.catalog, compiled.program, given[i], *device, static_cast<size_t>(settings.limit)),
        0};
    if (const auto cost = estimate(context.catalog, step.chosen, *device)) step.us = cost->total_us;
    if (step.chosen.phase == Phase::run) total += step.us;
    steps.push_back(std::move(step));
  }
  if (settings.json) {
    ordered_json out{{"schema", "ucutlass.ranking/1"},
                     {"program", compiled.hash},
                     {"device", device->name},
                     {"modelled_us", total}};
    out["steps"] = ordered_json::array();
    for (const StepChoice& step : steps) out["steps"].push_back(step_json(context, compiled.program, step));
    context.out << out.dump(2) << "\n";
    return kDone;
  }
  for (const StepChoice& step : steps) {
    print_step(context, compiled.program, step);
    context.out << "\n";
  }
  context.out << fmt::format(
      "program {} on {}: {:.2f} us modelled, not measured; deterministic, from shipped tables\n",
      compiled.hash, device->name, total);
  return kDone;
}

}  // namespace uc::cli
