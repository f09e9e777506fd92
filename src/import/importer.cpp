#include "import/importer.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "import/graph_context.h"

namespace uc {
namespace {

bool row_major_strides(const GraphTensor& tensor) {
  const Strides dense = row_major(tensor.shape);
  for (size_t i = 0; i < dense.size(); ++i) {
    if (tensor.shape[i] != 1 && dense[i] != tensor.stride[i]) return false;
  }
  return true;
}

class GraphImport {
 public:
  GraphImport(const Catalog& catalog, const Graph& graph, Imported& out)
      : catalog_(catalog), graph_(graph), out_(out), context_(catalog, graph, out.program, out.diags) {}

  void run() {
    for (const GraphMutation& mutation : graph_.mutates) mutated(graph_[mutation.tensor]);
    declare();
    for (const GraphOp& op : graph_.ops) import(op);
    returns();
    if (out_.ok()) drop_dead();
  }

 private:
  // What a module counts in a buffer beside its results is none of them: programs leave it.
  void mutated(const GraphTensor& tensor) {
    if (tensor.role == TensorRole::buffer) {
      out_.not_updated.push_back(tensor.module.empty() ? tensor.name : tensor.module);
    } else {
      note(fmt::format("mutation of `{}`", tensor.name), "the problem writes into an input or parameter", {});
    }
  }

  void note(std::string what, std::string why, const std::string& module) {
    for (Unsupported& seen : out_.unsupported) {
      if (seen.what != what || seen.why != why) continue;
      ++seen.count;
      return;
    }
    out_.unsupported.push_back({std::move(what), std::move(why), module, 1});
  }

  void declare() {
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const GraphTensorId id(i);
      switch (graph_[id].role) {
        case TensorRole::input: given(ValueKind::input, id); break;
        case TensorRole::param:
        case TensorRole::buffer: given(ValueKind::param, id); break;
        case TensorRole::scalar: scalar(id); break;
        case TensorRole::constant: constant(id); break;
        case TensorRole::value: break;
      }
    }
  }

  void given(ValueKind kind, GraphTensorId id) {
    ValueId value = context_.declare(kind, id);
    Value& declared = out_.program[value];
    // A view at an offset, or a broadcast one, has no form as a declaration; dense memory in another order
    // has.
    const GraphTensor& tensor = graph_[id];
    if (row_major_strides(tensor)) declared.stride = row_major(tensor.shape);
    out_.tensors.emplace(declared.name, id);
  }

  // A number that capture wrote into the operators' arguments needs no declaration.
  void scalar(GraphTensorId id) {
    const GraphTensor& tensor = graph_[id];
    if (tensor.facts && tensor.facts->baked) return;
    const ValueId value = context_.declare(ValueKind::scalar, id);
    out_.tensors.emplace(out_.program[value].name, id);
  }

  void constant(GraphTensorId id) {
    const GraphTensor& tensor = graph_[id];
    if (tensor.shape.empty() && tensor.data) {
      context_.bind(id, context_.literal(tensor.data->at(0), !is_floating(tensor.dtype)));
    } else if (used(id)) {
      note(fmt::format("constant `{}` of {}", tensor.name, to_text(tensor.shape)), "programs hold no arrays",
           tensor.module);
    }
  }

  static bool mentions(const GraphArg& arg, GraphTensorId id) {
    if (const auto* tensor = arg.as<GraphTensorId>()) return *tensor == id;
    const auto* list = arg.as<GraphArgs>();
    return list != nullptr &&
           std::ranges::any_of(*list, [id](const GraphArg& item) { return mentions(item, id); });
  }

  bool used(GraphTensorId id) const {
    return std::ranges::any_of(graph_.ops, [id](const GraphOp& op) {
      return std::ranges::any_of(op.args, [id](const GraphArg& arg) { return mentions(arg, id); }) ||
             std::ranges::any_of(op.kwargs, [id](const auto& arg) { return mentions(arg.second, id); });
    });
  }

  // True when every tensor that the argument names has a value.
  bool readable(const GraphArg& arg) const {
    if (const auto* tensor = arg.as<GraphTensorId>()) return context_.value_of(*tensor).has_value();
    const auto* list = arg.as<GraphArgs>();
    return list == nullptr ||
           std::ranges::all_of(*list, [this](const GraphArg& item) { return readable(item); });
  }

