#pragma once
// Why: a captured PyTorch problem as values: what import, SOL and the judge read instead of the problem's
// source. The format is docs/schemas/problem.schema.json; python/ucutlass/capture.py writes it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "ir/dtype.h"
#include "ir/host_tensor.h"
#include "ir/shape.h"

namespace uc {

struct GraphTensorTag;
using GraphTensorId = Id<GraphTensorTag>;

/// Who gives a tensor its data. `scalar` is a number that get_inputs passes; `value` is the result of an op.
enum class TensorRole : uint8_t { input, param, buffer, constant, scalar, value };
std::string_view name(TensorRole role);

/// What was seen in a tensor's data. Never a promise: data of another seed may differ.
struct TensorFacts {
  std::string at;  ///< the sizes at which it was seen: "full" or "reduced"
  std::optional<bool> finite;
  std::optional<double> min, max;
  std::optional<double> constant;  ///< the value that all elements have
  double zeros = 0;                ///< share of elements that are zero
  bool diagonal = false, lower = false, upper = false, symmetric = false;  ///< of the last two dimensions
  bool baked = false;  ///< scalar only: its value is written into the ops' arguments
};

struct GraphTensor {
  std::string name;  ///< unique in the graph, an identifier
  TensorRole role = TensorRole::value;
  DType dtype = DType::f32;
  Shape shape;
  Strides stride;        ///< elements
  uint32_t storage = 0;  ///< tensors with equal storage share memory (views, tied weights)
  int64_t offset = 0;    ///< elements from the start of the storage
  std::string
      module;  ///< "gemm.weight" of a param, the producing submodule ("gemm") of a value; may be empty
  std::optional<TensorFacts> facts;
  std::optional<HostTensor> data;  ///< small constants only
  std::optional<double> scalar;    ///< scalar only: the number at capture
};

struct GraphArg;
using GraphArgs = std::vector<GraphArg>;

/// An argument that only PyTorch understands: {"device": "cpu"}, {"memory_format": "channels_last"},
/// {"layout": "strided"}.
struct GraphNamed {
  std::string key, value;
  friend bool operator==(const GraphNamed&, const GraphNamed&) = default;
};

/// One argument of an aten operator. monostate is None.
struct GraphArg {
  std::variant<std::monostate, GraphTensorId, int64_t, double, bool, std::string, DType, GraphNamed,
               GraphArgs>
      value;
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  bool is_none() const { return std::holds_alternative<std::monostate>(value); }
};

struct GraphOp {
  std::string target;                                    ///< "aten.linear.default"
  GraphArgs args;                                        ///< positional, as called
  std::vector<std::pair<std::string, GraphArg>> kwargs;  ///< sorted by name
  std::vector<GraphTensorId> out;                        ///< no thing where the operator gives None
  std::string module;   ///< the submodule that called it; empty for Model itself
  bool random = false;  ///< draws from the random state (dropout in training)

  const GraphArg* kwarg(std::string_view keyword) const;
};

/// After the graph has run, `tensor` (an input or buffer) holds `value`.
struct GraphMutation {
  GraphTensorId tensor, value;
};

/// Ops in order; each reads only what is defined before it, each value is defined once.
struct Graph {
  std::vector<GraphTensor> tensors;
  std::vector<GraphOp> ops;
  std::vector<GraphTensorId> outputs;
  std::vector<GraphMutation> mutates;

  const GraphTensor& operator[](GraphTensorId id) const { return tensors[id.index()]; }
  /// The op that defines a value, or null.
  const GraphOp* producer(GraphTensorId id) const;
};

struct CaseOutput {
  GraphTensorId tensor;
  HostTensor data;                ///< what torch computed on the CPU
  std::optional<HostTensor> f64;  ///< the same from the same data in float64, where the problem lets it
};

/// One recorded run: the data of every input, param, buffer and constant, and torch's outputs in the graph's
/// order.
struct ReducedCase {
  int64_t seed = 0;
  std::string distribution;  ///< "problem" or how the inputs were drawn: "normal(0, 2)"
  std::vector<std::pair<GraphTensorId, HostTensor>> tensors;
  std::vector<CaseOutput> outputs;

  const HostTensor* find(GraphTensorId id) const;
};

/// The problem with its sizes scaled down.
struct ReducedRun {
  std::string scale;  ///< how the sizes were scaled, as text
  Graph graph;
  std::vector<ReducedCase> cases;
};

struct ProblemSource {
  std::string sha256, suite, commit;  ///< empty when unknown
  std::optional<int64_t> level, id;
};

struct ProblemFlags {
  bool train = true;                            ///< Model.training
  bool matmul_tf32 = false, cudnn_tf32 = true;  ///< torch.backends.*.allow_tf32
};

struct CapturedProblem {
  std::string name;
  ProblemSource source;
  std::string torch_version, torch_device;  ///< that made the capture
  ProblemFlags flags;
  Graph graph;
  std::optional<ReducedRun> reduced;
  std::string reduced_missing;  ///< why there is no reduced run
  /// One a graph output: the value that all its elements had in a run at full size, on the problem's own
  /// inputs. Nothing where they differed, are too few to tell, or no such run was recorded.
  std::vector<std::optional<double>> constant_outputs;
};

/// What of a capture is read.
enum class ReadProblem : uint8_t {
  whole,
  graph  ///< all but the reduced run, most of a capture's bytes: `reduced` stays empty and is not checked
};

/// Reads schema ucutlass.problem/1. Everything is checked: ids, order, shapes, dtypes, byte counts. Errors
/// name the place in the JSON ("graph.ops[1].out[0]").
Result<CapturedProblem> read_problem(std::string_view json, ReadProblem what = ReadProblem::whole);

}  // namespace uc
