// Products of matrices written element by element: sums of products of two tensors, each broadcast along what
// the other one has.
#include <algorithm>
#include <initializer_list>
#include <span>

#include "rewrites/support/rule.h"

namespace uc::rewrites {
namespace {

ValueId ranked(Simplifier& s, ValueId x, size_t rank) {
  Shape shape(rank - s[x].shape.size(), 1);
  shape.insert(shape.end(), s[x].shape.begin(), s[x].shape.end());
  return reshaped(s, x, shape).value_or(x);
}

// sum(a * b) over dimensions of the result that both broadcast to, as one product; these kept as extents
// of 1.
class Contracted {
 public:
  Contracted(Simplifier& s, Shape result, DimSet dims)
      : s_(s), result_(std::move(result)), dims_(std::move(dims)) {}

  std::optional<ValueId> run(ValueId a, ValueId b) {
    if (s_[a].kind == ValueKind::literal || s_[b].kind == ValueKind::literal) return std::nullopt;
    a = ranked(s_, a, result_.size());
    b = ranked(s_, b, result_.size());
    if (s_[a].shape.size() != result_.size() || s_[b].shape.size() != result_.size() || !sorted(a, b))
      return std::nullopt;
    const auto left = matrix(a, rows_, dims_);
    const auto right = matrix(b, dims_, columns_);
    const auto y = left && right ? s_.op("gemm", {*left, *right}) : std::nullopt;
    return y ? in_order(*y) : std::nullopt;
  }

 private:
  // Where each dimension of the result goes; false unless rows and columns make it less work.
  bool sorted(ValueId a, ValueId b) {
    for (size_t d = 0; d < result_.size(); ++d) {
      const bool in_a = s_[a].shape[d] == result_[d];
      const bool in_b = s_[b].shape[d] == result_[d];
      const bool summed = std::ranges::find(dims_, d) != dims_.end();
      if (summed && (!in_a || !in_b)) return false;
      if (summed) continue;
      (in_a && in_b ? batch_ : in_a ? rows_ : columns_).push_back(d);
    }
    return extent_of(result_, rows_) > 1 && extent_of(result_, columns_) > 1;
  }

  // [batch, of `first`, of `second`]
  std::optional<ValueId> matrix(ValueId x, const DimSet& first, const DimSet& second) {
    std::vector<int64_t> order;
    for (const DimSet* each : std::initializer_list<const DimSet*>{&batch_, &first, &second}) {
      for (const size_t d : *each) order.push_back(static_cast<int64_t>(d));
    }
    for (size_t d = 0; d < result_.size(); ++d) {  // extents of 1
      if (std::ranges::find(order, static_cast<int64_t>(d)) == order.end())
        order.push_back(static_cast<int64_t>(d));
    }
    Attrs attrs;
    attrs.set("dims", order);
    const auto turned = s_.op("permute", {x}, std::move(attrs));
    Shape shape{extent(first), extent(second)};
    if (!batch_.empty()) shape.insert(shape.begin(), extent(batch_));
    return turned ? reshaped(s_, *turned, shape) : std::nullopt;
  }

  int64_t extent(const DimSet& dims) const { return static_cast<int64_t>(extent_of(result_, dims)); }

  std::optional<ValueId> in_order(ValueId y) {
    Shape apart;
    std::vector<size_t> from;
    for (const DimSet* each : std::initializer_list<const DimSet*>{&batch_, &rows_, &columns_, &dims_}) {
      for (const size_t d : *each) {
        apart.push_back(each == &dims_ ? 1 : result_[d]);
        from.push_back(d);
      }
    }
    std::vector<int64_t> order(from.size());
    for (size_t i = 0; i < from.size(); ++i) order[from[i]] = static_cast<int64_t>(i);
    const auto whole = reshaped(s_, y, apart);
    if (!whole || std::ranges::is_sorted(order)) return whole;
    Attrs attrs;
    attrs.set("dims", order);
    return s_.op("permute", {*whole}, std::move(attrs));
  }

  Simplifier& s_;
  Shape result_;
  DimSet dims_, batch_, rows_, columns_;
};

// sum(square(a - b)) is sum(square(a)) + sum(square(b)) - 2 sum(a b).
std::optional<ValueId> distances(Simplifier& s, const Op& minus, const Shape& shape, const DimSet& dims) {
  const auto cross = Contracted(s, shape, dims).run(minus.in[0], minus.in[1]);
  if (!cross) return std::nullopt;
  std::optional<ValueId> sum = s.op("mul", {*cross, s.literal(-2)});
  for (const ValueId each : minus.in) {
    const auto square = s.op("square", {ranked(s, each, shape.size())});
    const auto part = square ? reduced(s, "sum", *square, dims) : std::nullopt;
    sum = sum && part ? s.op("add", {*sum, *part}) : std::nullopt;
  }
  return sum;
}

std::optional<ValueId> contracted(Simplifier& s, OpId id) {
  const auto reduction = reduction_of(s, id);
  if (!reduction || reduction->dims.empty() || !s.read_once(reduction->x)) return std::nullopt;
  const Shape& shape = s[reduction->x].shape;
  const OpId maker = s.maker(reduction->x);
  if (!maker || s[reduction->x].dtype != s[s[id].out[0]].dtype) return std::nullopt;
  const Op& op = s[maker];
  const bool same = op.spec->name == "mul" && op.in[0] == op.in[1];
  std::optional<ValueId> y;
  if (op.spec->name == "square" || same) {
    const OpId minus = s.uses(op.in[0]) == op.in.size() ? s.maker(op.in[0], "sub") : OpId{};
    if (minus) y = distances(s, Op(s[minus]), shape, reduction->dims);
  } else if (op.spec->name == "mul" && s[op.in[0]].dtype == s[op.in[1]].dtype) {
    y = Contracted(s, shape, reduction->dims).run(op.in[0], op.in[1]);
  }
  if (y && reduction->name == "mean") y = s.op("div", {*y, s.literal(extent_of(shape, reduction->dims))});
  return y && !reduction->keepdim ? squeezed(s, *y, reduction->dims) : y;
}

constexpr RewriteSpec kRows[] = {
    simplifying<contracted>(
        "sum-of-broadcast-product",
        "a sum of products of two tensors that are broadcast along each other is a product of matrices; "
        "squared distances are squares and one product",
        "each element is the sum over the same index; (a - b)^2 is a^2 + b^2 - 2 a b"),
};

}  // namespace

std::span<const RewriteSpec> broadcast_products_rows() { return kRows; }

}  // namespace uc::rewrites
