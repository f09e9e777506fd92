// Sums and means through what is linear: the reduction of a product is the product of a reduced operand.
#include <algorithm>
#include <span>

#include "rewrites/support/averaged_attention.h"
#include "rewrites/support/reduced_convolution.h"
#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

constexpr int kDeepest = 16;

// Which dimensions of an operand meet `dims` of the result that it broadcasts to.
struct Part {
  DimSet own;        // dimensions of the operand with extents above 1
  double count = 1;  // product of the result's extents along which the operand is broadcast
};

Part part_of(const Shape& operand, const Shape& result, const DimSet& dims) {
  Part out;
  const size_t lead = result.size() - operand.size();
  for (const size_t dim : dims) {
    if (dim >= lead && operand[dim - lead] == result[dim]) {
      out.own.push_back(dim - lead);
    } else {
      out.count *= static_cast<double>(result[dim]);
    }
  }
  return out;
}

// Makes sums (or means) of a value with the reduced dimensions kept as extents of 1, when somewhere below a
// product becomes smaller by it. Every operator on the way is read by nothing else, or the product stays.
class ThroughLinear {
 public:
  ThroughLinear(Simplifier& s, std::string_view name) : s_(s), name_(name) {}

  std::optional<ValueId> push(ValueId x, const DimSet& dims, int depth = 0) {
    const OpId id = s_.maker(x);
    if (!id || depth > kDeepest || !s_.read_once(x) || extent_of(s_[x].shape, dims) == 1) return std::nullopt;
    const Op& op = s_[id];
    const std::string_view name = op.spec->name;
    if (name == "gemm" || name == "linear") return product(op, dims, name == "linear");
    if (op.spec->family == "conv") return reduced_convolution(s_, op, name_, dims);
    if (name == "add" || name == "sub") return sum_of(op, dims, depth);
    if (name == "mul" || name == "div") return scaled(op, dims, depth);
    if (name == "neg") return unary(op, dims, depth);
    if (name == "attention") return averaged_attention(s_, op, name_, dims);
    if (name == "to" && op.in.size() == 1 && s_[op.in[0]].dtype == s_[x].dtype)
      return push(op.in[0], dims, depth + 1);  // a copy in another order
    if (name == "reshape") return reordered(op, dims, depth);
    if (name == "unsqueeze" || name == "squeeze" || name == "permute" || name == "transpose")
      return viewed(op, dims, depth);
    return std::nullopt;
  }

 private:
  bool sums() const { return name_ == "sum"; }

  // The reduction of an operand of a sum: pushed below where that helps, else taken of it as it is.
  std::optional<ValueId> part(ValueId x, const Shape& result, const DimSet& dims, int depth, bool& pushed) {
    const Part own = part_of(s_[x].shape, result, dims);
    std::optional<ValueId> out = x;
    if (!own.own.empty()) {
      out = push(x, own.own, depth + 1);
      pushed = pushed || out.has_value();
      if (!out) out = reduced(s_, name_, x, own.own);
    }
    if (!out || !sums() || own.count == 1) return out;
    if (s_[x].kind == ValueKind::literal) return s_.literal(s_[x].literal * own.count);
    return s_.op("mul", {*out, s_.literal(own.count)});
  }

  std::optional<ValueId> sum_of(const Op& op, const DimSet& dims, int depth) {
    const Shape& shape = s_[op.out[0]].shape;
    bool pushed = false;
    const auto a = part(op.in[0], shape, dims, depth, pushed);
    const auto b = a ? part(op.in[1], shape, dims, depth, pushed) : std::nullopt;
    return b && pushed ? s_.op(op.spec->name, {*a, *b}) : std::nullopt;
  }

  // x * c and x / c, where c is the same along the reduced dimensions.
  std::optional<ValueId> scaled(const Op& op, const DimSet& dims, int depth) {
    const Shape& shape = s_[op.out[0]].shape;
    for (size_t k = 0; k < (op.spec->name == "mul" ? 2U : 1U); ++k) {
      const ValueId factor = op.in[1 - k];
      const Part of_x = part_of(s_[op.in[k]].shape, shape, dims);
      if (!part_of(s_[factor].shape, shape, dims).own.empty() || of_x.count != 1) continue;
      const auto x = push(op.in[k], of_x.own, depth + 1);
      if (!x) continue;
      return s_.op(op.spec->name, k == 0 ? std::vector{*x, factor} : std::vector{factor, *x});
    }
    return std::nullopt;
  }

  std::optional<ValueId> unary(const Op& op, const DimSet& dims, int depth) {
    const auto x = push(op.in[0], dims, depth + 1);
    return x ? s_.op(op.spec->name, {*x}) : std::nullopt;
  }

