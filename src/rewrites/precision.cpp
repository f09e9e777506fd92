// Less accurate forms that the run's licence allows: the fastest multiplier needs them.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "rewrites/support/edit.h"

namespace uc::rewrites {
namespace {

constexpr std::array<DType, 2> kHalf{DType::f16, DType::bf16};

Precision precision_for(DType type) { return type == DType::f16 ? Precision::f16 : Precision::bf16; }

// ---- the header: f32 data multiplied as TF32

std::vector<Site> find_tf32(const Program& program, const RewriteContext& context) {
  if (program.precision != Precision::strict || context.allowed == Precision::strict) return {};
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!is_product_step(program, step) || program[program[step.main].in[0]].dtype != DType::f32) continue;
    return {{StepId(i), step.main, 0, "multiply f32 data as TF32"}};
  }
  return {};
}

Program apply_tf32(const Program& program, const Site&, const RewriteContext&) {
  Program out = program;
  out.precision = Precision::tf32;
  return out;
}

// ---- operands in 16 bits

// What a product or attention multiplies: all operands, but that a mask of attention is no number. Nothing
// where a score is an expression over the operands.
std::span<const ValueId> multiplied(const Program& program, const Step& step) {
  const std::span<const ValueId> in = program[step.main].in;
  if (is_product_step(program, step)) return in;
  constexpr size_t kQkv = 3;
  const bool plain =
      is_attention_step(program, step) && step.prologue.empty() && in.size() >= kQkv &&
      std::ranges::all_of(in.subspan(kQkv), [&](ValueId id) { return program[id].dtype == DType::boolean; });
  return plain ? in.first(kQkv) : std::span<const ValueId>();
}

bool lowerable(const Program& program, const Step& step) {
  if (!step.main || step.knob("math") != nullptr) return false;
  const auto operands = multiplied(program, step);
  return !operands.empty() &&
         std::ranges::all_of(operands, [&](ValueId id) { return program[id].dtype == DType::f32; });
}

std::vector<Site> find_half(const Program& program, const RewriteContext& context) {
  std::vector<Site> sites;
  for (size_t type = 0; type < kHalf.size(); ++type) {
    if (!allows(context.allowed, kHalf[type])) continue;
    for (size_t i = 0; i < program.steps.size(); ++i) {
      const Step& step = program.steps[i];
      if (!lowerable(program, step)) continue;
      sites.push_back({StepId(i), step.main, static_cast<uint32_t>(type),
                       fmt::format("multiply in {} in the {} that makes `{}`", name(kHalf[type]),
                                   program[step.main].spec->name, program[step.results.back()].name)});
    }
  }
  return sites;
}

// A conversion of the same value to the same type that stands before.
ValueId converted_before(const Program& program, ValueId value, DType type, StepId before) {
  for (size_t i = 0; i < before.index(); ++i) {
    const Step& step = program.steps[i];
    if (!step.main || program[step.main].spec->name != "to" || !step.chain.empty() || !step.prologue.empty())
      continue;
    const Op& op = program[step.main];
    for (size_t k = 0; k < op.in.size(); ++k) {
      if (op.in[k] == value && program[op.out[k]].dtype == type && op.attrs == dtype_attr(type))
        return op.out[k];
    }
  }
  return {};
}

// A step before that only lays the value out anew, for this step alone: it can convert on the way.
OpId layout_copy(const Program& program, ValueId value, StepId reader) {
  const StepId at = step_of(program, value);
  if (!at || is_returned(program, value)) return {};
  const Step& step = program[at];
  const Op& op = program[step.main];
  const bool alone = step.chain.empty() && step.prologue.empty() && op.in.size() == 1 && op.out.size() == 1;
  const bool copies = op.spec->result_type == OpSpec::ResultType::attr_dtype && op.attrs.has("layout") &&
                      !op.attrs.has("dtype");
  const auto uses = uses_of(program, value);
  const bool here = std::ranges::all_of(uses, [reader](const Use& use) { return use.step == reader; });
  return alone && copies && here ? step.main : OpId{};
}

class Lowering {
 public:
  Lowering(const RewriteContext& context, const Program& program, StepId step, DType type)
      : edit_(context.catalog, program), step_(step), type_(type) {}

  Program run(const Program& otherwise) {
    Program& program = edit_.program();
    if (!allows(program.precision, type_)) program.precision = precision_for(type_);
    const auto multiplied_here = multiplied(program, program[step_]);
    const std::vector<ValueId> operands(multiplied_here.begin(), multiplied_here.end());
    // Params are converted apart from what changes with every call, so that they can be prepacked.
    convert(operands, true);
    convert(operands, false);
    const std::vector<DType> before = result_types();
    edit_.infer();
    keep_types(before);
    return edit_.finish(otherwise);
  }

 private:
  void convert(const std::vector<ValueId>& operands, bool params) {
    Program& program = edit_.program();
    std::vector<ValueId> in;
    std::vector<std::string> names;
    for (const ValueId value : operands) {
      if (program[value].params_only != params || std::ranges::find(in, value) != in.end()) continue;
      if (const ValueId known = converted_before(program, value, type_, step_)) {
        replace_operand(program, program[step_].main, value, known);
        continue;
      }
      if (const OpId copy = layout_copy(program, value, step_)) {
        program[copy].attrs.set("dtype", type_);
        continue;
      }
      in.push_back(value);
      names.push_back((program[value].name.empty() ? "t" : program[value].name) +
                      (type_ == DType::f16 ? "_h" : "_b"));
    }
    if (in.empty()) return;
    const std::vector<ValueId> out = edit_.insert(step_, "to", in, dtype_attr(type_), names);
    step_ = StepId(step_.index() + 1);
    for (size_t i = 0; i < out.size(); ++i) replace_operand(program, program[step_].main, in[i], out[i]);
  }

