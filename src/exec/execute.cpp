#include "exec/execute.h"

#include <algorithm>
#include <fmt/format.h>
#include <list>
#include <map>

#include "catalog/infer.h"
#include "catalog/named_dims.h"
#include "catalog/scalar_builder.h"
#include "catalog/scale.h"
#include "exec/interpret.h"
#include "exec/view.h"

namespace uc {
namespace {

/// The last step that reads each value's memory; program.steps.size() for results.
std::vector<size_t> last_readers(const Program& program) {
  std::vector<size_t> last(program.values.size(), 0);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (const OpId op : ops_of(program.steps[i])) {
      for (const ValueId in : program[op].in) {
        last[in.index()] = last[program[in].root.index()] = i;
        if (const ValueId scale = program[in].scale)
          last[scale.index()] = last[program[scale].root.index()] = i;
      }
    }
  }
  for (const ValueId id : program.results)
    last[id.index()] = last[program[id].root.index()] = program.steps.size();
  return last;
}

int64_t bytes_of(const Value& value) {
  return std::min(numel(value.shape), int64_t{1} << 50) * (value.dtype == DType::f64 ? 8 : 4);
}

class Executor {
 public:
  Executor(const Catalog& catalog, const Program& program)
      : catalog_(catalog), program_(program), last_(last_readers(program)) {}

  Result<> bind(std::span<const ValueId> ids, std::span<const HostTensor> tensors, std::string_view what) {
    if (ids.size() != tensors.size()) {
      return fail(fmt::format("{} {}s for a program with {}", tensors.size(), what, ids.size()),
                  fmt::format("give every {} in the order of its declaration", what));
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      const Value& value = program_[ids[i]];
      if (tensors[i].dtype != value.dtype || tensors[i].shape != value.shape) {
        return fail(fmt::format("{} `{}` is {}{}, and the program declares {}{}", what, value.name,
                                name(tensors[i].dtype), to_text(tensors[i].shape), name(value.dtype),
                                to_text(value.shape)));
      }
      memory_.emplace(ids[i], tensors[i]);
    }
    return {};
  }

  Result<> bind_scalars(std::span<const double> scalars) {
    std::vector<HostTensor> tensors;
    for (size_t i = 0; i < std::min(scalars.size(), program_.scalars.size()); ++i) {
      tensors.push_back(HostTensor::zeros(program_[program_.scalars[i]].dtype, {}));
      tensors.back().set(0, scalars[i]);
    }
    return bind(program_.scalars, tensors, "scalar");
  }

  Result<> run() {
    for (size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      for (const OpId id : ops_of(step)) {
        if (auto done = op(program_[id]); !done) return done;
      }
      store(step);
      std::erase_if(memory_, [&](const auto& entry) { return last_[entry.first.index()] <= i; });
    }
    return {};
  }

  std::vector<HostTensor> results() {
    std::vector<HostTensor> out;
    for (const ValueId id : program_.results) out.push_back(memory_.at(id));
    return out;
  }

 private:
  Result<> op(const Op& op) {
    if (op.spec->is_view()) {
      for (const ValueId out : op.out) {
        const Value& view = program_[out];
        const Value& root = program_[view.root];
        memory_[out] = read_view(memory_.at(view.root), root.stride, {view.shape, view.stride, view.offset});
      }
      return {};
    }
    for (const ValueId out : op.out)
      memory_[out] = HostTensor::zeros(program_[out].dtype, program_[out].shape);
    if (op.spec->is_pointwise()) {
      for (size_t which = 0; which < op.out.size(); ++which) pointwise(op, which);
      return {};
    }
    if (op.spec->reference == nullptr) {
      return fail(
          fmt::format("`{}` has no meaning on the CPU: only a GPU runs its source", op.spec->name),
          "give the executor the steps before or after it, or write it with operators of the language");
    }
    std::vector<const HostTensor*> in;
    std::list<HostTensor> numbers;  // literals, as tensors of no dimension
    temporary_.clear();
    for (const ValueId id : op.in) {
      const Value& value = program_[id];
      if (value.kind == ValueKind::literal) {
        const bool wide = compute_type_of(program_, op) == DType::f64;  // literals promote nothing
        const DType real = wide ? DType::f64 : DType::f32;
        numbers.push_back(HostTensor::zeros(value.literal_is_int ? DType::i64 : real, {}));
        numbers.back().set(0, value.literal);
      }
      in.push_back(value.kind == ValueKind::literal ? &numbers.back() : &counted(id));
    }
    std::vector<HostTensor> out;
    for (const ValueId id : op.out) out.push_back(std::move(memory_[id]));
    op.spec->reference(program_, op, in, out);
    for (size_t i = 0; i < out.size(); ++i) memory_[op.out[i]] = std::move(out[i]);
    return {};
  }

  /// Output `which` of an elementwise operator; one with several maps operand i to output i.
  void pointwise(const Op& op, size_t which) {
    HostTensor& out = memory_.at(op.out[which]);
    temporary_.clear();
    Scalar scalar;
    std::vector<LeafData> leaves;
    std::vector<NodeId> args;
    for (size_t i = 0; i < op.in.size(); ++i) {
      if (op.out.size() > 1 && i != which) continue;
      args.push_back(leaf(op, op.in[i], out.shape, scalar, leaves));
    }
    ScalarBuilder builder(catalog_, scalar, compute_type_of(program_, op), out.shape, out.shape);
    const NodeId root = op.spec->scalar(builder, args, op.attrs);
    interpret(scalar, out.shape, leaves, nullptr, std::span(&root, 1), std::span(&out, 1));
  }

