#include "ops/detail/product_structure.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace uc::ops {
namespace {

enum class Side : uint8_t { all, lower, upper, diagonal };

/// Where a matrix is not zero for sure: of row i the columns up to (lower), from (upper) or at (diagonal)
/// i + shift.
struct Triangle {
  Side side = Side::all;
  int64_t shift = 0;
};

bool has(const Value& value, std::string_view word, Holds holds) {
  const auto among = [word](const std::vector<std::string>& words) {
    return std::ranges::find(words, word) != words.end();
  };
  const bool seen = holds == Holds::observed && value.observed;
  return among(value.structure) || (seen && among(value.observed->structure));
}

Triangle flipped(Triangle triangle) {
  const Side side = triangle.side == Side::lower   ? Side::upper
                    : triangle.side == Side::upper ? Side::lower
                                                   : triangle.side;
  return {side, -triangle.shift};
}

Triangle said(const Value& value, Holds holds) {
  return {has(value, "diag", holds)    ? Side::diagonal
          : has(value, "lower", holds) ? Side::lower
          : has(value, "upper", holds) ? Side::upper
                                       : Side::all};
}

int64_t rows_of(const Value& value) { return value.shape[value.shape.size() - 2]; }
int64_t row_stride(const Value& value) { return value.stride[value.stride.size() - 2]; }

// What makes 0 of 0, element by element.
constexpr std::string_view kKeepsZero[] = {"relu",       "relu6", "neg",   "abs",  "square",  "sqrt",
                                           "tanh",       "gelu",  "silu",  "mish", "to",      "erf",
                                           "leaky_relu", "elu",   "expm1", "sin",  "softsign"};

// Of what an operator cuts from a matrix, whatever makes 0 of 0 behind it.
Triangle made(const Program& program, const Value& value, Holds holds, int depth = 0) {
  constexpr int kDeepest = 8;
  if (!value.def || depth > kDeepest || program[value.def].in.empty()) return said(value, holds);
  const Op& op = program[value.def];
  const std::string_view name = op.spec->name;
  if (name == "tril") return {Side::lower, op.attrs.get_int("diagonal", 0)};
  if (name == "triu") return {Side::upper, op.attrs.get_int("diagonal", 0)};
  const auto scales = [&](size_t k) { return program[op.in[k]].kind == ValueKind::literal; };
  const bool by_number = op.in.size() == 2 && (name == "div" || name == "mul") && scales(1);
  const bool keeps =
      by_number || (op.in.size() == 1 && std::ranges::find(kKeepsZero, name) != std::end(kKeepsZero));
  return keeps ? made(program, program[op.in[0]], holds, depth + 1) : said(value, holds);
}

// Of the matrix that an operand is: its own, or that of the one whose rows and columns it views, straight or
// transposed, from some row and column on.
Triangle triangle_of(const Program& program, const Value& value, Holds holds = Holds::observed) {
  const Value& root = program[value.root];
  const Triangle own = made(program, value, holds);
  if (own.side != Side::all || &root == &value || root.shape.size() < 2) return own;
  const Triangle whole = made(program, root, holds);
  if (whole.side == Side::all || value.shape.size() < 2) return {};
  const int64_t down = row_stride(root);
  const int64_t right = root.stride.back();
  const bool straight = row_stride(value) == down && value.stride.back() == right;
  const bool swapped = row_stride(value) == right && value.stride.back() == down;
  if ((!straight && !swapped) || down <= 0 || right <= 0) return {};
  // Where in its matrix the view begins; matrices lie one after another.
  const int64_t in_matrix =
      (value.offset - root.offset) % (std::max(down * rows_of(root), right * root.shape.back()));
  const int64_t row = down > right ? in_matrix / down : in_matrix % right / down;
  const int64_t column = down > right ? in_matrix % down / right : in_matrix / right;
  const Triangle from{whole.side, whole.shift + row - column};
  return straight ? from : flipped(from);
}

// Pairs of an index of `k` and one of `columns` where B[k, column] is not zero for sure.
double pairs_left(Part::Range k, Part::Range columns, const Triangle& b) {
  if (k.count <= 0 || columns.count <= 0) return 0;
  switch (b.side) {
    case Side::all: return static_cast<double>(k.count) * static_cast<double>(columns.count);
    case Side::lower: return pairs_in_triangle(k, columns, b.shift, false);
    case Side::upper: return pairs_in_triangle(k, columns, b.shift, true);
    case Side::diagonal: {
      const int64_t first = std::max(k.first + b.shift, columns.first);
      return static_cast<double>(std::max<int64_t>(0, std::min(k.end() + b.shift, columns.end()) - first));
    }
  }
  return 0;
}

// Columns of a row that are not zero for sure.
Part::Range columns_of(int64_t row, int64_t extent, const Triangle& a) {
  const int64_t at = row + a.shift;
  const int64_t first =
      a.side == Side::upper || a.side == Side::diagonal ? std::clamp<int64_t>(at, 0, extent) : 0;
  const int64_t end =
      a.side == Side::lower || a.side == Side::diagonal ? std::clamp<int64_t>(at + 1, 0, extent) : extent;
  return {first, std::max<int64_t>(0, end - first)};
}

// Multiply-adds of one matrix [M, K] with one [K, N] that structure leaves: of rows, columns and, where there
// is one, a triangle of the result.
double left(const Part::Range& rows, const Part::Range& columns, const std::optional<Part::Triangle>& result,
            int64_t k, const Triangle& a, const Triangle& b) {
  double out = 0;
  for (int64_t row = rows.first; row < rows.end(); ++row) {
    Part::Range some = columns;
    if (result) {
      const int64_t cut = row + result->diagonal;
      const int64_t first = result->upper ? std::max(some.first, cut) : some.first;
      const int64_t end = result->upper ? some.end() : std::min(some.end(), cut + 1);
      some = {first, std::max<int64_t>(0, end - first)};
    }
    out += pairs_left(columns_of(row, k, a), some, b);
  }
  return out;
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

struct Product {
  const Value& a;
  const Value& b;
  const Shape& result;
  int64_t m, n, k;
  Triangle left, right;  ///< of [M, K] and of [K, N]
  bool own_transpose = false;
};

std::optional<Product> product_of(const Program& program, const Op& op, bool b_is_nk) {
  const Value& a = program[op.in[0]];
  const Value& b = program[op.in[1]];
  const Shape& result = program[op.out[0]].shape;
  if (result.size() < 2 || a.shape.size() < 2 || b.shape.size() < 2 || numel(result) * a.shape.back() == 0)
    return std::nullopt;
  Product out{a, b, result, result[result.size() - 2], result.back(), a.shape.back(), {}, {}};
  out.own_transpose = out.m == out.n && is_own_transpose(a, b, b_is_nk);
  out.left = triangle_of(program, a);
  out.right = b_is_nk ? flipped(triangle_of(program, b)) : triangle_of(program, b);
  return out;
}

bool structured(const Product& product) {
  return product.left.side != Side::all || product.right.side != Side::all;
}

// Of a matrix times its own transpose each pair of rows once.
double distinct_pairs(const Part& part, size_t row, size_t column) {
  const Part::Range rows = part.box[row];
  const Part::Range columns = part.box[column];
  const int64_t both =
      std::max<int64_t>(0, std::min(rows.end(), columns.end()) - std::max(rows.first, columns.first));
  const double twice = static_cast<double>(both) * static_cast<double>(both - 1) / 2;
  const auto all = static_cast<double>(rows.count) * static_cast<double>(columns.count);
  if (!part.triangle) return all - twice;
  const double kept = pairs_in_triangle(rows, columns, part.triangle->diagonal, part.triangle->upper);
  const bool one_side = part.triangle->upper ? part.triangle->diagonal >= 0 : part.triangle->diagonal <= 0;
  return one_side ? kept : std::max(0.0, kept - twice);
}

}  // namespace

Band band_of(const Program& program, const Value& matrix) {
  const Triangle triangle = triangle_of(program, matrix, Holds::always);
  const bool diagonal = triangle.side == Side::diagonal && triangle.shift == 0;
  return {.from_diagonal = diagonal || (triangle.side == Side::upper && triangle.shift >= 0),
          .to_diagonal = diagonal || (triangle.side == Side::lower && triangle.shift <= 0)};
}

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
  const auto product = product_of(program, op, b_is_nk);
  if (!product) return work;
  leaves(1 / equal_batches(a, b, result), work_rules::kBroadcastBatch);
  const auto m = static_cast<double>(product->m);
  const auto n = static_cast<double>(product->n);
  if (a.stride[a.stride.size() - 2] == 0) leaves(1 / m, work_rules::kEqualRows);
  const Strides& columns = b.stride;
  if (columns[columns.size() - (b_is_nk ? 2 : 1)] == 0) leaves(1 / n, work_rules::kEqualRows);
  if (product->own_transpose && work.reduced_by == nullptr)
    leaves((n + 1) / (2 * n), work_rules::kSymmetricProduct);
  if (structured(*product)) {
    const double pairs =
        left({0, product->m}, {0, product->n}, std::nullopt, product->k, product->left, product->right);
    leaves(pairs / (m * n * k), work_rules::kTriangular);
  }
  return work;
}

