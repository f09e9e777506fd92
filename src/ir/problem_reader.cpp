#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ir/graph_reader.h"
#include "ir/json_skim.h"

namespace uc {
namespace {

constexpr std::string_view kSchema = "ucutlass.problem/1";
constexpr int64_t kMostDrawn = int64_t{1} << 26;  // a file of a few bytes must not take all memory

bool has_data(const GraphTensor& tensor) {
  return tensor.role != TensorRole::value && tensor.role != TensorRole::scalar;
}

const GraphTensor* tensor_at(const JsonAt& at, const Graph& graph, GraphTensorId& id) {
  const auto count = static_cast<int64_t>(graph.tensors.size());
  const int64_t index = at.integer(0, kMostElements);
  if (at.raw() == nullptr) return nullptr;
  if (index < count) {
    id = GraphTensorId(static_cast<size_t>(index));
    return &graph[id];
  }
  at.fail(fmt::format("there is no tensor {}; the graph has {}", index, count));
  return nullptr;
}

// offset + scale * u, u uniform on [-1, 1) in steps of 2^-23 from SplitMix64, as capture_cases.py draws it.
HostTensor draw_uniform(const JsonAt& at, const Shape& shape) {
  HostTensor out = HostTensor::zeros(DType::f32, shape);
  auto seed = static_cast<uint64_t>(at.field("seed").integer(0, INT64_MAX));
  const double scale = at.field("scale").number();
  const double offset = at.field("offset").number();
  for (float& value : std::get<std::vector<float>>(out.data)) {
    seed += 0x9e3779b97f4a7c15ULL;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    const double product = scale * ((static_cast<double>(z >> 40) - 0x1p23) * 0x1p-23);
    value = static_cast<float>(offset + product);
  }
  return out;
}

// A tensor's bytes, or the rule that makes them: weights too large to write down.
HostTensor read_data(const JsonAt& at, const GraphTensor& tensor) {
  const auto uniform = at.maybe("uniform");
  const auto constant = at.maybe("constant");
  if (!uniform && !constant) return read_array(at.field("data"), tensor.dtype, tensor.shape);
  if (tensor.dtype != DType::f32 || numel(tensor.shape) > kMostDrawn) {
    at.fail(fmt::format("only f32 data of at most {} elements is given by a rule", kMostDrawn));
    return {};
  }
  if (uniform) return draw_uniform(*uniform, tensor.shape);
  HostTensor out = HostTensor::zeros(DType::f32, tensor.shape);
  std::ranges::fill(std::get<std::vector<float>>(out.data), static_cast<float>(constant->number()));
  return out;
}

void read_case_tensors(const JsonAt& at, const Graph& graph, ReducedCase& into) {
  std::vector<bool> seen(graph.tensors.size());
  for (size_t i = 0; i < at.size(); ++i) {
    GraphTensorId id;
    const GraphTensor* tensor = tensor_at(at.item(i).field("t"), graph, id);
    if (tensor == nullptr) return;
    if (seen[id.index()] || !has_data(*tensor)) {
      return at.item(i).field("t").fail(fmt::format("`{}` has data twice or takes none", tensor->name));
    }
    seen[id.index()] = true;
    into.tensors.emplace_back(id, read_data(at.item(i), *tensor));
  }
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (has_data(graph.tensors[i]) && !seen[i]) {
      return at.fail(fmt::format("has no data of `{}`", graph.tensors[i].name));
    }
  }
}

void read_case_outputs(const JsonAt& at, const Graph& graph, ReducedCase& into) {
  if (at.size() != graph.outputs.size()) {
    return at.fail(fmt::format("has {} outputs, the graph {}", at.size(), graph.outputs.size()));
  }
  for (size_t i = 0; i < at.size(); ++i) {
    CaseOutput output;
    const GraphTensor* tensor = tensor_at(at.item(i).field("t"), graph, output.tensor);
    if (tensor == nullptr) return;
    if (output.tensor != graph.outputs[i])
      return at.item(i).field("t").fail("is not the graph's output at this place");
    output.data = read_array(at.item(i).field("data"), tensor->dtype, tensor->shape);
    if (const auto wide = at.item(i).maybe("f64")) output.f64 = read_array(*wide, DType::f64, tensor->shape);
    into.outputs.push_back(std::move(output));
  }
}

ReducedRun read_reduced(const JsonAt& at) {
  ReducedRun run;
  run.scale = at.field("scale").text();
  const JsonAt graph = at.field("graph");
  run.graph = read_graph(graph);
  const JsonAt cases = at.field("cases");
  for (size_t i = 0; i < cases.size(); ++i) {
    ReducedCase one;
    one.seed = cases.item(i).field("seed").integer(0, INT64_MAX);
    one.distribution = cases.item(i).field("distribution").text();
    read_case_tensors(cases.item(i).field("tensors"), run.graph, one);
    read_case_outputs(cases.item(i).field("outputs"), run.graph, one);
    run.cases.push_back(std::move(one));
  }
  return run;
}

ProblemSource read_source(const JsonAt& at) {
  ProblemSource source;
  source.sha256 = at.field("sha256").text();
  if (const auto suite = at.maybe("suite")) source.suite = suite->text();
  if (const auto commit = at.maybe("commit")) source.commit = commit->text();
  if (const auto level = at.maybe("level")) source.level = level->integer(0, INT32_MAX);
  if (const auto id = at.maybe("id")) source.id = id->integer(0, INT32_MAX);
  return source;
}

// Of a run at full size alone: results that saturate at reduced sizes often do not there, and the other way
// round.
std::vector<std::optional<double>> constant_outputs(const Graph& graph) {
  constexpr int64_t kFewest = 8;  // elements
  std::vector<std::optional<double>> out;
  for (const GraphTensorId id : graph.outputs) {
    const GraphTensor& tensor = graph[id];
    const bool seen = tensor.facts && tensor.facts->at == "full" && numel(tensor.shape) >= kFewest;
    out.push_back(seen ? tensor.facts->constant : std::nullopt);
  }
  return out;
}

CapturedProblem read_top(const JsonAt& top) {
  CapturedProblem problem;
  problem.name = top.field("name").text(256);
  problem.source = read_source(top.field("source"));
  problem.torch_version = top.field("torch").field("version").text();
  problem.torch_device = top.field("torch").field("device").text();
  const JsonAt flags = top.field("flags");
  problem.flags = {flags.field("train").boolean(), flags.field("matmul_tf32").boolean(),
                   flags.field("cudnn_tf32").boolean()};
  const JsonAt graph = top.field("graph");
  problem.graph = read_graph(graph);
  if (const auto reduced = top.maybe("reduced")) problem.reduced = read_reduced(*reduced);
  if (const auto missing = top.maybe("reduced_missing")) problem.reduced_missing = missing->text();
  return problem;
}

}  // namespace

Result<CapturedProblem> read_problem(std::string_view text, ReadProblem what) {
  const std::string help = "make it anew with `ucutlass capture problem.py -o FILE`";
  const std::string_view reduced = json_member(text, "reduced").value_or("");
  std::string cut;
  if (what == ReadProblem::graph && reduced.starts_with('{')) {
    const auto at = static_cast<size_t>(reduced.data() - text.data());
    cut.append(text.substr(0, at)).append("null").append(text.substr(at + reduced.size()));
  }
  auto json = parse_json(cut.empty() ? text : cut);
  if (!json) return fail("capture: " + json.error().message, help);
  JsonFault fault;
  const JsonAt top(&*json, &fault);
  const std::string schema = top.field("schema").text();
  if (!fault && schema != kSchema) {
    return fail(fmt::format("capture: schema is `{}`, this version reads `{}`", schema, kSchema), help);
  }
  CapturedProblem problem = fault ? CapturedProblem{} : read_top(top);
  if (fault) return fail("capture: " + fault.message, help);
  problem.constant_outputs = constant_outputs(problem.graph);
  return problem;
}

}  // namespace uc
