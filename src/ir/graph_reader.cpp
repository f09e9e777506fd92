#include "ir/graph_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace uc {
namespace {

constexpr size_t kMostDims = 32;

bool is_identifier(std::string_view text) {
  return !text.empty() && text.size() <= 256 && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

DType read_dtype(const JsonAt& at) {
  const std::string text = at.text();
  const auto type = parse_dtype(text);
  if (!type) at.fail(fmt::format("unknown dtype `{}`", text));
  return type.value_or(DType::f32);
}

TensorRole read_role(const JsonAt& at) {
  constexpr std::array roles{TensorRole::input,    TensorRole::param,  TensorRole::buffer,
                             TensorRole::constant, TensorRole::scalar, TensorRole::value};
  const std::string text = at.text();
  const auto* found =
      std::find_if(roles.begin(), roles.end(), [&](TensorRole role) { return name(role) == text; });
  if (found != roles.end()) return *found;
  at.fail(fmt::format("unknown role `{}`; one of input param buffer const scalar value", text));
  return TensorRole::value;
}

std::vector<int64_t> read_integers(const JsonAt& at, int64_t low) {
  std::vector<int64_t> values;
  if (at.size() > kMostDims) at.fail(fmt::format("has more than {} dimensions", kMostDims));
  for (size_t i = 0; i < std::min(at.size(), kMostDims); ++i)
    values.push_back(at.item(i).integer(low, kMostElements));
  return values;
}

TensorFacts read_facts(const JsonAt& at) {
  TensorFacts facts;
  const auto number = [&](std::string_view key, std::optional<double>& to) {
    if (const auto field = at.maybe(key)) to = field->number();
  };
  const auto flag = [&](std::string_view key) {
    const auto field = at.maybe(key);
    return field && field->boolean();
  };
  if (const auto field = at.maybe("at")) facts.at = field->text();
  if (const auto field = at.maybe("finite")) facts.finite = field->boolean();
  number("min", facts.min);
  number("max", facts.max);
  number("constant", facts.constant);
  if (const auto field = at.maybe("zeros")) facts.zeros = field->number();
  facts.diagonal = flag("diagonal");
  facts.lower = flag("lower");
  facts.upper = flag("upper");
  facts.symmetric = flag("symmetric");
  facts.baked = flag("baked");
  return facts;
}

/// Reads one graph and checks that it is well formed: dense ids, definitions before uses.
class GraphReader {
 public:
  explicit GraphReader(const JsonAt& at) : at_(at) {}

  Graph read() {
    const JsonAt tensors = at_.field("tensors");
    for (size_t i = 0; i < tensors.size(); ++i) read_tensor(tensors.item(i), i, tensors.size());
    defined_.resize(graph_.tensors.size());
    for (size_t i = 0; i < defined_.size(); ++i) defined_[i] = graph_.tensors[i].role != TensorRole::value;
    const JsonAt ops = at_.field("ops");
    for (size_t i = 0; i < ops.size(); ++i) read_op(ops.item(i), i);
    const JsonAt outputs = at_.field("outputs");
    for (size_t i = 0; i < outputs.size(); ++i) graph_.outputs.push_back(read_use(outputs.item(i)));
    if (outputs.size() == 0) outputs.fail("is empty: a problem has at least one output");
    if (const auto mutates = at_.maybe("mutates")) read_mutations(*mutates);
    const auto loose = std::find(defined_.begin(), defined_.end(), false);
    if (loose != defined_.end()) {
      const auto index = static_cast<size_t>(loose - defined_.begin());
      tensors.item(index).fail(fmt::format("no op gives value `{}`", graph_.tensors[index].name));
    }
    return std::move(graph_);
  }

 private:
  void read_tensor(const JsonAt& at, size_t index, size_t count) {
    if (at.field("id").integer(0, kMostElements) != static_cast<int64_t>(index))
      at.field("id").fail(fmt::format("expected {}, its position", index));
    GraphTensor tensor;
    tensor.name = at.field("name").text();
    if (!is_identifier(tensor.name))
      at.field("name").fail(fmt::format("`{}` is not an identifier", tensor.name));
    if (!names_.insert(tensor.name).second)
      at.field("name").fail(fmt::format("`{}` names two tensors", tensor.name));
    tensor.role = read_role(at.field("role"));
    tensor.dtype = read_dtype(at.field("dtype"));
    tensor.shape = read_integers(at.field("shape"), 0);
    tensor.stride = read_integers(at.field("stride"), 0);
    if (numel(tensor.shape) > kMostElements) at.field("shape").fail("has too many elements");
    if (tensor.stride.size() != tensor.shape.size())
      at.field("stride").fail("has another rank than the shape");
    tensor.storage = static_cast<uint32_t>(at.field("storage").integer(0, static_cast<int64_t>(2 * count)));
    tensor.offset = at.field("offset").integer(0, kMostElements);
    if (const auto module = at.maybe("module")) tensor.module = module->text();
    if (const auto facts = at.maybe("facts")) tensor.facts = read_facts(*facts);
    if (const auto data = at.maybe("data")) tensor.data = read_array(*data, tensor.dtype, tensor.shape);
    if (tensor.role == TensorRole::scalar) tensor.scalar = read_scalar(at.field("value"));
    graph_.tensors.push_back(std::move(tensor));
  }

  static double read_scalar(const JsonAt& at) {
    return at.raw() != nullptr && at.raw()->is_boolean() ? static_cast<double>(at.boolean()) : at.number();
  }

  std::optional<GraphTensorId> read_id(const JsonAt& at) {
    const auto count = static_cast<int64_t>(graph_.tensors.size());
    const int64_t id = at.integer(0, kMostElements);
    if (id >= count) at.fail(fmt::format("there is no tensor {}; the graph has {}", id, count));
    if (id >= count || at.raw() == nullptr) return std::nullopt;
    return GraphTensorId(static_cast<size_t>(id));
  }

  GraphTensorId read_use(const JsonAt& at) {
    const auto id = read_id(at);
    if (!id) return {};
    if (!defined_[id->index()]) at.fail(fmt::format("tensor {} is used before an op gives it", id->index()));
    return *id;
  }

  void read_op(const JsonAt& at, size_t index) {
    if (at.field("id").integer(0, kMostElements) != static_cast<int64_t>(index))
      at.field("id").fail(fmt::format("expected {}, its position", index));
    GraphOp op;
    op.target = at.field("target").text(256);
    if (op.target.empty()) at.field("target").fail("is empty");
    const JsonAt args = at.field("args");
    for (size_t i = 0; i < args.size(); ++i) op.args.push_back(read_arg(args.item(i)));
    at.field("kwargs").each(
        [&](const std::string& key, const JsonAt& value) { op.kwargs.emplace_back(key, read_arg(value)); });
    const JsonAt out = at.field("out");
    for (size_t i = 0; i < out.size(); ++i) op.out.push_back(read_definition(out.item(i)));
    if (const auto module = at.maybe("module")) op.module = module->text();
    if (const auto random = at.maybe("random")) op.random = random->boolean();
    graph_.ops.push_back(std::move(op));
  }

  GraphTensorId read_definition(const JsonAt& at) {
    if (at.raw() != nullptr && at.raw()->is_null()) return {};
    const auto id = read_id(at);
    if (!id) return {};
    if (defined_[id->index()]) at.fail(fmt::format("tensor {} is defined already", id->index()));
    defined_[id->index()] = true;
    return *id;
  }

  GraphArg read_arg(const JsonAt& at) {
    const nlohmann::json* raw = at.raw();
    if (raw == nullptr || raw->is_null()) return {};
    if (raw->is_boolean()) return {at.boolean()};
    if (raw->is_number_integer()) return {at.integer(INT64_MIN, INT64_MAX)};
    if (raw->is_number()) return {at.number()};
    if (raw->is_string()) return {at.text()};
    if (raw->is_object()) return read_tagged(at);
    GraphArgs items;
    for (size_t i = 0; i < at.size(); ++i) items.push_back(read_arg(at.item(i)));
    return {std::move(items)};
  }

  GraphArg read_tagged(const JsonAt& at) {
    const nlohmann::json& raw = *at.raw();
    const std::string key = raw.size() == 1 ? raw.begin().key() : std::string();
    if (key == "t") return {read_use(at.field("t"))};
    if (key == "f") return {at.number()};
    if (key == "dtype") return {read_dtype(at.field("dtype"))};
    if (key == "device" || key == "layout" || key == "memory_format")
      return {GraphNamed{key, at.field(key).text()}};
    at.fail("expected an object with one of t, f, dtype, device, layout, memory_format");
    return {};
  }

  void read_mutations(const JsonAt& at) {
    for (size_t i = 0; i < at.size(); ++i) {
      graph_.mutates.push_back({read_use(at.item(i).field("t")), read_use(at.item(i).field("value"))});
    }
  }

  const JsonAt& at_;
  Graph graph_;
  std::vector<bool> defined_;
  std::set<std::string> names_;
};

}  // namespace

HostTensor read_array(const JsonAt& at, DType dtype, const Shape& shape) {
  if (numel(shape) > kMostElements) return {};  // reported with the shape
  const std::string bytes = at.base64();
  if (const int64_t wanted = numel(shape) * size_bytes(dtype); wanted != static_cast<int64_t>(bytes.size())) {
    at.fail(
        fmt::format("holds {} bytes, but {}{} takes {}", bytes.size(), name(dtype), to_text(shape), wanted));
    return {};
  }
  auto tensor = from_bytes(dtype, shape, bytes);
  if (!tensor) at.fail(tensor.error().message);
  return tensor.value_or(HostTensor{});
}

Graph read_graph(const JsonAt& at) { return GraphReader(at).read(); }

}  // namespace uc
