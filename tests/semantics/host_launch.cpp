#include "host_launch.h"

#include <gtest/gtest.h>
#include <map>

#include "exec/interpret.h"
#include "exec/multiply.h"
#include "exec/view.h"

namespace uc::semantics {
namespace {

int64_t extent_of(const Shape& shape, const Strides& stride) {
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * stride[d];
  return last + 1;
}

class Device {
 public:
  explicit Device(const Program& program) : program_(program) {}

  /// Memory that holds `tensor` in the layout of the value.
  void upload(ValueId id, const HostTensor& tensor) {
    const Value& value = program_[id];
    scatter(tensor, {id, value.dtype, value.shape, value.stride, value.offset});
  }

  HostTensor download(ValueId id) {
    const Value& value = program_[id];
    return gather({value.root, value.dtype, value.shape, value.stride, value.offset});
  }

  void run(const Map& map) {
    for (const Map::Body& body : map.bodies) store(body.scalar, body.domain, nullptr);
  }

  void run(const Contraction& kernel) {
    HostTensor accumulator = HostTensor::zeros(kernel.accumulate, {kernel.batch(), kernel.m(), kernel.n()});
    multiply(gather(kernel.a), gather(kernel.b), true, kernel.math, accumulator);
    const LeafData running{&accumulator, row_major(accumulator.shape), 0};
    store(kernel.epilogue, accumulator.shape, &running);
  }

  // The programs that are drawn here are products and elementwise steps; src/compiler/rows_meaning_test.cpp
  // and tests/gpu/emulate_programs.py try these kinds.
  void run(const Rows&) { ADD_FAILURE() << "a kernel over rows"; }
  void run(const Convolution&) { ADD_FAILURE() << "a convolution"; }
  void run(const Attention&) { ADD_FAILURE() << "attention"; }

 private:
  HostTensor& memory(ValueId root) {
    const Value& value = program_[root];
    HostTensor& found = memory_[root];
    if (found.count() == 0 || found.shape.empty())
      found = HostTensor::zeros(value.dtype, {extent_of(value.shape, value.stride)});
    return found;
  }

  HostTensor gather(const View& view) {
    HostTensor& from = memory(view.value);
    return read_view(from, {1}, {view.shape, view.stride, view.offset});
  }

  void scatter(const HostTensor& from, const View& view) {
    HostTensor& to = memory(view.value);
    // Where each element goes: the addresses themselves, read through the view.
    HostTensor addresses = HostTensor::zeros(DType::i64, to.shape);
    for (int64_t i = 0; i < to.count(); ++i)
      std::get<std::vector<int64_t>>(addresses.data)[static_cast<size_t>(i)] = i;
    const HostTensor at = read_view(addresses, {1}, {view.shape, view.stride, view.offset});
    std::visit(
        [&](const auto& values) {
          auto& target = std::get<std::decay_t<decltype(values)>>(to.data);
          const auto& places = std::get<std::vector<int64_t>>(at.data);
          for (size_t i = 0; i < values.size(); ++i) target[static_cast<size_t>(places[i])] = values[i];
        },
        from.data);
  }

  void store(const Scalar& scalar, const Shape& domain, const LeafData* running) {
    std::vector<LeafData> leaves;
    for (const View& view : scalar.views) leaves.push_back({&memory(view.value), view.stride, view.offset});
    std::vector<NodeId> wanted;
    std::vector<HostTensor> out;
    for (const Effect& effect : scalar.effects) {
      wanted.push_back(effect.node);
      out.push_back(HostTensor::zeros(scalar.views[effect.view].dtype, domain));
    }
    interpret(scalar, domain, leaves, running, wanted, out);
    for (size_t i = 0; i < out.size(); ++i) {
      round_to_dtype(out[i]);
      scatter(out[i], scalar.views[scalar.effects[i].view]);
    }
  }

  const Program& program_;
  std::map<ValueId, HostTensor> memory_;
};

}  // namespace

std::vector<HostTensor> run_launches(const Program& program, const std::vector<Launch>& launches,
                                     const ProgramData& data) {
  Device device(program);
  for (size_t i = 0; i < data.inputs.size(); ++i) device.upload(program.inputs[i], data.inputs[i]);
  for (size_t i = 0; i < data.params.size(); ++i) device.upload(program.params[i], data.params[i]);
  for (size_t i = 0; i < data.scalars.size(); ++i) {
    HostTensor number = HostTensor::zeros(program[program.scalars[i]].dtype, {});
    number.set(0, data.scalars[i]);
    device.upload(program.scalars[i], number);
  }
  for (const Launch& launch : launches)
    std::visit([&device](const auto& kernel) { device.run(kernel); }, launch.kernel);
  std::vector<HostTensor> out;
  for (const ValueId id : program.results) out.push_back(device.download(id));
  return out;
}

}  // namespace uc::semantics
