#include "rewrites/support/cut.h"

#include <algorithm>
#include <numeric>

namespace uc::rewrites {
namespace {

std::vector<size_t> order_of(const Op& op, size_t rank) {
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  const AttrValue* attr = op.attrs.find("dims");
  const auto dims = attr == nullptr ? std::vector<int64_t>{-2, -1} : std::get<std::vector<int64_t>>(*attr);
  const auto at = [rank](int64_t dim) {
    return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(rank) : dim);
  };
  if (op.spec->name == "transpose") {
    std::swap(order[at(dims[0])], order[at(dims[1])]);
  } else {
    for (size_t i = 0; i < rank; ++i) order[i] = at(dims[i]);
  }
  return order;
}

class Before {
 public:
  Before(Simplifier& s, const Op& op, const Cut& at) : s_(s), op_(op), at_(at), shape_(s[op.out[0]].shape) {}

  std::optional<ValueId> make() {
    const std::string_view name = op_.spec->name;
    if (op_.spec->is_view()) return viewed(name);
    if (name == "concat") return joined();
    if (name == "linear") return linear();
    if (name == "gemm") return product();
    if (name == "attention") return attention();
    if (name == "to") return converted();
    if (is_any(op_,
               {"layer_norm", "softmax", "log_softmax", "l1_normalize", "l2_normalize", "cumsum", "cumprod"}))
      return rowwise();
    if (is_any(op_, {"sum", "mean", "max", "min", "prod", "logsumexp", "norm1", "norm2", "var"}))
      return reduction();
    if (is_any(op_, {"full", "zeros", "ones"})) return resized(op_.in);
    if (op_.spec->is_pointwise() && !is_any(op_, {"tril", "triu", "index", "arange", "cuda"}))
      return pointwise();
    return std::nullopt;
  }

 private:
  std::optional<ValueId> again(std::vector<ValueId> in, Attrs attrs) {
    return s_.op(op_.spec->name, std::move(in), std::move(attrs));
  }

  // The same operator on the operands, its attribute `shape` as the cut leaves it.
  std::optional<ValueId> resized(std::vector<ValueId> in) {
    Attrs attrs = op_.attrs;
    Shape shape = shape_;
    shape[at_.dim] = at_.count;
    attrs.set("shape", std::move(shape));
    return again(std::move(in), std::move(attrs));
  }

  std::optional<ValueId> first(size_t dim) {
    std::vector<ValueId> in = op_.in;
    const auto x = cut(s_, in[0], {dim, at_.start, at_.count, at_.step});
    if (!x) return std::nullopt;
    in[0] = *x;
    return again(std::move(in), op_.attrs);
  }

  std::optional<ValueId> pointwise() {
    std::vector<ValueId> in;
    for (const ValueId each : op_.in) {
      const Shape& shape = s_[each].shape;
      const size_t lead = shape_.size() - shape.size();
      auto part = std::optional(each);
      if (at_.dim >= lead && shape[at_.dim - lead] == shape_[at_.dim])
        part = cut(s_, each, {at_.dim - lead, at_.start, at_.count, at_.step});
      if (!part) return std::nullopt;
      in.push_back(*part);
    }
    return again(std::move(in), op_.attrs);
  }

  std::optional<ValueId> converted() {
    if (op_.in.size() != 1 || op_.attrs.has("pitch") || op_.attrs.has("channels")) return std::nullopt;
    return first(at_.dim);
  }

  std::optional<ValueId> rowwise() {
    DimSet dims;
    const auto weight = operand(op_, "weight");
    if (op_.spec->name == "layer_norm" && !op_.attrs.has("dim")) {
      const size_t own = weight ? s_[op_.in[*weight]].shape.size() : 1;
      for (size_t i = shape_.size() - own; i < shape_.size(); ++i) dims.push_back(i);
    } else {
      dims = dims_attr(op_, shape_.size());
    }
    return std::ranges::find(dims, at_.dim) == dims.end() ? first(at_.dim) : std::nullopt;
  }

  std::optional<ValueId> reduction() {
    if (op_.in.size() != 1) return std::nullopt;
    const size_t rank = s_[op_.in[0]].shape.size();
    const DimSet dims = dims_attr(op_, rank);
    if (op_.attrs.get_bool("keepdim", false)) return first(at_.dim);
    size_t dim = at_.dim;
    for (const size_t gone : dims) dim += gone <= dim ? 1 : 0;
    return dim < rank ? first(dim) : std::nullopt;
  }

  std::optional<ValueId> linear() {
    if (at_.dim + 1 != shape_.size()) return first(at_.dim);
    const auto weight = cut(s_, op_.in[1], {0, at_.start, at_.count, at_.step});
    return weight ? again({op_.in[0], *weight}, op_.attrs) : std::nullopt;
  }

  // Rows of A, columns of B, a batch entry of whoever has batches.
  std::optional<ValueId> product() {
    std::vector<ValueId> in = op_.in;
    const size_t from_end = shape_.size() - at_.dim;
    for (size_t k = 0; k < 2; ++k) {
      const Shape& shape = s_[in[k]].shape;
      if (from_end == (k == 0 ? 1U : 2U) || from_end > shape.size()) continue;
      const auto part = cut(s_, in[k], {shape.size() - from_end, at_.start, at_.count, at_.step});
      if (!part) return std::nullopt;
      in[k] = *part;
    }
    return again(std::move(in), op_.attrs);
  }