  void import(const GraphOp& op) {
    const AtenImport* row = catalog_.aten(op.target);
    if (row == nullptr)
      return note(
          op.target,
          op.random ? "it draws random numbers, which stay with PyTorch" : "no operator imports it yet",
          op.module);
    const bool inputs =
        std::ranges::all_of(op.args, [this](const GraphArg& arg) { return readable(arg); }) &&
        std::ranges::all_of(op.kwargs, [this](const auto& arg) { return readable(arg.second); });
    if (!inputs) return;  // of something noted before
    const size_t errors = out_.diags.error_count();
    if (row->build(context_, op) || out_.diags.error_count() != errors) return;
    note(op.target, op.random ? "it draws random numbers, which stay with PyTorch" : "not in this form",
         op.module);
  }

  // Results are made by steps, once each: what is given, or returned twice, is copied.
  void returns() {
    Program& program = out_.program;
    for (const GraphTensorId id : graph_.outputs) {
      auto value = context_.value_of(id);
      if (!value) continue;
      const bool given = program[program[*value].root].kind != ValueKind::computed;
      const bool twice = std::ranges::find(program.results, *value) != program.results.end();
      if (program[*value].kind == ValueKind::literal) {
        note("a constant result", "programs return what they compute", {});
        continue;
      }
      if (given || twice) {
        Attrs attrs;
        attrs.set("layout", std::string("row"));
        value = context_.apply("to", {*value}, std::move(attrs));
      }
      if (value) program.results.push_back(*value);
    }
    if (graph_.outputs.empty()) note("no result", "the problem returns no tensor", {});
  }

  void drop_dead() {
    Program& program = out_.program;
    std::set<ValueId> live(program.results.begin(), program.results.end());
    std::vector<Step> kept;
    for (size_t i = program.steps.size(); i-- > 0;) {
      Step& step = program.steps[i];
      if (std::ranges::none_of(step.results, [&](ValueId id) { return live.contains(id); })) continue;
      for (const OpId op : ops_of(step)) live.insert(program[op].in.begin(), program[op].in.end());
      kept.push_back(std::move(step));
    }
    refuse_state(live);
    std::ranges::reverse(kept);
    program.steps = std::move(kept);
    for (size_t i = 0; i < program.steps.size(); ++i) {
      for (const OpId op : ops_of(program.steps[i])) program[op].step = StepId(i);
    }
  }

  // A program has no memory from call to call: a result of what every call writes would be wrong from the
  // second one on.
  void refuse_state(const std::set<ValueId>& live) {
    for (const GraphMutation& mutation : graph_.mutates) {
      const auto read = std::ranges::find_if(out_.program.params, [&](ValueId id) {
        const auto from = out_.tensors.find(out_.program[id].name);
        return live.contains(id) && from != out_.tensors.end() && from->second == mutation.tensor;
      });
      if (read != out_.program.params.end())
        note(fmt::format("state in `{}`", out_.program[*read].name),
             "a result depends on a buffer that every call writes", {});
    }
  }

  const Catalog& catalog_;
  const Graph& graph_;
  Imported& out_;
  GraphContext context_;
};

}  // namespace

Imported import_graph(const Catalog& catalog, const Graph& graph, const ImportOptions& options) {
  Imported out;
  out.program.name = options.name;
  out.program.target = options.target;
  out.program.precision = options.precision;
  GraphImport(catalog, graph, out).run();
  return out;
}

Error import_error(const Imported& imported, const std::string& problem) {
  std::vector<std::string> parts;
  for (const Unsupported& each : imported.unsupported) {
    parts.push_back(each.count == 1 ? fmt::format("{} ({})", each.what, each.why)
                                    : fmt::format("{} ({}; {} times)", each.what, each.why, each.count));
  }
  for (const Diag& diag : imported.diags.sorted()) parts.push_back(diag.message);
  return {fmt::format("{} cannot be imported: {}", problem, fmt::join(parts, ", ")),
          "problems made of matrix products and pointwise operators can be; `ucutlass explain` lists the "
          "operators",
          1};
}

}  // namespace uc
