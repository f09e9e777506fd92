#include "exec/multiply.h"

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <vector>

namespace uc {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Elements from one batch entry to the next along each dimension of `batch`, of an operand with rank `rank`
/// (two of them the matrix) that is contiguous and broadcasts.
Strides batch_strides(const Shape& shape, const Shape& batch) {
  if (shape.size() < 3) return Strides(batch.size(), 0);
  const Shape lead(shape.begin(), shape.end() - 2);
  const Strides all = row_major(shape);
  return broadcast_strides(lead, Strides(all.begin(), all.end() - 2), batch);
}

template <class T>
void multiply_as(const HostTensor& a, const HostTensor& b, bool b_is_nk, const std::vector<T>& av,
                 const std::vector<T>& bv, std::vector<T>& cv, const Shape& out) {
  const int64_t k = a.shape.back();
  const int64_t n = out.back();
  const bool vector = a.shape.size() < 2;
  const int64_t m = vector ? 1 : a.shape[a.shape.size() - 2];
  const Shape batch(out.begin(), out.end() - (vector ? 1 : 2));
  const Strides a_strides = batch_strides(a.shape, batch);
  const Strides b_strides = batch_strides(b.shape, batch);
  for (int64_t l = 0; l < numel(batch); ++l) {
    int64_t a_at = 0;
    int64_t b_at = 0;
    int64_t rest = l;
    for (size_t d = batch.size(); d-- > 0; rest /= batch[d]) {
      a_at += rest % batch[d] * a_strides[d];
      b_at += rest % batch[d] * b_strides[d];
    }
    const Eigen::Map<const Matrix<T>> left(av.data() + a_at, m, k);
    Eigen::Map<Matrix<T>> product(cv.data() + l * m * n, m, n);
    if (b_is_nk) {
      product.noalias() = left * Eigen::Map<const Matrix<T>>(bv.data() + b_at, n, k).transpose();
    } else {
      product.noalias() = left * Eigen::Map<const Matrix<T>>(bv.data() + b_at, k, n);
    }
  }
}

std::vector<float> in_tf32(std::vector<float> values) {
  for (float& value : values) value = round_tf32(value);
  return values;
}

}  // namespace

float round_tf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000U) & 0xffffe000U);
}

void multiply(const HostTensor& a, const HostTensor& b, bool b_is_nk, Math math, HostTensor& out) {
  std::visit(
      [&](const auto& av) {
        using Values = std::decay_t<decltype(av)>;
        const auto& bv = std::get<Values>(b.data);
        auto& cv = std::get<Values>(out.data);
        if constexpr (std::is_same_v<Values, std::vector<float>>) {
          if (math == Math::tf32 && a.dtype == DType::f32) {
            return multiply_as(a, b, b_is_nk, in_tf32(av), in_tf32(bv), cv, out.shape);
          }
        }
        multiply_as(a, b, b_is_nk, av, bv, cv, out.shape);
      },
      a.data);
}

}  // namespace uc
