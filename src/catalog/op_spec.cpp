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

}  // namespace uc
