#include "rewrites/support/rule.h"

#include <algorithm>

namespace uc::rewrites {
namespace {

constexpr std::string_view kViews[] = {"reshape", "unsqueeze", "squeeze", "expand",
                                       "permute", "transpose", "slice"};

std::vector<int64_t> integers(const AttrValue& value) {
  if (const auto* one = std::get_if<int64_t>(&value)) return {*one};
  if (const auto* many = std::get_if<std::vector<int64_t>>(&value)) return *many;
  return {};
}

Attrs over(const DimSet& dims) {
  Attrs attrs;
  attrs.set("dim", std::vector<int64_t>(dims.begin(), dims.end()));
  return attrs;
}

}  // namespace

DimSet dims_attr(const Op& op, size_t rank) {
  DimSet out;
  const AttrValue* dims = op.attrs.find("dim");
  if (dims == nullptr) return rank == 0 ? out : DimSet{rank - 1};
  for (const int64_t dim : integers(*dims))
    out.push_back(static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim));
  std::ranges::sort(out);
  return out;
}

std::vector<int64_t> spread(const Op& op, std::string_view key, size_t count, int64_t otherwise) {
  const AttrValue* value = op.attrs.find(key);
  std::vector<int64_t> out = value == nullptr ? std::vector<int64_t>{} : integers(*value);
  if (out.empty()) out.push_back(otherwise);
  if (out.size() == 1) out.resize(count, out[0]);
  return out;
}

std::optional<Reduction> reduction_of(const Simplifier& s, OpId id) {
  const Op& op = s[id];
  if (op.in.size() != 1 || !is_floating(s[op.in[0]].dtype)) return std::nullopt;
  const Shape& shape = s[op.in[0]].shape;
  const std::string_view name = op.spec->name;
  if (name == "sum" || name == "mean")
    return Reduction{std::string(name), op.in[0], dims_attr(op, shape.size()),
                     op.attrs.get_bool("keepdim", false)};
  if (name != "adaptive_avg_pool" || s[op.out[0]].shape.size() != shape.size()) return std::nullopt;
  Reduction out{"mean", op.in[0], {}, true};
  const Shape& pooled = s[op.out[0]].shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == pooled[i]) continue;
    if (pooled[i] != 1) return std::nullopt;
    out.dims.push_back(i);
  }
  return out;
}

std::optional<ValueId> reduced(Simplifier& s, std::string_view name, ValueId x, const DimSet& dims) {
  if (extent_of(s[x].shape, dims) == 1) return x;
  Attrs attrs = over(dims);
  attrs.set("keepdim", true);
  return s.op(name, {x}, std::move(attrs));
}

std::optional<ValueId> squeezed(Simplifier& s, ValueId x, const DimSet& dims) {
  Shape shape;
  for (size_t i = 0; i < s[x].shape.size(); ++i) {
    if (std::ranges::find(dims, i) == dims.end()) shape.push_back(s[x].shape[i]);
  }
  return reshaped(s, x, shape);
}

std::optional<ValueId> reshaped(Simplifier& s, ValueId x, const Shape& shape) {
  if (s[x].shape == shape) return x;
  Attrs attrs;
  attrs.set("shape", shape);
  if (const auto view = s.op("reshape", {x}, attrs)) return view;
  Attrs row;
  row.set("layout", std::string("row"));
  const auto copy = s.op("to", {x}, std::move(row));
  return copy ? s.op("reshape", {*copy}, std::move(attrs)) : std::nullopt;
}

std::optional<ValueId> expanded(Simplifier& s, ValueId x, const Shape& shape) {
  if (s[x].shape == shape) return x;
  Attrs attrs;
  attrs.set("shape", shape);
  return s.op("expand", {x}, std::move(attrs));
}

std::optional<ValueId> filled(Simplifier& s, double number, const Value& like) {
  Attrs attrs;
  attrs.set("shape", like.shape);
  attrs.set("value", number);
  attrs.set("dtype", like.dtype);
  return s.op("full", {}, std::move(attrs));
}

std::optional<double> number_of(const Simplifier& s, ValueId id) {
  for (int depth = 0; depth < 16; ++depth) {
    if (s[id].kind == ValueKind::literal) return s[id].literal;
    const OpId op = s.maker(id);
    if (!op) return std::nullopt;
    const std::string_view name = s[op].spec->name;
    if (name == "zeros") return 0.0;
    if (name == "ones") return 1.0;
    if (name == "full") return s[op].attrs.get_float("value", 0);
    if (std::ranges::find(kViews, name) == std::end(kViews)) return std::nullopt;
    id = s[op].in[0];
  }
  return std::nullopt;
}

bool same_along(const Simplifier& s, ValueId operand, const Shape& result, const DimSet& dims) {
  const Shape& shape = s[operand].shape;
  const size_t lead = result.size() - shape.size();
  return std::ranges::all_of(dims, [&](size_t dim) { return dim < lead || shape[dim - lead] == 1; });
}

double extent_of(const Shape& shape, const DimSet& dims) {
  double out = 1;
  for (const size_t dim : dims) out *= static_cast<double>(shape[dim]);
  return out;
}

}  // namespace uc::rewrites
