// Fewer launches around what couples elements: reductions, normalisations and losses take pointwise work in,
// before and behind.
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "check/epilogue_rows.h"
#include "plan/gemm_choices.h"
#include "rewrites/support/join.h"

namespace uc::rewrites {
namespace {

// ---- what follows joins the chain

std::vector<Site> find_behind(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto at = find_join(program, StepId(i));
    if (!at || !is_rows_step(program, program[at->producer])) continue;
    const Step& consumer = program[at->consumer];
    sites.push_back(
        {StepId(i), consumer.main, 0,
         fmt::format("`{}` of `{}` follows the {} in its launch", program[consumer.main].spec->name,
                     program[consumer.results.back()].name, program[program[at->producer].main].spec->name)});
  }
  return sites;
}

Program apply_behind(const Program& program, const Site& site, const RewriteContext& context) {
  const auto at = site.step.index() < program.steps.size() ? find_join(program, site.step) : std::nullopt;
  return at ? join(context.catalog, program, *at) : program;
}

// ---- what comes before moves inside the parentheses

// The step that makes an operand of `consumer`, and nothing but that.
std::optional<StepId> find_producer(const Program& program, StepId consumer) {
  if (!is_rows_step(program, program[consumer])) return std::nullopt;
  for (const ValueId value : program[program[consumer].main].in) {
    const StepId producer = step_of(program, value);
    if (!producer || producer >= consumer || is_returned(program, value)) continue;
    const Step& step = program[producer];
    if (!is_pointwise_step(program, step) || step.results.size() != 1 ||
        !fits_expression(program, ops_of(step)))
      continue;
    const auto uses = uses_of(program, value);
    if (std::ranges::all_of(uses, [&](const Use& use) { return use.op == program[consumer].main; }))
      return producer;
  }
  return std::nullopt;
}

std::vector<Site> find_before(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto producer = find_producer(program, StepId(i));
    if (!producer) continue;
    const OpId main = program[StepId(i)].main;
    sites.push_back({StepId(i), main, 0,
                     fmt::format("`{}` is computed inside `{}`",
                                 program[program[*producer].results.back()].name, program[main].spec->name)});
  }
  return sites;
}

Program apply_before(const Program& program, const Site& site, const RewriteContext& context) {
  const auto producer =
      site.step.index() < program.steps.size() ? find_producer(program, site.step) : std::nullopt;
  if (!producer) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  std::vector<OpId> inside = ops_of(out[*producer]);
  const ValueId stored = out[*producer].results.back();
  for (const OpId id : inside) {
    if (out[id].spec->place == Place::fused) out[id].spec = edit.builder().catalog().op("add");
  }
  ValueId running = stored;
  if (is_floating(out[stored].dtype) && size_bytes(out[stored].dtype) < 4 &&
      !out[out[stored].def].attrs.has("dtype")) {
    const auto rounded = edit.op("to", {stored}, dtype_attr(out[stored].dtype));  // as memory rounded it
    if (!rounded) return program;
    running = *rounded;
    inside.push_back(out[running].def);
  }
  Step& step = out[site.step];
  if (running != stored) replace_operand(out, step.main, stored, running);
  step.prologue.insert(step.prologue.begin(), inside.begin(), inside.end());
  out[stored].name.clear();
  edit.erase(*producer);
  return edit.finish(program);
}

// ---- what goes over rows joins the product that makes them

// Some tile and cluster of the automatic choice hold that many columns; a whole row may end within them.
bool is_held(int64_t columns, bool whole_row) {
  const auto held = [&](int64_t tile) {
    const bool even = tile % columns == 0 || columns % tile == 0;
    return std::ranges::any_of(cluster_widths(), [&](int64_t cluster) {
      return (whole_row && tile * cluster >= columns) || (even && tile * cluster % columns == 0);
    });
  };
  return columns > 0 && columns % 8 == 0 && std::ranges::any_of(tile_widths(), held);
}

// Reductions that combine piece by piece need no row in one place: they are other rewrites' matter.
bool needs_a_row(const Program& program, const Op& op) {
  return op.spec->combine == nullptr || !op.spec->combine(program, op).has_value();
}

std::optional<Join> find_product(const Program& program, StepId consumer) {
  const Step& step = program[consumer];
  if (program.target != "sm_90a" || !is_rows_step(program, step) || !step.prologue.empty())
    return std::nullopt;
  const Op& main = program[step.main];
  if (main.in.empty() || main.spec->place != Place::both || !needs_a_row(program, main)) return std::nullopt;
  const ValueId value = main.in[0];
  const StepId producer = step_of(program, value);
  if (!producer || producer >= consumer || program[producer].results.back() != value ||
      !is_contraction_step(program, program[producer]) || is_returned(program, value))
    return std::nullopt;
  const Op& product = program[program[producer].main];
  const DType type = program[product.in[0]].dtype;
  const Shape& shape = program[product.out[0]].shape;
  const auto columns = epilogue_columns(program, main, shape);
  const auto uses = uses_of(program, value);
  const bool alone = std::ranges::all_of(uses, [&](const Use& use) { return use.op == step.main; });
  const bool first = std::ranges::count(main.in, value) == 1;
  const bool floats = is_floating(type) && size_bytes(type) <= 4;
  const bool fits = columns && (*columns == 0 || is_held(*columns, *columns == shape.back()));
  return alone && first && floats && fits && holds_one_value(program[producer])
             ? std::optional(Join{producer, consumer})
             : std::nullopt;
}

std::vector<Site> find_rows_of_product(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto at = find_product(program, StepId(i));
    if (!at) continue;
    const OpId main = program[at->consumer].main;
    sites.push_back({StepId(i), main, 0,
                     fmt::format("`{}` of `{}` meets in the epilogue of the {} that makes it",
                                 program[main].spec->name, program[program[at->consumer].results.back()].name,
                                 program[program[at->producer].main].spec->name)});
  }
  return sites;
}

// Which tile and cluster hold the row is chosen anew; so is what depends on them.
void forget_tile(Step& step) {
  std::erase_if(step.knobs, [](const Knob& knob) {
    constexpr std::string_view kOfTile[] = {"tile",      "cluster", "stages", "schedule",
                                            "scheduler", "split",   "raster", "swizzle"};
    return std::ranges::find(kOfTile, knob.name) != std::end(kOfTile);
  });
}

Program apply_rows_of_product(const Program& program, const Site& site, const RewriteContext& context) {
  if (site.step.index() >= program.steps.size()) return program;
  const Step& step = program[site.step];
  const StepId producer = step.main ? step_of(program, program[step.main].in[0]) : StepId();
  if (!producer) return program;
  Program open = program;
  forget_tile(open[producer]);
  return join(context.catalog, open, {producer, site.step});
}

constexpr RewriteSpec kRows[] = {
    {.id = "fuse-rows-behind-product",
     .summary = "a softmax, norm or other operator over rows that alone reads a product's result becomes "
                "part of its "
                "epilogue, where a cluster holds the row",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 2,
     .performance_risk = 2,
     .find = find_rows_of_product,
     .apply = apply_rows_of_product},
    {.id = "fuse-behind-rows",
     .summary = "a pointwise step that alone reads what a reduction or normalisation gives becomes part of "
                "its launch",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_behind,
     .apply = apply_behind},
    {.id = "fuse-before-rows",
     .summary = "a pointwise step whose result only a reduction or normalisation reads is computed there",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .find = find_before,
     .apply = apply_before},
};

}  // namespace

std::span<const RewriteSpec> row_fusion_rows() { return kRows; }

}  // namespace uc::rewrites