double product_flops(const Program& program, const Op& op, bool b_is_nk, const Part& part) {
  const Work work = product_work(program, op, b_is_nk);
  const double all = work.minimum_flops.value_or(work.tensor_flops);
  const auto elements = static_cast<double>(numel(program[op.out[0]].shape));
  const auto product = product_of(program, op, b_is_nk);
  const bool own = work.reduced_by == &work_rules::kSymmetricProduct;
  if (!product || elements == 0 || (!structured(*product) && !own))
    return elements == 0 ? 0 : all * part.elements() / elements;
  const size_t row = part.box.size() - 2;
  const size_t column = part.box.size() - 1;
  const bool inner = part.triangle && part.triangle->row == row && part.triangle->column == column;
  if (part.inside < 1 || (part.triangle && !inner)) {
    // Where it is is not known: what is left out may be what takes most.
    return std::max(0.0, all - work.tensor_flops * (1 - part.elements() / elements));
  }
  double matrices = 1;
  for (size_t d = 0; d < row; ++d) matrices *= static_cast<double>(part.box[d].count);
  const double pairs =
      own ? distinct_pairs(part, row, column) * static_cast<double>(product->k)
          : left(part.box[row], part.box[column], part.triangle, product->k, product->left, product->right);
  return std::min(all, 2 * pairs * matrices);
}

