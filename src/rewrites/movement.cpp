// What is moved and when: weights prepared once, operands laid out for the multiplier, conversions in one
// launch.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>

#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

// ---- weights at load time

bool load_value(const Program& program, ValueId id) {
  const Value& value = program[id];
  if (value.kind == ValueKind::param || value.kind == ValueKind::literal) return true;
  const Value& root = program[value.root];
  if (root.kind == ValueKind::param) return true;
  if (!root.def) return false;
  const StepId step = program[root.def].step;
  return step && program[step].phase == Phase::load;
}

bool of_params(const Program& program, const Step& step) {
  if (!step.main || step.phase != Phase::run || program[step.main].spec->is_view()) return false;
  std::set<ValueId> made;
  for (const OpId id : ops_of(step)) {
    const Op& op = program[id];
    for (const ValueId in : op.in) {
      if (!made.contains(in) && !load_value(program, in)) return false;
    }
    made.insert(op.out.begin(), op.out.end());
  }
  // A load step gives one result.
  return step.results.size() == 1 && !is_returned(program, step.results[0]);
}

std::vector<Site> find_prepack(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!of_params(program, step)) continue;
    sites.push_back(
        {StepId(i), step.main, 0,
         fmt::format("make `{}` once, when the weights are loaded", program[step.results.back()].name)});
  }
  return sites;
}

Program apply_prepack(const Program& program, const Site& site, const RewriteContext&) {
  if (site.step.index() >= program.steps.size() || !of_params(program, program[site.step])) return program;
  Program out = program;
  out[site.step].phase = Phase::load;
  return out;
}

// ---- operands as the multiplier reads them

// Which operand of a contraction does not run along K in memory; TF32 is multiplied that way only.
std::optional<size_t> not_k_major(const Program& program, const Step& step) {
  if (!is_contraction_step(program, step)) return std::nullopt;
  const Op& main = program[step.main];
  if (main.in.size() != 2 || program[main.in[0]].dtype != DType::f32) return std::nullopt;
  const Value& a = program[main.in[0]];
  const Value& b = program[main.in[1]];
  if (a.stride.empty() || b.stride.size() < 2) return std::nullopt;
  // gemm's B is [K, N], linear's W is [N, K]: the extent that equals A's last tells which dimension is K.
  const bool linear = main.spec->name == "linear";
  if (a.stride.back() != 1) return 0;
  return b.stride[b.stride.size() - (linear ? 1 : 2)] == 1 ? std::nullopt : std::optional<size_t>(1);
}

std::vector<Site> find_k_major(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    const auto which = not_k_major(program, step);
    if (!which) continue;
    sites.push_back({StepId(i), step.main, static_cast<uint32_t>(*which),
                     fmt::format("lay the {} operand of the {} that makes `{}` out along K",
                                 *which == 0 ? "left" : "right", program[step.main].spec->name,
                                 program[step.results.back()].name)});
  }
  return sites;
}

Program apply_k_major(const Program& program, const Site& site, const RewriteContext& context) {
  if (site.step.index() >= program.steps.size()) return program;
  const auto which = not_k_major(program, program[site.step]);
  if (which != std::optional<size_t>(site.variant)) return program;
  Edit edit(context.catalog, program);
  const OpId main = program[site.step].main;
  const ValueId operand = program[main].in[*which];
  const bool col = *which == 1 && program[main].spec->name != "linear";
  Attrs attrs;
  attrs.set("layout", std::string(col ? "col" : "row"));
  const auto out = edit.insert(site.step, "to", {operand}, std::move(attrs),
                               {(program[operand].name.empty() ? "t" : program[operand].name) + "_k"});
  if (out.empty()) return program;
  replace_operand(edit.program(), main, operand, out[0]);
  edit.infer();
  return edit.finish(program);
}

// ---- several conversions in one launch

bool plain_conversion(const Program& program, const Step& step) {
  return step.main && step.phase == Phase::run && program[step.main].spec->name == "to" &&
         step.prologue.empty() && step.chain.empty() && step.knobs.empty() &&
         program[step.main].attrs.has("dtype");
}

// Two conversions that one launch can do, and where it stands: the first can wait for the second, or the
// second has its operands early enough.
struct Pair {
  StepId first, second;
  bool late = false;
};

bool can_wait(const Program& program, StepId first, StepId until) {
  return std::ranges::all_of(program[first].results, [&](ValueId value) {
    return std::ranges::all_of(uses_of(program, value), [&](const Use& use) { return use.step > until; });
  });
}

bool ready_before(const Program& program, StepId step, StepId before) {
  return std::ranges::all_of(program[program[step].main].in, [&](ValueId value) {
    const Value& read = program[value];
    return read.kind != ValueKind::computed || (read.def && program[read.def].step < before);
  });
}

// Weights are kept apart, so that each can be prepacked.
std::optional<Pair> pair_of(const Program& program, StepId at) {
  if (!plain_conversion(program, program[at]) || of_params(program, program[at])) return std::nullopt;
  for (size_t i = at.index(); i-- > 0;) {
    const StepId first(i);
    if (!plain_conversion(program, program[first])) continue;
    if (program[program[first].main].attrs != program[program[at].main].attrs) continue;
    if (of_params(program, program[first])) continue;
    if (can_wait(program, first, at)) return Pair{first, at, true};
    if (ready_before(program, at, first)) return Pair{first, at, false};
  }
  return std::nullopt;
}

std::vector<Site> find_conversions(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto pair = pair_of(program, StepId(i));
    if (!pair) continue;
    sites.push_back({StepId(i), program.steps[i].main, 0,
                     fmt::format("convert `{}` in the launch that converts `{}`",
                                 program[program.steps[i].results[0]].name,
                                 program[program[pair->first].results[0]].name)});
  }
  return sites;
}

Program apply_conversions(const Program& program, const Site& site, const RewriteContext& context) {
  const auto pair = site.step.index() < program.steps.size() ? pair_of(program, site.step) : std::nullopt;
  if (!pair) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  const OpId into = out[pair->first].main;
  const OpId from = out[pair->second].main;
  out[into].in.insert(out[into].in.end(), out[from].in.begin(), out[from].in.end());
  out[into].out.insert(out[into].out.end(), out[from].out.begin(), out[from].out.end());
  Step joined = out[pair->first];
  joined.results = out[into].out;
  for (const ValueId id : joined.results) out[id].def = into;
  out[pair->late ? pair->second : pair->first] = std::move(joined);
  edit.erase(pair->late ? pair->first : pair->second);
  edit.infer();
  return edit.finish(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "prepack",
     .summary = "compute what depends on weights alone once, when they are loaded",
     .claim = Claim::exact,
     .cause = Cause::prepack,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_prepack,
     .apply = apply_prepack},
    {.id = "k-major",
     .summary = "copy an f32 operand so that it runs along K: the only way that TF32 is multiplied",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 2,
     .find = find_k_major,
     .apply = apply_k_major},
    {.id = "merge-conversions",
     .summary = "convert several tensors in one launch",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_conversions,
     .apply = apply_conversions},
};

}  // namespace

std::span<const RewriteSpec> movement_rows() { return kRows; }

}  // namespace uc::rewrites