  NodeId leaf(const Op& op, ValueId id, const Shape& domain, Scalar& scalar, std::vector<LeafData>& leaves) {
    const Value& value = program_[id];
    const bool literal = value.kind == ValueKind::literal;
    ScalarBuilder builder(catalog_, scalar,
                          literal ? compute_type_of(program_, op) : compute_type(value.dtype));
    if (literal) return builder.constant(value.literal);
    const HostTensor* tensor = &counted(id);
    if (!broadcast(value.shape, domain)) {  // factors of blocks
      temporary_.push_back(spread(*tensor, domain));
      tensor = &temporary_.back();
    }
    const NodeId node = builder.tensor(
        {id, value.dtype, domain, broadcast_strides(tensor->shape, row_major(tensor->shape), domain), 0});
    if (scalar.views.size() > leaves.size()) leaves.push_back({tensor, scalar.views.back().stride, 0});
    return node;
  }

  /// A factor for every element of what they scale.
  static HostTensor spread(const HostTensor& factors, const Shape& shape) {
    const ScaleView view = scale_view(shape, factors.shape, row_major(factors.shape));
    HostTensor out = read_view(factors, row_major(factors.shape), {view.shape, view.stride, 0});
    out.shape = shape;
    return out;
  }

  /// A scale may be a view that a step made for itself.
  HostTensor factors_of(ValueId id) {
    const Value& scale = program_[id];
    if (scale.kind != ValueKind::literal) {
      const Strides& stride = program_[scale.root].stride;
      return read_view(memory_.at(scale.root), stride, {scale.shape, scale.stride, scale.offset});
    }
    HostTensor out = HostTensor::zeros(DType::f32, {});
    out.set(0, scale.literal);
    return out;
  }

  /// What a value counts as: what is stored, times its scale where it has one.
  const HostTensor& counted(ValueId id) {
    const Value& value = program_[id];
    const HostTensor& stored = memory_.at(id);
    if (!value.scale) return stored;
    const HostTensor all = spread(factors_of(value.scale), value.shape);
    HostTensor& out = temporary_.emplace_back(stored);
    auto& data = std::get<std::vector<float>>(out.data);
    for (size_t i = 0; i < data.size(); ++i) data[i] *= std::get<std::vector<float>>(all.data)[i];
    return out;
  }

  /// What a step stores is rounded; what it does not store is gone.
  void store(const Step& step) {
    for (const ValueId id : step.results) {
      if (!program_[step.main].spec->is_view()) round_to_dtype(memory_.at(id));
    }
    for (const OpId op : ops_of(step)) {
      for (const ValueId id : program_[op].out) {
        const bool kept = std::find(step.results.begin(), step.results.end(), id) != step.results.end();
        if (!kept) memory_.erase(id);
      }
    }
  }

  const Catalog& catalog_;
  const Program& program_;
  std::vector<size_t> last_;
  std::map<ValueId, HostTensor> memory_;
  std::list<HostTensor> temporary_;  ///< operands of one operator that are not as they are stored
};

// Named dimensions are what the tensors say.
Result<std::vector<HostTensor>> execute_at(const Catalog& catalog, const Program& program,
                                           std::span<const HostTensor> inputs,
                                           std::span<const HostTensor> params,
                                           std::span<const double> scalars, const ExecuteOptions& options) {
  std::vector<GivenShape> given;
  const auto note = [&given](std::span<const ValueId> ids, std::span<const HostTensor> tensors) {
    for (size_t i = 0; i < std::min(ids.size(), tensors.size()); ++i)
      given.push_back({ids[i], tensors[i].shape});
  };
  note(program.inputs, inputs);
  note(program.params, params);
  auto sizes = sizes_of(program, given);
  if (!sizes) return tl::unexpected(sizes.error());
  DiagSink diags;
  Program sized = at_sizes(catalog, program, *sizes, diags);
  if (diags.has_errors()) {
    return fail(fmt::format("the program does not hold at {}: {}", describe_sizes(program, *sizes),
                            diags.diags().front().message));
  }
  sized.dims.clear();
  return execute(catalog, sized, inputs, params, scalars, options);
}

}  // namespace

Result<std::vector<HostTensor>> execute(const Catalog& catalog, const Program& program,
                                        std::span<const HostTensor> inputs,
                                        std::span<const HostTensor> params, std::span<const double> scalars,
                                        const ExecuteOptions& options) {
  if (!program.dims.empty()) return execute_at(catalog, program, inputs, params, scalars, options);
  int64_t bytes = 0;
  for (const Value& value : program.values) bytes += bytes_of(value);
  if (bytes > options.memory_limit) {
    return fail(
        fmt::format("the program's tensors take {:.1f} GB on the host", static_cast<double>(bytes) / 1e9),
        "run it at smaller sizes, or on the GPU");
  }
  Executor executor(catalog, program);
  for (auto done : {executor.bind(program.inputs, inputs, "input"),
                    executor.bind(program.params, params, "param"), executor.bind_scalars(scalars)}) {
    if (!done) return tl::unexpected(done.error());
  }
  if (auto done = executor.run(); !done) return tl::unexpected(done.error());
  return executor.results();
}

}  // namespace uc
