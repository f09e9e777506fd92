// Less arithmetic for the same numbers: constants folded, operators that cannot change anything dropped,
// known forms named.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

#include "rewrites/support/peephole.h"
#include "rewrites/support/range.h"

namespace uc::rewrites {
namespace {

using Places = std::vector<std::pair<StepId, OpId>>;

bool named(const Program& program, OpId op, std::string_view name) {
  return op && program[op].spec->name == name;
}

bool floating(const Program& program, OpId op) { return is_floating(program[program[op].out[0]].dtype); }

std::vector<Site> sites_of(const Program& program, const Places& places, std::string_view doing) {
  std::vector<Site> sites;
  for (const auto& [step, op] : places) {
    sites.push_back({step, op, 0,
                     fmt::format("{} `{}` in `{}`", doing, program[op].spec->name,
                                 program[program[step].results.back()].name)});
  }
  return sites;
}

bool still_there(const Program& program, const Site& site) {
  if (site.step.index() >= program.steps.size() || site.op.index() >= program.ops.size()) return false;
  const auto ops = ops_of(program[site.step]);
  return std::ranges::find(ops, site.op) != ops.end();
}

// ---- x * a + b with literals

/// x * scale + shift.
struct Affine {
  ValueId x;
  double scale = 1;
  double shift = 0;
};

// What the operator is when one operand is a literal.
std::optional<Affine> affine(const Program& program, OpId id) {
  const Op& op = program[id];
  if (op.in.size() != 2) return std::nullopt;
  const auto left = literal_of(program, op.in[0]);
  const auto right = literal_of(program, op.in[1]);
  if (left.has_value() == right.has_value()) return std::nullopt;
  const ValueId x = left ? op.in[1] : op.in[0];
  const double c = left ? *left : *right;
  if (op.spec->name == "mul") return Affine{x, c, 0};
  if (op.spec->name == "add") return Affine{x, 1, c};
  if (op.spec->name == "sub" && right) return Affine{x, 1, -c};
  if (op.spec->name == "div" && right && c != 0) return Affine{x, 1 / c, 0};
  return std::nullopt;
}

// (x * a) * b is x * ab; (x + a) + b is x + (a + b); x * a + x is x * (a + 1). Two operators become one.
std::optional<Affine> folded(const Program& program, StepId step, OpId id) {
  const Op& op = program[id];
  if (!floating(program, id)) return std::nullopt;
  if (const auto outer = affine(program, id)) {
    const size_t operand = op.in[0] == outer->x ? 0 : 1;
    const OpId inner_op = feeder(program, step, id, operand);
    const auto inner = inner_op ? affine(program, inner_op) : std::nullopt;
    if (!inner || program[inner->x].kind == ValueKind::literal) return std::nullopt;
    if (outer->shift == 0 && inner->shift == 0) return Affine{inner->x, outer->scale * inner->scale, 0};
    if (outer->scale == 1 && inner->scale == 1) return Affine{inner->x, 1, outer->shift + inner->shift};
    return std::nullopt;
  }
  if (op.spec->name != "add" || op.in.size() != 2) return std::nullopt;
  for (size_t operand = 0; operand < 2; ++operand) {
    const OpId inner_op = feeder(program, step, id, operand);
    const auto inner = inner_op ? affine(program, inner_op) : std::nullopt;
    if (inner && inner->shift == 0 && inner->x == op.in[1 - operand])
      return Affine{inner->x, inner->scale + 1, 0};
  }
  return std::nullopt;
}

bool representable(double value) {
  return std::isfinite(value) && (value == 0 || (std::abs(value) > 1e-30 && std::abs(value) < 1e30));
}

std::vector<Site> find_literals(const Program& program, const RewriteContext&) {
  return sites_of(program,
                  ops_where(program,
                            [&](StepId step, OpId op) {
                              const auto form = folded(program, step, op);
                              return form && representable(form->scale) && representable(form->shift);
                            }),
                  "fold the literals of");
}

OpId other_op(const Program& program, StepId step, OpId id, ValueId x) {
  for (size_t k = 0; k < program[id].in.size(); ++k) {
    if (program[id].in[k] == x) continue;
    if (const OpId inner = feeder(program, step, id, k)) return inner;
  }
  return {};
}

Program apply_literals(const Program& program, const Site& site, const RewriteContext& context) {
  const auto form = still_there(program, site) ? folded(program, site.step, site.op) : std::nullopt;
  if (!form) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  const OpId inner = other_op(out, site.step, site.op, form->x);
  if (!inner) return program;
  const bool scales = form->shift == 0;
  const ValueId literal = edit.builder().literal(scales ? form->scale : form->shift, false);
  if (!take_out(out, site.step, inner, form->x)) return program;
  out[site.op].spec = context.catalog.op(scales ? "mul" : "add");
  out[site.op].in = {form->x, literal};
  tidy_maps(out, site.step);
  edit.infer();
  return edit.finish(program);
}

// ---- operators that change nothing

Range range_of(const Program& program, StepId step, ValueId value, int depth = 0) {
  const OpId id = maker_in_step(program, step, value);
  if (!id || depth > 8) return {};
  const Op& op = program[id];
  if (const auto clamp = clamp_of(op)) return *clamp;
  Range out = bounds_of(op);
  if (shrinks(op))
    out.high = std::min(out.high, std::max(0.0, range_of(program, step, op.in[0], depth + 1).high));
  if (std::isfinite(out.low) || std::isfinite(out.high)) return out;
  if (const auto form = affine(program, id); form && std::isfinite(form->scale)) {
    const Range x = range_of(program, step, form->x, depth + 1);
    const double a = x.low * form->scale + form->shift;
    const double b = x.high * form->scale + form->shift;
    if (!std::isnan(a) && !std::isnan(b)) return {std::min(a, b), std::max(a, b)};
  }
  return {};
}

// True when the operator's result is its first operand, always.
bool is_identity(const Program& program, StepId step, OpId id) {
  const Op& op = program[id];
  if (op.in.empty() || op.out.size() != 1 || !floating(program, id)) return false;
  if (program[op.in[0]].dtype != program[op.out[0]].dtype ||
      program[op.in[0]].shape != program[op.out[0]].shape)
    return false;
  if (const auto clamp = clamp_of(op)) {
    const Range range = range_of(program, step, op.in[0]);
    return range.low >= clamp->low && range.high <= clamp->high;
  }
  const auto form = affine(program, id);
  return form && form->x == op.in[0] && form->scale == 1 && form->shift == 0;
}

std::vector<Site> find_identity(const Program& program, const RewriteContext&) {
  return sites_of(program,
                  ops_where(program,
                            [&](StepId step, OpId op) {
                              if (!is_identity(program, step, op)) return false;
                              Program trial = program;
                              return take_out(trial, step, op, program[op].in[0]);
                            }),
                  "drop the ineffective");
}

Program apply_identity(const Program& program, const Site& site, const RewriteContext& context) {
  if (!still_there(program, site) || !is_identity(program, site.step, site.op)) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  if (!take_out(out, site.step, site.op, out[site.op].in[0])) return program;
  tidy_maps(out, site.step);
  edit.infer();
  return edit.finish(program);
}

// ---- known forms

/// x times what `factor` makes of x, by way of `inner` where there is one.
struct Form {
  std::string_view name, factor, inner;
};
constexpr Form kForms[] = {{"silu", "sigmoid", ""}, {"mish", "tanh", "softplus"}};

struct Known {
  std::string_view name;
  ValueId x;
  std::vector<OpId> parts;  ///< from the product on
};

std::optional<Known> known(const Program& program, StepId step, OpId id) {
  const Op& op = program[id];
  if (op.spec->name != "mul" || op.in.size() != 2 || !floating(program, id)) return std::nullopt;
  for (size_t k = 0; k < 2; ++k) {
    const OpId factor = feeder(program, step, id, k);
    for (const Form& form : kForms) {
      if (!named(program, factor, form.factor)) continue;
      const OpId inner = form.inner.empty() ? OpId{} : feeder(program, step, factor, 0);
      if (!form.inner.empty() &&
          (!named(program, inner, form.inner) || !program[inner].attrs.entries().empty()))
        continue;
      const ValueId x = program[inner ? inner : factor].in[0];
      if (x != op.in[1 - k]) continue;
      return Known{form.name, x, inner ? std::vector{factor, inner} : std::vector{factor}};
    }
  }
  return std::nullopt;
}

std::vector<Site> find_known(const Program& program, const RewriteContext&) {
  return sites_of(
      program, ops_where(program, [&](StepId step, OpId op) { return known(program, step, op).has_value(); }),
      "name the form of");
}

Program apply_known(const Program& program, const Site& site, const RewriteContext& context) {
  const auto form = still_there(program, site) ? known(program, site.step, site.op) : std::nullopt;
  if (!form) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  out[site.op].spec = context.catalog.op(form->name);
  out[site.op].in = {form->x};
  for (const OpId part : form->parts) {
    if (!take_out(out, site.step, part, out[part].in[0])) return program;
  }
  tidy_maps(out, site.step);
  edit.infer();
  return edit.finish(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "fold-literals",
     .summary = "two multiplications or additions with literals become one",
     .claim = Claim::algebraic,
     .cause = Cause::algebra,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_literals,
     .apply = apply_literals},
    {.id = "drop-identity",
     .summary = "an operator that cannot change its operand is dropped: a clamp of what is within its "
                "bounds, a product with 1",
     .claim = Claim::exact,
     .cause = Cause::algebra,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_identity,
     .apply = apply_identity},
    {.id = "name-activation",
     .summary =
         "x * sigmoid(x) is silu(x), x * tanh(softplus(x)) is mish(x): one operator with a cheaper form",
     .claim = Claim::algebraic,
     .cause = Cause::algebra,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_known,
     .apply = apply_known},
};

}  // namespace

std::span<const RewriteSpec> algebra_rows() { return kRows; }

}  // namespace uc::rewrites
