#include "import/graph_context.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "ir/layout.h"

namespace uc {
namespace {

// Statement keywords are contextual and could be names, but a program is for reading.
constexpr std::string_view kKeywords[] = {"target", "precision", "name",   "dim",     "input",
                                          "param",  "scalar",    "return", "prepack", "map",
                                          "it",     "true",      "false",  "inf",     "auto"};

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};

constexpr int64_t kMostInteger = 999'999'999'999'999'999;  // the language's integers have 18 digits

// torch writes "to the end" as 2^63 - 1. Arguments that count or index end at a tensor's size, far below
// either.
std::optional<int64_t> as_integer(const GraphArg& arg) {
  if (const auto* whole = arg.as<int64_t>()) return std::clamp(*whole, -kMostInteger, kMostInteger);
  if (const auto* flag = arg.as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

}  // namespace

GraphContext::GraphContext(const Catalog& catalog, const Graph& graph, Program& program, DiagSink& diags)
    : catalog_(catalog),
      graph_(graph),
      program_(program),
      builder_(catalog, program, diags),
      values_(graph.tensors.size()) {
  taken_words_.insert(std::begin(kKeywords), std::end(kKeywords));
  names_.insert({"it", "true", "false", "inf", "auto"});
  for (const std::string_view layout : layout_names()) taken_words_.emplace(layout);
  for (const DTypeInfo& type : all_dtypes()) taken_words_.emplace(type.name);
  for (const OpSpec* spec : catalog.ops()) {
    taken_words_.emplace(spec->name);
    for (const ParamSpec& param : spec->params) {
      for (const std::string_view word : split(param.words, '|')) taken_words_.emplace(word);
    }
  }
}

const GraphArg* GraphContext::argument(const GraphOp& op, size_t index, std::string_view keyword) const {
  if (const GraphArg* named = keyword.empty() ? nullptr : op.kwarg(keyword)) return named;
  return index < op.args.size() ? &op.args[index] : nullptr;
}

std::optional<ValueId> GraphContext::value(const GraphOp& op, size_t index) {
  const GraphArg* arg = argument(op, index, {});
  return arg == nullptr ? std::nullopt : value_of(*arg);
}

std::optional<std::vector<ValueId>> GraphContext::values(const GraphOp& op, size_t index) {
  const GraphArg* arg = argument(op, index, {});
  const auto* list = arg == nullptr ? nullptr : arg->as<GraphArgs>();
  if (list == nullptr) return std::nullopt;
  std::vector<ValueId> out;
  for (const GraphArg& item : *list) {
    const auto each = value_of(item);
    if (!each) return std::nullopt;
    out.push_back(*each);
  }
  return out;
}

std::optional<ValueId> GraphContext::value_of(const GraphArg& arg) {
  return std::visit(
      Overload{[&](GraphTensorId id) { return values_[id.index()]; },
               [&](int64_t whole) {
                 const bool writable =
                     whole >= -kMostInteger && whole <= kMostInteger;  // else as a float: 9.2e18
                 return std::optional(builder_.literal(static_cast<double>(whole), writable));
               },
               [&](double number) { return std::optional(builder_.literal(number, false)); },
               [&](bool flag) { return std::optional(builder_.literal(flag ? 1.0 : 0.0, true)); },
               [](const auto&) { return std::optional<ValueId>(); }},
      arg.value);
}

std::optional<int64_t> GraphContext::integer(const GraphOp& op, size_t index, std::string_view keyword) {
  const GraphArg* arg = argument(op, index, keyword);
  return arg == nullptr ? std::nullopt : as_integer(*arg);
}

std::optional<double> GraphContext::number(const GraphOp& op, size_t index, std::string_view keyword) {
  const GraphArg* arg = argument(op, index, keyword);
  if (arg == nullptr) return std::nullopt;
  if (const auto* number = arg->as<double>()) return *number;
  const auto whole = as_integer(*arg);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<std::string> GraphContext::word(const GraphOp& op, size_t index, std::string_view keyword) {
  const GraphArg* arg = argument(op, index, keyword);
  if (arg == nullptr) return std::nullopt;
  if (const auto* named = arg->as<GraphNamed>()) return named->value;
  const auto* text = arg->as<std::string>();
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::vector<int64_t>> GraphContext::integers(const GraphOp& op, size_t index,
                                                           std::string_view keyword) {
  const GraphArg* arg = argument(op, index, keyword);
  if (arg == nullptr) return std::nullopt;
  std::vector<int64_t> out;
  if (const auto whole = as_integer(*arg)) return std::vector{*whole};
  const auto* list = arg->as<GraphArgs>();
  if (list == nullptr) return std::nullopt;
  for (const GraphArg& item : *list) {
    const auto whole = as_integer(item);
    if (!whole) return std::nullopt;
    out.push_back(*whole);
  }
  return out;
}

std::optional<DType> GraphContext::dtype(const GraphOp& op, size_t index, std::string_view keyword) {
  const GraphArg* arg = argument(op, index, keyword);
  const auto* type = arg == nullptr ? nullptr : arg->as<DType>();
  return type == nullptr ? std::nullopt : std::optional(*type);
}

std::optional<ValueId> GraphContext::apply(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) {
  const auto made = apply_all(op_name, std::move(in), std::move(attrs));
  return made.empty() ? std::nullopt : std::optional(made.back());
}

std::vector<ValueId> GraphContext::apply_all(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) {
  const OpSpec* spec = catalog_.op(op_name);
  if (spec == nullptr) return {};
  Step step;
  step.prologue = std::exchange(inside_, {});
  const auto op = builder_.op(*spec, std::move(in), std::move(attrs));
  if (!op) return {};
  step.main = *op;
  step.results = builder_.program()[*op].out;
  for (const ValueId id : step.results) builder_.program()[id].name = free_name("t");
  std::vector<ValueId> made = step.results;
  builder_.step(std::move(step));
  return made;
}

std::optional<ValueId> GraphContext::inside(std::string_view op_name, std::vector<ValueId> in, Attrs attrs) {
  const OpSpec* spec = catalog_.op(op_name);
  const auto op = spec == nullptr ? std::nullopt : builder_.op(*spec, std::move(in), std::move(attrs));
  if (!op) return std::nullopt;
  inside_.push_back(*op);
  return builder_.program()[*op].out.back();
}

void GraphContext::result(const GraphOp& op, size_t index, ValueId value) {
  if (index >= op.out.size() || !op.out[index]) return;
  const GraphTensorId id = op.out[index];
  // The first captured value that a step makes gives it its name; later ones are aliases of it.
  Value& made = builder_.program()[value];
  const bool named = std::find(values_.begin(), values_.end(), std::optional(value)) != values_.end();
  if (made.kind == ValueKind::computed && !named) {
    release(made.name);
    made.name = free_name(graph_[id].name);
  }
  bind(id, value);
}

ValueId GraphContext::declare(ValueKind kind, GraphTensorId id) {
  const GraphTensor& tensor = graph_[id];
  const ValueId value =
      builder_.declare(kind, free_name(tensor.name), tensor.dtype, tensor.shape, tensor.stride);
  if (kind == ValueKind::param) builder_.program()[value].binding = tensor.module;
  bind(id, value);
  return value;
}

// A temporary name ("t", "t_2") is free again.
void GraphContext::release(const std::string& name) {
  names_.erase(name);
  const auto found = next_.find("t");
  if (found != next_.end() && name.starts_with("t_"))
    found->second = std::min(found->second, std::atoi(name.c_str() + 2));
}

// As ProgramBuilder::fresh_name gives it, without going over all values: base, base_2, base_3, ...
std::string GraphContext::fresh_name(const std::string& base) {
  if (!names_.contains(base)) return base;
  int& next = next_.try_emplace(base, 2).first->second;
  std::string name = base + "_" + std::to_string(next);
  while (names_.contains(name)) name = base + "_" + std::to_string(++next);
  return name;
}

// `linear` is an operator, so a value of that name becomes `linear_1`.
std::string GraphContext::free_name(std::string_view base) {
  const std::string wanted(base.empty() ? "t" : base);
  std::string name = fresh_name(wanted);
  for (int i = 1; taken_words_.contains(name); ++i) name = fresh_name(wanted + "_" + std::to_string(i));
  names_.insert(name);
  return name;
}

}  // namespace uc
