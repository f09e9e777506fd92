#pragma once
// Why: arrays on the host, for the CPU executor, captures and .npy files. Always contiguous in logical order;
// every element is already rounded to `dtype`.
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "ir/dtype.h"
#include "ir/shape.h"

namespace uc {

/// f64 is stored as double, other floats as float, integers and bool as int64_t.
struct HostTensor {
  DType dtype = DType::f32;
  Shape shape;
  std::variant<std::vector<float>, std::vector<double>, std::vector<int64_t>> data;

  static HostTensor zeros(DType dtype, const Shape& shape);
  int64_t count() const { return numel(shape); }
  double at(int64_t index) const;         ///< as a double (exact but for |i64| > 2^53)
  void set(int64_t index, double value);  ///< rounds to dtype
};

/// From raw little-endian bytes in row-major order (as numpy and captures store them). Errors: wrong byte
/// count.
Result<HostTensor> from_bytes(DType dtype, const Shape& shape, std::string_view bytes);
std::string to_bytes(const HostTensor& tensor);

}  // namespace uc
