#include "ops/detail/product_structure.h"

#include <algorithm>
#include <string_view>

namespace uc::ops {
namespace {

enum class Triangle : uint8_t { none, lower, upper, diagonal };

bool has(const Value& value, std::string_view word) {
  const auto among = [word](const std::vector<std::string>& words) {
    return std::ranges::find(words, word) != words.end();
  };
  return among(value.structure) || (value.observed && among(value.observed->structure));
}

Triangle flipped(Triangle triangle) {
  return triangle == Triangle::lower   ? Triangle::upper
         : triangle == Triangle::upper ? Triangle::lower
                                       : triangle;
}

Triangle said(const Value& value) {
  return has(value, "diag")    ? Triangle::diagonal
         : has(value, "lower") ? Triangle::lower
         : has(value, "upper") ? Triangle::upper
                               : Triangle::none;
}

int64_t rows_of(const Value& value) { return value.shape[value.shape.size() - 2]; }
int64_t row_stride(const Value& value) { return value.stride[value.stride.size() - 2]; }

// What makes 0 of 0, element by element.
constexpr std::string_view kKeepsZero[] = {"relu",       "relu6", "neg",   "abs",  "square",  "sqrt",
                                           "tanh",       "gelu",  "silu",  "mish", "to",      "erf",
                                           "leaky_relu", "elu",   "expm1", "sin",  "softsign"};

// Of what an operator cuts from a matrix, whatever makes 0 of 0 behind it.
Triangle made(const Program& program, const Value& value, int depth = 0) {
  constexpr int kDeepest = 8;
  if (!value.def || depth > kDeepest || program[value.def].in.empty()) return said(value);
  const Op& op = program[value.def];
  const std::string_view name = op.spec->name;
  if (name == "tril" && op.attrs.get_int("diagonal", 0) <= 0) return Triangle::lower;
  if (name == "triu" && op.attrs.get_int("diagonal", 0) >= 0) return Triangle::upper;
  const auto scales = [&](size_t k) { return program[op.in[k]].kind == ValueKind::literal; };
  const bool by_number = op.in.size() == 2 && (name == "div" || name == "mul") && scales(1);
  const bool keeps =
      by_number || (op.in.size() == 1 && std::ranges::find(kKeepsZero, name) != std::end(kKeepsZero));
  return keeps ? made(program, program[op.in[0]], depth + 1) : said(value);
}

// Of the matrix that an operand is; a view of the whole of another one, straight or transposed, has that
// one's.
Triangle triangle_of(const Program& program, const Value& value) {
  const Value& root = program[value.root];
  if (const Triangle own = made(program, value); own != Triangle::none || &root == &value) return own;
  if (root.shape.size() < 2 || value.offset != root.offset || numel(root.shape) != numel(value.shape))
    return Triangle::none;
  if (rows_of(root) != rows_of(value) || root.shape.back() != value.shape.back()) return Triangle::none;
  if (row_stride(value) == row_stride(root) && value.stride.back() == root.stride.back())
    return made(program, root);
  const bool swapped = row_stride(value) == root.stride.back() && value.stride.back() == row_stride(root);
  return swapped ? flipped(made(program, root)) : Triangle::none;
}

// Share of multiply-adds that structure leaves, of operands seen as [M, K] and [K, N]; one with a triangle is
// square, n is its extent.
double share_left(Triangle a, Triangle b, double n) {
  if (a == Triangle::diagonal || b == Triangle::diagonal) {
    const Triangle other = a == Triangle::diagonal ? b : a;
    if (other == Triangle::diagonal) return 1 / (n * n);
    return other == Triangle::none ? 1 / n : (n + 1) / (2 * n * n);
  }
  if (a == Triangle::none && b == Triangle::none) return 1;
  if (a == Triangle::none || b == Triangle::none) return (n + 1) / (2 * n);
  return a == b ? (n + 1) * (n + 2) / (6 * n * n) : (n + 1) * (2 * n + 1) / (6 * n * n);
}

// Whether an operand is the same along dimension `d` of the result, counted from the end.
bool same_along(const Value& operand, size_t d) {
  if (d >= operand.shape.size()) return true;
  const size_t at = operand.shape.size() - 1 - d;
  return operand.shape[at] == 1 || operand.stride[at] == 0;
}

// Batch dimensions along which both operands are the same. (One with no such dimension has none of them in
// its memory: of rank 2, all rows share the matrix, and that is no repetition.)
double equal_batches(const Value& a, const Value& b, const Shape& result) {
  double out = 1;
  for (size_t d = 2; d < result.size(); ++d) {
    if (same_along(a, d) && same_along(b, d)) out *= static_cast<double>(result[result.size() - 1 - d]);
  }
  return out;
}

// The same elements in the same places: b read as [N, K] is a read as [M, K].
bool is_own_transpose(const Value& a, const Value& b, bool b_is_nk) {
  if (a.root != b.root || a.offset != b.offset || a.shape.size() != b.shape.size()) return false;
  Shape shape = b.shape;
  Strides stride = b.stride;
  if (!b_is_nk) {
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    std::swap(stride[stride.size() - 1], stride[stride.size() - 2]);
  }
  return shape == a.shape && stride == a.stride;
}

}  // namespace

Work product_work(const Program& program, const Op& op, bool b_is_nk) {
  const Value& a = program[op.in[0]];
  const Value& b = program[op.in[1]];
  const Shape& result = program[op.out[0]].shape;
  const auto k = static_cast<double>(a.shape.back());
  Work work{.tensor_flops = 2.0 * static_cast<double>(numel(result)) * k};
  double minimum = work.tensor_flops;
  const auto leaves = [&](double share, const WorkRule& rule) {
    if (share >= 1) return;
    minimum *= share;
    work.minimum_flops = minimum;
    work.reduced_by = &rule;
  };
  if (result.size() < 2 || a.shape.size() < 2 || b.shape.size() < 2 || minimum == 0) return work;
  leaves(1 / equal_batches(a, b, result), work_rules::kBroadcastBatch);
  const int64_t m = result[result.size() - 2];
  const int64_t n = result.back();
  if (a.stride[a.stride.size() - 2] == 0) leaves(1 / static_cast<double>(m), work_rules::kEqualRows);
  const Strides& columns = b.stride;
  if (columns[columns.size() - (b_is_nk ? 2 : 1)] == 0)
    leaves(1 / static_cast<double>(n), work_rules::kEqualRows);
  if (m == n && work.reduced_by == nullptr && is_own_transpose(a, b, b_is_nk))
    leaves((static_cast<double>(n) + 1) / (2 * static_cast<double>(n)), work_rules::kSymmetricProduct);
  const Triangle left = m == a.shape.back() ? triangle_of(program, a) : Triangle::none;
  const Triangle right = n == a.shape.back() ? triangle_of(program, b) : Triangle::none;
  leaves(share_left(left, b_is_nk ? flipped(right) : right, k), work_rules::kTriangular);
  return work;
}

}  // namespace uc::ops