  std::optional<ValueId> attention() {
    if (op_.in.size() != 3 || shape_.size() != 4 || op_.attrs.get_word("layout", "bhsd") != "bhsd")
      return std::nullopt;
    const bool shared = at_.dim == 1 && s_[op_.in[1]].shape[1] != shape_[1];
    if (shared || (at_.dim == 2 && op_.attrs.get_bool("causal", false))) return std::nullopt;
    std::vector<ValueId> in = op_.in;
    for (size_t k = 0; k < 3; ++k) {
      if ((at_.dim == 2 && k != 0) || (at_.dim == 3 && k != 2)) continue;
      const auto part = cut(s_, in[k], at_);
      if (!part) return std::nullopt;
      in[k] = *part;
    }
    return again(std::move(in), op_.attrs);
  }

  std::optional<ValueId> joined() {
    const int64_t attr = op_.attrs.get_int("dim", 0);
    const auto dim = static_cast<size_t>(attr < 0 ? attr + static_cast<int64_t>(shape_.size()) : attr);
    std::vector<ValueId> parts;
    int64_t from = 0;
    const int64_t last = at_.start + (at_.count - 1) * at_.step;
    for (const ValueId each : op_.in) {
      const int64_t extent = s_[each].shape[dim];
      if (dim != at_.dim) {
        const auto part = cut(s_, each, at_);
        if (!part) return std::nullopt;
        parts.push_back(*part);
      } else if (at_.start >= from && last < from + extent) {
        return cut(s_, each, {dim, at_.start - from, at_.count, at_.step});
      }
      from += extent;
    }
    return parts.empty() ? std::nullopt : again(std::move(parts), op_.attrs);
  }

  std::optional<ValueId> viewed(std::string_view name) {
    const size_t rank = s_[op_.in[0]].shape.size();
    const auto named = [&](size_t of) {
      const int64_t dim = op_.attrs.get_int("dim", 0);
      return static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(of) : dim);
    };
    if (name == "permute" || name == "transpose") return first(order_of(op_, rank)[at_.dim]);
    if (name == "unsqueeze") {
      const size_t added = named(rank + 1);
      return added == at_.dim ? std::nullopt : first(at_.dim > added ? at_.dim - 1 : at_.dim);
    }
    if (name == "squeeze") return first(at_.dim >= named(rank) ? at_.dim + 1 : at_.dim);
    if (name == "expand") return stretched();
    if (name == "reshape") return reshaped_before();
    if (name == "slice") return exchanged();
    return std::nullopt;
  }

  std::optional<ValueId> stretched() {
    const Shape& shape = s_[op_.in[0]].shape;
    const size_t lead = shape_.size() - shape.size();
    auto x = std::optional(op_.in[0]);
    if (at_.dim >= lead && shape[at_.dim - lead] != 1)
      x = cut(s_, *x, {at_.dim - lead, at_.start, at_.count, at_.step});
    return x ? resized({*x}) : std::nullopt;
  }

  // Of two slices the one that leaves less comes first.
  std::optional<ValueId> exchanged() {
    const auto inner = cut_of(s_, op_);
    if (!inner || inner->dim == at_.dim) return std::nullopt;
    const Shape& shape = s_[op_.in[0]].shape;
    const double outer_share = static_cast<double>(at_.count) / static_cast<double>(shape[at_.dim]);
    const double inner_share = static_cast<double>(inner->count) / static_cast<double>(shape[inner->dim]);
    return outer_share < inner_share ? first(at_.dim) : std::nullopt;
  }

  std::optional<ValueId> reshaped_before() {
    const auto part = cut_before_reshape(s_[op_.in[0]].shape, shape_, at_);
    const auto x = part ? cut(s_, op_.in[0], *part) : std::nullopt;
    return x ? resized({*x}) : std::nullopt;
  }

  Simplifier& s_;
  const Op& op_;
  const Cut& at_;
  const Shape shape_;
};

// True when something is computed below that becomes less: not views and copies of what is given.
bool computes(const Simplifier& s, OpId op) {
  for (int depth = 0; op && depth < 24; ++depth) {
    const Op& at = s[op];
    if (!at.spec->is_view() && at.spec->name != "to") return true;
    if (at.in.empty()) return false;
    op = s.maker(at.in[0]);
  }
  return false;
}

}  // namespace

std::optional<Cut> cut_of(const Simplifier& s, const Op& slice) {
  const Shape& shape = s[slice.in[0]].shape;
  const int64_t dim = slice.attrs.get_int("dim", 0);
  Cut out;
  out.dim = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim);
  out.step = slice.attrs.get_int("step", 1);
  if (out.step < 1) return std::nullopt;
  const int64_t extent = shape[out.dim];
  const int64_t start = slice.attrs.get_int("start", 0);
  out.start = std::clamp<int64_t>(start < 0 ? start + extent : start, 0, extent);
  out.count = s[slice.out[0]].shape[out.dim];
  return out.count < extent ? std::optional(out) : std::nullopt;
}

std::optional<ValueId> cut(Simplifier& s, ValueId x, const Cut& at) {
  if (s[x].shape[at.dim] == 1) return x;
  Attrs attrs;
  attrs.set("dim", static_cast<int64_t>(at.dim));
  attrs.set("start", at.start);
  attrs.set("end", at.start + (at.count - 1) * at.step + 1);
  if (at.step != 1) attrs.set("step", at.step);
  return s.op("slice", {x}, std::move(attrs));
}

std::optional<ValueId> cut_before(Simplifier& s, OpId op, const Cut& at) {
  if (s[op].out.size() != 1 || !computes(s, op)) return std::nullopt;
  const Op copy = s[op];  // operators are appended
  return Before(s, copy, at).make();
}

}  // namespace uc::rewrites
