#include "catalog/program_builder.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "catalog/diags.h"
#include "catalog/infer.h"
#include "catalog/scale.h"

namespace uc {
namespace {

constexpr std::array<std::string_view, 5> kReserved{"it", "true", "false", "inf", "auto"};

bool count_fits(const OpSpec& spec, size_t count) {
  size_t least = 0;
  size_t most = 0;
  bool any = false;
  for (const ParamSpec& param : spec.params) {
    if (!is_operand(param.kind)) continue;
    ++most;
    if (param.required) ++least;
    any = any || param.kind == ParamKind::tensors;
  }
  return count >= least && (any || count <= most);
}

// Whoever reads what is stored with a scale multiplies by it; views carry one number alone.
bool reads_scaled(const Program& program, const Op& op, DiagSink& diags) {
  for (const ValueId in : op.in) {
    const Value& value = program[in];
    if (!value.scale || op.spec->scales) continue;
    if (op.spec->is_view() && numel(program[value.scale].shape) == 1) continue;
    const std::string called = value.name.empty() ? "v" : value.name;
    auto& diag =
        diags.add(kinds::scaled_operand, op.span,
                  fmt::format("`{}` would read {} without its scale", op.spec->name, describe(value)));
    diag.help = op.spec->is_view()
                    ? fmt::format("take the view before `to(..., {}, scale=...)`", name(value.dtype))
                    : fmt::format("multiply it out in a step before: `t = to({}, f32)`", called);
    return false;
  }
  return true;
}

std::optional<std::vector<Value>> infer(const Program& program, Op& op, DiagSink& diags) {
  if (!count_fits(*op.spec, op.in.size())) {
    diags.add(kinds::operand_count, op.span, fmt::format("`{}` with {} tensors", op.spec->name, op.in.size()))
        .help = std::string(op.spec->summary);
    return std::nullopt;
  }
  if (!reads_scaled(program, op, diags)) return std::nullopt;
  InferContext context(program, op, diags);
  const bool good = op.spec->infer != nullptr ? op.spec->infer(context) : infer_pointwise(context);
  return good ? std::optional(context.results()) : std::nullopt;
}

// Whose memory, whose precision, and when: the same for every operator. Of several results (`to(x, y, f16)`)
// each is derived from its own operand.
void settle(const Program& program, const Op& op, size_t which, size_t results, ValueId id, OpId def,
            Value& value) {
  value.kind = ValueKind::computed;
  value.def = def;
  if (!value.root) value.root = id;
  // A scale is no data that is rounded.
  const auto from_f32 = [&](ValueId in) { return program[in].from_f32 && in != value.scale; };
  const bool own = results > 1 && results == op.in.size();
  const bool derived = own ? from_f32(op.in[which]) : std::any_of(op.in.begin(), op.in.end(), from_f32);
  value.from_f32 = derived && value.dtype != DType::boolean;
  value.params_only = !op.spec->drawn && std::all_of(op.in.begin(), op.in.end(),
                                                     [&](ValueId in) { return program[in].params_only; });
}

// What is stored with a scale is read with it in later steps, so that is stored too.
void check_scales(const Program& program, const Step& step, StepId id, DiagSink& diags) {
  for (const ValueId result : step.results) {
    const ValueId scale = program[result].scale;
    if (!scale || !program[scale].def) continue;
    const Op& maker =
        program[program[program[scale].root].def ? program[program[scale].root].def : program[scale].def];
    if (maker.step != id || maker.spec->is_view()) continue;
    diags.add(kinds::scale_shape, program[program[result].def].span, "this scale is not stored").help =
        "compute it in a step before: `s = ...`, then `to(x, f8e4m3, scale=s)`";
  }
}

// Integers of 8 bits and f8 hold little: that a result is one is written (language.md, "Types").
void check_said(const Program& program, const Step& step, StepId id, DiagSink& diags) {
  for (const ValueId result : step.results) {
    const Value& value = program[result];
    if (size_bytes(value.dtype) != 1 || value.dtype == DType::boolean || !value.def) continue;
    const Op& op = program[value.def];
    if (op.spec->is_view() || op.attrs.has("dtype")) continue;
    const OpId source = program[op.in[0]].def;
    const bool in_memory = !source || program[source].step != id;
    if (op.spec->result_type == OpSpec::ResultType::attr_dtype && in_memory)
      continue;  // a copy keeps its type
    diags
        .add(kinds::result_type_unsaid, op.span,
             fmt::format("this would be stored as {} without saying so", name(value.dtype)))
        .help = fmt::format("`>> to({})`, or a wider type such as `>> to({})`", name(value.dtype),
                            is_floating(value.dtype) ? "f16" : "i32");
  }
}

}  // namespace

ValueId ProgramBuilder::declare(ValueKind kind, std::string name, DType dtype, Shape shape, Strides stride,
                                Span span) {
  const ValueId id(program_.values.size());
  Value value;
  value.name = std::move(name);
  value.kind = kind;
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.stride = std::move(stride);
  value.root = id;
  value.from_f32 = kind != ValueKind::scalar && (dtype == DType::f32 || dtype == DType::f64);
  value.params_only = kind == ValueKind::param;
  value.span = span;
  program_.values.push_back(std::move(value));
  if (kind == ValueKind::input) program_.inputs.push_back(id);
  if (kind == ValueKind::param) program_.params.push_back(id);
  if (kind == ValueKind::scalar) program_.scalars.push_back(id);
  return id;
}

ValueId ProgramBuilder::literal(double number, bool is_int, Span span) {
  const ValueId id(program_.values.size());
  Value value;
  value.kind = ValueKind::literal;
  value.dtype = is_int ? DType::i64 : DType::f32;
  value.root = id;
  value.params_only = true;
  value.literal = number;
  value.literal_is_int = is_int;
  value.span = span;
  program_.values.push_back(std::move(value));
  return id;
}

std::optional<OpId> ProgramBuilder::op(const OpSpec& spec, std::vector<ValueId> in, Attrs attrs, Span span) {
  Op op;
  op.spec = &spec;
  op.in = std::move(in);
  op.attrs = std::move(attrs);
  op.span = span;
  auto results = infer(program_, op, diags_);
  if (!results) return std::nullopt;
  const OpId id(program_.ops.size());
  for (size_t i = 0; i < results->size(); ++i) {
    Value& value = (*results)[i];
    const ValueId out(program_.values.size());
    settle(program_, op, i, results->size(), out, id, value);
    value.span = span;
    program_.values.push_back(std::move(value));
    op.out.push_back(out);
  }
  program_.ops.push_back(std::move(op));
  return id;
}

StepId ProgramBuilder::step(Step step) {
  const StepId id(program_.steps.size());
  for (const OpId op : ops_of(step)) program_[op].step = id;
  check_said(program_, step, id, diags_);
  check_scales(program_, step, id, diags_);
  program_.steps.push_back(std::move(step));
  return id;
}

std::string ProgramBuilder::fresh_name(std::string_view base) const {
  std::set<std::string_view> taken(kReserved.begin(), kReserved.end());
  for (const Value& value : program_.values) taken.insert(value.name);
  std::string name(base.empty() ? "t" : base);
  for (int i = 2; taken.contains(name); ++i) name = fmt::format("{}_{}", base.empty() ? "t" : base, i);
  return name;
}

void reinfer(const Catalog&, Program& program, DiagSink& diags) {
  for (const Step& step : program.steps) {
    for (const OpId id : ops_of(step)) {
      Op& op = program[id];
      const auto results = infer(program, op, diags);
      if (!results) continue;
      if (results->size() != op.out.size()) {
        diags.add(kinds::operand_count, op.span,
                  fmt::format("`{}` now gives {} results", op.spec->name, results->size()));
        continue;
      }
      for (size_t i = 0; i < results->size(); ++i) {
        Value value = (*results)[i];
        settle(program, op, i, results->size(), op.out[i], id, value);
        // What a call computes is not there when weights are loaded.
        if (step.phase == Phase::run && !op.spec->is_view()) value.params_only = false;
        value.name = program[op.out[i]].name;
        value.span = program[op.out[i]].span;
        program[op.out[i]] = std::move(value);
      }
    }
  }
}

}  // namespace uc
