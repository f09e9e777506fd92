#include "ir/graph.h"

#include <algorithm>

namespace uc {

std::string_view name(TensorRole role) {
  switch (role) {
    case TensorRole::input: return "input";
    case TensorRole::param: return "param";
    case TensorRole::buffer: return "buffer";
    case TensorRole::constant: return "const";
    case TensorRole::scalar: return "scalar";
    case TensorRole::value: return "value";
  }
  return "";
}

const GraphArg* GraphOp::kwarg(std::string_view keyword) const {
  const auto found =
      std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& pair) { return pair.first == keyword; });
  return found == kwargs.end() ? nullptr : &found->second;
}

const GraphOp* Graph::producer(GraphTensorId id) const {
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const GraphOp& op) {
    return std::find(op.out.begin(), op.out.end(), id) != op.out.end();
  });
  return found == ops.end() ? nullptr : &*found;
}

const HostTensor* ReducedCase::find(GraphTensorId id) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const auto& pair) { return pair.first == id; });
  return found == tensors.end() ? nullptr : &found->second;
}

}  // namespace uc