  std::optional<ValueId> viewed(const Op& op, const DimSet& dims, int depth) {
    const auto from = dims_before(op);
    DimSet before;
    for (const size_t dim : dims) {
      if (from[dim]) before.push_back(*from[dim]);
    }
    std::ranges::sort(before);
    const auto x = push(op.in[0], before, depth + 1);
    return x ? s_.op(op.spec->name, {*x}, op.attrs) : std::nullopt;
  }

  // Dimensions that are split or joined stay apart from those that are reduced.
  std::optional<ValueId> reordered(const Op& op, const DimSet& dims, int depth) {
    const Shape& from = s_[op.in[0]].shape;
    Shape to = s_[op.out[0]].shape;
    DimSet before;
    for (const size_t dim : dims) {
      const int64_t outside = numel(Shape(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(dim)));
      int64_t passed = 1;
      size_t at = 0;
      while (at < from.size() && (passed < outside || from[at] == 1)) passed *= from[at++];
      if (passed != outside || at == from.size() || from[at] != to[dim]) return std::nullopt;
      before.push_back(at);
    }
    const auto x = push(op.in[0], before, depth + 1);
    for (const size_t dim : dims) to[dim] = 1;
    return x ? reshaped(s_, *x, to) : std::nullopt;
  }

  // Of each dimension of a view the dimension of its operand; none of an extent that it adds.
  std::vector<std::optional<size_t>> dims_before(const Op& op) const {
    const size_t rank = s_[op.in[0]].shape.size();
    std::vector<std::optional<size_t>> out;
    for (size_t i = 0; i < rank; ++i) out.emplace_back(i);
    const auto at = [](int64_t dim, size_t of) {
      return static_cast<std::ptrdiff_t>(dim < 0 ? dim + static_cast<int64_t>(of) : dim);
    };
    const std::string_view name = op.spec->name;
    if (name == "unsqueeze") out.insert(out.begin() + at(op.attrs.get_int("dim", 0), rank + 1), std::nullopt);
    if (name == "squeeze") out.erase(out.begin() + at(op.attrs.get_int("dim", 0), rank));
    if (name == "transpose" || name == "permute") {
      const AttrValue* attr = op.attrs.find("dims");
      const auto dims =
          attr == nullptr ? std::vector<int64_t>{-2, -1} : std::get<std::vector<int64_t>>(*attr);
      if (name == "transpose") {
        std::swap(out[static_cast<size_t>(at(dims[0], rank))], out[static_cast<size_t>(at(dims[1], rank))]);
      } else {
        for (size_t i = 0; i < rank; ++i) out[i] = static_cast<size_t>(at(dims[i], rank));
      }
    }
    return out;
  }

  // Rows are summed in A, columns in B, a batch dimension that only one of them has in that one.
  std::optional<ValueId> product(const Op& op, const DimSet& dims, bool b_is_nk) {
    const size_t rank = s_[op.out[0]].shape.size();
    const Shape& a = s_[op.in[0]].shape;
    const Shape& b = s_[op.in[1]].shape;
    DimSet of_a, of_b, left;
    for (const size_t dim : dims) {
      const size_t from_end = rank - dim;
      const bool in_a = dim + 1 < rank && from_end <= a.size() && a[a.size() - from_end] > 1;
      const bool in_b = from_end != 2 && from_end <= b.size() && b[b.size() - from_end] > 1;
      if (from_end == 1) {
        of_b.push_back(b.size() - (b_is_nk ? 2 : 1));
      } else if (in_a && (from_end == 2 || !in_b || b.size() == 2)) {
        of_a.push_back(a.size() - from_end);
      } else if (in_b && !in_a) {
        of_b.push_back(b.size() - from_end);
      } else {
        left.push_back(dim);
      }
    }
    std::ranges::sort(of_b);
    if (of_a.empty() && of_b.empty()) return std::nullopt;
    const auto rows = reduced(s_, name_, op.in[0], of_a);
    const auto columns = reduced(s_, name_, op.in[1], of_b);
    const auto y = rows && columns ? s_.op(op.spec->name, {*rows, *columns}) : std::nullopt;
    return y ? reduced(s_, name_, *y, left) : std::nullopt;
  }

  Simplifier& s_;
  std::string_view name_;
};

std::optional<ValueId> reduce_product(Simplifier& s, OpId id) {
  const auto reduction = reduction_of(s, id);
  if (!reduction) return std::nullopt;
  const auto y = ThroughLinear(s, reduction->name).push(reduction->x, reduction->dims);
  return y && !reduction->keepdim ? squeezed(s, *y, reduction->dims) : y;
}

constexpr RewriteSpec kRows[] = {
    simplifying<reduce_product>(
        "sum-of-product",
        "the sum or mean of a product or convolution is one of reduced operands: sum(x @ W, dim=1) is "
        "x @ sum(W, dim=1)",
        "products and convolutions are linear in each operand, so sums over rows, columns and places, and "
        "whatever scales and adds in between, change places with them"),
};

}  // namespace

std::span<const RewriteSpec> reduced_products_rows() { return kRows; }

}  // namespace uc::rewrites