  std::vector<DType> result_types() {
    std::vector<DType> out;
    for (const ValueId id : edit_.program()[step_].results) out.push_back(edit_.program()[id].dtype);
    return out;
  }

  // What the step stores keeps its type: stores say theirs, and the chain ends with a conversion.
  void keep_types(const std::vector<DType>& before) {
    Program& program = edit_.program();
    Step& step = program[step_];
    for (size_t i = 0; i + 1 < step.results.size(); ++i) {
      if (program[step.results[i]].dtype != before[i])
        program[program[step.results[i]].def].attrs.set("dtype", before[i]);
    }
    const ValueId last = step.results.back();
    if (program[last].dtype == before.back()) return;
    const auto widened = edit_.op("to", {last}, dtype_attr(before.back()));
    if (!widened) return;
    Step& same = program[step_];  // the operator's value may have moved the steps' memory
    for (size_t i = 0; i < program.steps.size(); ++i) {
      for (const OpId op : ops_of(program.steps[i])) {
        if (i != step_.index()) replace_operand(program, op, last, *widened);
      }
    }
    std::ranges::replace(program.results, last, *widened);
    program[*widened].name = program[last].name;
    program[last].name.clear();
    same.chain.push_back({{program[*widened].def}, false, {}});
    same.results.back() = *widened;
    edit_.infer();
  }

  Edit edit_;
  StepId step_;
  DType type_;
};

Program apply_half(const Program& program, const Site& site, const RewriteContext& context) {
  if (site.step.index() >= program.steps.size() || !lowerable(program, program[site.step])) return program;
  return Lowering(context, program, site.step, kHalf[site.variant]).run(program);
}

// ---- roundings that nothing asks for

// `>> to(f16) >> relu()`: the value was rounded where it once went to memory.
struct Rounding {
  size_t call = 0;
};

std::optional<Rounding> find_inner(const Program& program, const Step& step) {
  if (!holds_one_value(step)) return std::nullopt;
  for (size_t i = 0; i + 1 < step.chain.size(); ++i) {
    const Step::Call& call = step.chain[i];
    if (call.ops.size() != 1) continue;
    const Op& op = program[call.ops[0]];
    const auto* type = op.attrs.find("dtype");
    const bool converts =
        op.spec->result_type == OpSpec::ResultType::attr_dtype && !op.spec->stores && type != nullptr;
    if (converts && is_floating(std::get<DType>(*type)) && is_floating(program[op.in[0]].dtype))
      return Rounding{i};
  }
  return std::nullopt;
}

std::vector<Site> find_rounding(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (!find_inner(program, step)) continue;
    sites.push_back({StepId(i), step.main, 0,
                     fmt::format("keep `{}` unrounded inside its chain", program[step.results.back()].name)});
  }
  return sites;
}

Program apply_rounding(const Program& program, const Site& site, const RewriteContext& context) {
  const auto inner =
      site.step.index() < program.steps.size() ? find_inner(program, program[site.step]) : std::nullopt;
  if (!inner) return program;
  Edit edit(context.catalog, program);
  Program& out = edit.program();
  const std::vector<ValueId> results = out[site.step].results;
  std::vector<DType> before;
  for (const ValueId id : results) before.push_back(out[id].dtype);
  const Op rounding = out[out[site.step].chain[inner->call].ops[0]];
  for (const Step::Call& call : out[site.step].chain) {
    for (const OpId op : call.ops) replace_operand(out, op, rounding.out[0], rounding.in[0]);
  }
  Step& step = out[site.step];
  step.chain.erase(step.chain.begin() + static_cast<std::ptrdiff_t>(inner->call));
  edit.infer();
  for (size_t i = 0; i < results.size(); ++i) {
    if (out[results[i]].dtype == before[i]) continue;
    Op& def = out[out[results[i]].def];
    if (def.spec->result_type != OpSpec::ResultType::attr_dtype)
      return program;  // the rounding also chose the type
    def.attrs.set("dtype", before[i]);
  }
  edit.infer();
  return edit.finish(program);
}

constexpr RewriteSpec kRows[] = {
    {.id = "use-tf32",
     .summary = "multiply f32 data as TF32 on the tensor cores",
     .claim = Claim::precision,
     .cause = Cause::precision,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_tf32,
     .apply = apply_tf32},
    {.id = "lower-precision",
     .summary =
         "convert the f32 operands of a contraction or attention to f16 or bf16; accumulate and store in f32",
     .claim = Claim::precision,
     .cause = Cause::precision,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_half,
     .apply = apply_half},
    {.id = "drop-rounding",
     .summary = "do not round in the middle of a chain what no longer goes to memory there",
     .claim = Claim::precision,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find_rounding,
     .apply = apply_rounding},
};

}  // namespace

std::span<const RewriteSpec> precision_rows() { return kRows; }

}  // namespace uc::rewrites
