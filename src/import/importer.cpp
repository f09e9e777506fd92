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
  GraphImport(const Catalog& catalog, const Graph& graph, const ImportOptions& options, Imported& out)
      : catalog_(catalog),
        graph_(graph),
        options_(options),
        out_(out),
        context_(catalog, graph, out.program, out.diags) {
    context_.set_bounds_only(options.bounds_only);
  }

  void run() {
    for (const GraphMutation& mutation : graph_.mutates) mutated(graph_[mutation.tensor]);
    declare();
    for (const GraphOp& op : graph_.ops) import(op);
    returns();
    if (!out_.ok()) return;
    observe_results();
    drop_dead();
  }

 private:
  // What a module counts in a buffer beside its results is none of them: programs leave it.
  void mutated(const GraphTensor& tensor) {
    if (tensor.role == TensorRole::buffer) {
      out_.not_updated.push_back(tensor.module.empty() ? tensor.name : tensor.module);
    } else if (!options_.bounds_only) {  // in bounds it is one more result
      note(fmt::format("mutation of `{}`", tensor.name), "the problem writes into an input or parameter", {});
    }
  }

  void note(std::string what, std::string why, const std::string& module) {
    std::vector<Unsupported>& notes = options_.bounds_only ? out_.opaque : out_.unsupported;
    for (Unsupported& seen : notes) {
      if (seen.what != what || seen.why != why) continue;
      ++seen.count;
      return;
    }
    notes.push_back({std::move(what), std::move(why), module, 1});
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

  // Tensors of one storage are one memory (tied weights): programs declare each, bounds count it once.
  void share(GraphTensorId id, ValueId value) {
    const GraphTensor& tensor = graph_[id];
    for (size_t i = 0; i < id.index(); ++i) {
      const GraphTensor& other = graph_.tensors[i];
      const auto first = context_.value_of(GraphTensorId(i));
      if (other.storage != tensor.storage || other.dtype != tensor.dtype || !first) continue;
      Value& declared = out_.program[value];
      declared.root = out_.program[*first].root;
      declared.offset = tensor.offset - other.offset;
      return;
    }
  }

  static Observed observed(const TensorFacts& facts) {
    Observed out{{}, facts.constant, facts.min, facts.max};
    if (facts.diagonal) out.structure.emplace_back("diag");
    if (facts.lower && !facts.diagonal) out.structure.emplace_back("lower");
    if (facts.upper && !facts.diagonal) out.structure.emplace_back("upper");
    if (facts.symmetric) out.structure.emplace_back("symmetric");
    return out;
  }

  void given(ValueKind kind, GraphTensorId id) {
    ValueId value = context_.declare(kind, id);
    Value& declared = out_.program[value];
    // A view at an offset, or a broadcast one, has no form as a declaration; dense memory in another order
    // has.
    const GraphTensor& tensor = graph_[id];
    if (row_major_strides(tensor)) declared.stride = row_major(tensor.shape);
    if (options_.bounds_only) share(id, value);
    if (tensor.facts) declared.observed = observed(*tensor.facts);
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
    } else if (used(id) && options_.bounds_only) {
      given(ValueKind::param, id);
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
      return unknown(
          op, op.random ? "it draws random numbers, which stay with PyTorch" : "no operator imports it yet");
    const bool inputs =
        std::ranges::all_of(op.args, [this](const GraphArg& arg) { return readable(arg); }) &&
        std::ranges::all_of(op.kwargs, [this](const auto& arg) { return readable(arg.second); });
    if (!inputs) return;  // of something noted before
    const size_t errors = out_.diags.error_count();
    if (row->build(context_, op)) return;
    if (options_.bounds_only) {
      out_.diags = {};  // what went wrong is opaque now
    } else if (out_.diags.error_count() != errors) {
      return;
    }
    unknown(op, op.random ? "it draws random numbers, which stay with PyTorch" : "not in this form");
  }

  void unknown(const GraphOp& op, std::string why) {
    note(op.target, std::move(why), op.module);
    if (options_.bounds_only) opaque(op);
  }

  void operands_of(const GraphArg& arg, std::vector<ValueId>& into) const {
    if (const auto* tensor = arg.as<GraphTensorId>()) into.push_back(context_.value_of(*tensor).value());
    const auto* list = arg.as<GraphArgs>();
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) operands_of((*list)[i], into);
  }

  // Reads all its tensors and writes all its results.
  void opaque(const GraphOp& op) {
    std::vector<ValueId> in;
    for (const GraphArg& arg : op.args) operands_of(arg, in);
    for (const auto& keyword : op.kwargs) operands_of(keyword.second, in);
    std::string types;
    std::vector<int64_t> shapes;
    for (const GraphTensorId id : op.out) {
      if (!id) continue;
      types += fmt::format("{}{}", types.empty() ? "" : " ", name(graph_[id].dtype));
      shapes.push_back(static_cast<int64_t>(graph_[id].shape.size()));
      shapes.insert(shapes.end(), graph_[id].shape.begin(), graph_[id].shape.end());
    }
    if (types.empty()) return;
    Attrs attrs;
    attrs.set("target", op.target);
    attrs.set("out", types);
    attrs.set("out_shape", std::move(shapes));
    const auto made = context_.apply_all("opaque", std::move(in), std::move(attrs));
    for (size_t i = 0, at = 0; i < op.out.size() && at < made.size(); ++i) {
      if (op.out[i]) context_.result(op, i, made[at++]);
    }
  }

  // Results are made by steps, once each: what is given, or returned twice, is copied.
  void returns() {
    Program& program = out_.program;
    for (const GraphTensorId id : graph_.outputs) {
      auto value = context_.value_of(id);
      if (!value) continue;
      const bool given = program[program[*value].root].kind != ValueKind::computed;
      const bool twice = std::ranges::find(program.results, *value) != program.results.end();
      if (program[*value].kind == ValueKind::literal && options_.bounds_only) {
        Attrs attrs;
        attrs.set("shape", graph_[id].shape);
        attrs.set("value", program[*value].literal);
        attrs.set("dtype", graph_[id].dtype);
        value = context_.apply("full", {}, std::move(attrs));
      } else if (program[*value].kind == ValueKind::literal) {
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
    if (options_.bounds_only) writes();
    if (graph_.outputs.empty()) note("no result", "the problem returns no tensor", {});
  }

  // What the problem writes into its inputs and parameters.
  void writes() {
    for (const GraphMutation& mutation : graph_.mutates) {
      const auto value = context_.value_of(mutation.value);
      const bool computed = value && out_.program[*value].def;
      if (computed && graph_[mutation.tensor].role != TensorRole::buffer)
        out_.program.results.push_back(*value);
    }
  }

  void observe_results() {
    for (size_t i = 0; i < graph_.outputs.size() && i < options_.constant_outputs.size(); ++i) {
      if (options_.constant_outputs[i])
        out_.program[out_.program.results[i]].observed = Observed{{}, options_.constant_outputs[i], {}, {}};
    }
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
    if (options_.bounds_only) return;
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
  const ImportOptions& options_;
  Imported& out_;
  GraphContext context_;
};

}  // namespace

Imported import_graph(const Catalog& catalog, const Graph& graph, const ImportOptions& options) {
  Imported out;
  out.program.name = options.name;
  out.program.target = options.target;
  out.program.precision = options.precision;
  GraphImport(catalog, graph, options, out).run();
  return out;
}

Imported import_for_bounds(const Catalog& catalog, const CapturedProblem& problem) {
  return import_graph(catalog, problem.graph,
                      {.name = problem.name,
                       .target = "sm_90a",
                       .precision = Precision::strict,
                       .bounds_only = true,
                       .constant_outputs = problem.constant_outputs});
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
