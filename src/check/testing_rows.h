#pragma once
// Why: tests of what the resolver does with row-wise and reducing operators have rows of their own, so that
// they say nothing about the rows that ship.
#include <cmath>
#include <string>

#include "catalog/builtin.h"
#include "catalog/catalog.h"
#include "catalog/infer.h"

namespace uc::testing_rows {

inline constexpr ParamSpec kTotalParams[] = {{"x", ParamKind::tensor},
                                             {"dim", ParamKind::integer, "-1", false},
                                             {"keepdim", ParamKind::boolean, "false", false}};
inline constexpr ParamSpec kShareParams[] = {{"x", ParamKind::tensor}};
inline constexpr ParamSpec kExtremesParams[] = {{"x", ParamKind::tensor}};

inline bool infer_total(InferContext& context) {
  Shape shape = context.in(0).shape;
  const auto dim = dimension(context, context.op().attrs.get_int("dim", -1), shape.size());
  if (!dim) return false;
  if (context.op().attrs.get_bool("keepdim", false)) {
    shape[*dim] = 1;
  } else {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*dim));
  }
  context.result(context.in(0).dtype, shape);
  return true;
}

// Sums along one dimension, elements before and behind it apart.
inline void total(const Program&, const Op& op, std::span<const HostTensor* const> in,
                  std::span<HostTensor> out) {
  const Shape& shape = in[0]->shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t dim = (op.attrs.get_int("dim", -1) + rank) % rank;
  int64_t inner = 1;
  for (auto d = static_cast<size_t>(dim) + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t extent = shape[static_cast<size_t>(dim)];
  for (int64_t i = 0; i < out[0].count(); ++i) {
    double sum = 0;
    for (int64_t k = 0; k < extent; ++k) sum += in[0]->at((i / inner * extent + k) * inner + i % inner);
    out[0].set(i, sum);
  }
}

inline bool infer_same(InferContext& context) {
  context.result(context.in(0).dtype, context.in(0).shape);
  return true;
}

// Each element's share of its row.
inline void share(const Program&, const Op&, std::span<const HostTensor* const> in,
                  std::span<HostTensor> out) {
  const int64_t columns = in[0]->shape.back();
  for (int64_t row = 0; row < out[0].count() / columns; ++row) {
    double sum = 0;
    for (int64_t k = 0; k < columns; ++k) sum += std::abs(in[0]->at(row * columns + k));
    for (int64_t k = 0; k < columns; ++k)
      out[0].set(row * columns + k, in[0]->at(row * columns + k) / (sum + 1));
  }
}

inline bool infer_extremes(InferContext& context) {
  Shape shape = context.in(0).shape;
  shape.pop_back();
  context.result(context.in(0).dtype, shape);
  context.result(context.in(0).dtype, shape);
  return true;
}

inline void extremes(const Program&, const Op&, std::span<const HostTensor* const> in,
                     std::span<HostTensor> out) {
  const int64_t columns = in[0]->shape.back();
  for (int64_t row = 0; row < out[0].count(); ++row) {
    double least = INFINITY;
    double most = -INFINITY;
    for (int64_t k = 0; k < columns; ++k) {
      least = std::min(least, in[0]->at(row * columns + k));
      most = std::max(most, in[0]->at(row * columns + k));
    }
    out[0].set(row, least);
    out[1].set(row, most);
  }
}

inline constexpr OpSpec kRows[] = {{.name = "total",
                                    .summary = "a sum along one dimension",
                                    .family = "reduce",
                                    .params = kTotalParams,
                                    .reduces = true,
                                    .infer = infer_total,
                                    .reference = total},
                                   {.name = "share",
                                    .summary = "row-wise",
                                    .family = "normalise",
                                    .params = kShareParams,
                                    .infer = infer_same,
                                    .reference = share},
                                   {.name = "extremes",
                                    .summary = "two results of a row",
                                    .family = "reduce",
                                    .params = kExtremesParams,
                                    .reduces = true,
                                    .infer = infer_extremes,
                                    .reference = extremes}};

inline const Catalog& catalog() {
  static const Catalog rows = [] {
    Catalog out = builtin_catalog();
    out.add(std::span<const OpSpec>(kRows));
    return out;
  }();
  return rows;
}

}  // namespace uc::testing_rows