Part product_needs(const Program& program, const Op& op, bool b_is_nk, size_t i, const Part& part) {
  const Shape& result = program[op.out[0]].shape;
  const Shape& shape = program[op.in[i]].shape;
  const bool k_first = i == 1 && !b_is_nk;
  Part out = i == 0    ? broadcast_part(part, result, shape, {1})
             : k_first ? broadcast_part(part, result, shape, {2})
                       : projected(part, shape, {static_cast<int>(result.size()) - 1, kAll});
  const auto product = product_of(program, op, b_is_nk);
  if (!product) return out;
  const Triangle other = i == 0 ? flipped(product->right) : product->left;
  if (other.side == Side::all) return out;
  if (part.inside < 1) return Part::none(shape);
  // Of the rows (or columns) that are needed, those with the most.
  const Part::Range own = out.box[out.box.size() - (k_first ? 1 : 2)];
  const Part::Range met = i == 0 ? broadcast_part(part, result, {product->k, product->n}, {2}).box[1]
                                 : broadcast_part(part, result, {product->m, product->k}, {1}).box[0];
  if (own.count == 0 || met.count == 0) return Part::none(shape);
  const Part::Range first = columns_of(met.first, product->k, other);
  const Part::Range last = columns_of(met.end() - 1, product->k, other);
  out.box[out.box.size() - (k_first ? 2 : 1)] = {
      std::min(first.first, last.first),
      std::max(first.end(), last.end()) - std::min(first.first, last.first)};
  return out;
}

}  // namespace uc::ops
