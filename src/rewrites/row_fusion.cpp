// Fewer launches around what couples elements: reductions, normalisations and losses take pointwise work in,
// before and behind.
#include <algorithm>
#include <fmt/format.h>
#include <span>

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

constexpr RewriteSpec kRows[] = {
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
