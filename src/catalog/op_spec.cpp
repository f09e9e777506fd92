#include "catalog/op_spec.h"

namespace uc {

void InferContext::result(DType dtype, Shape shape) {
  Strides stride = row_major(shape);
  result(dtype, std::move(shape), std::move(stride));
}

void InferContext::result(DType dtype, Shape shape, Strides stride) {
  Value value;
  value.dtype = dtype;
  value.shape = std::move(shape);
  value.stride = std::move(stride);
  results_.push_back(std::move(value));
}

void InferContext::view(size_t of, Shape shape, Strides stride, int64_t offset) {
  Value value = in(of);
  value.name.clear();
  value.binding.clear();
  value.structure.clear();
  value.kind = ValueKind::computed;
  value.shape = std::move(shape);
  value.stride = std::move(stride);
  value.offset = offset;
  results_.push_back(std::move(value));
}

std::vector<ValueId> after_call(const Program& program, const Step::Call& call,
                                const std::vector<ValueId>& running) {
  if (!call.out.empty()) return call.out;
  const Op& op = program[call.ops.back()];
  return op.spec->stores ? running : std::vector<ValueId>{op.out.back()};
}

namespace {

// The operand parameter that operand `index` belongs to when none was left out.
size_t in_order(const OpSpec& spec, size_t index) {
  size_t at = 0;
  for (const ParamSpec& param : spec.params) {
    if (!is_operand(param.kind)) continue;
    if (param.kind == ParamKind::tensors || at == index) return at;
    ++at;
  }
  return at;
}

}  // namespace

size_t operand_param(const Op& op, size_t index) {
  const AttrValue* listed = op.attrs.find(kGiven);
  if (listed == nullptr) return in_order(*op.spec, index);
  const auto& params = std::get<std::vector<int64_t>>(*listed);
  return index < params.size() ? static_cast<size_t>(params[index]) : op.spec->params.size();
}

std::vector<size_t> operands(const Op& op, std::string_view name) {
  size_t at = 0;
  std::vector<size_t> out;
  for (const ParamSpec& param : op.spec->params) {
    if (!is_operand(param.kind)) continue;
    for (size_t i = 0; param.name == name && i < op.in.size(); ++i) {
      if (operand_param(op, i) == at) out.push_back(i);
    }
    ++at;
  }
  return out;
}

std::optional<size_t> operand(const Op& op, std::string_view name) {
  const std::vector<size_t> all = operands(op, name);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

std::optional<AttrValue> given(const OpSpec& spec, const std::vector<size_t>& params) {
  std::vector<int64_t> listed;
  bool ordered = true;
  for (size_t i = 0; i < params.size(); ++i) {
    ordered = ordered && in_order(spec, i) == params[i];
    listed.push_back(static_cast<int64_t>(params[i]));
  }
  return ordered ? std::nullopt : std::optional(AttrValue(std::move(listed)));
}

}  // namespace uc
