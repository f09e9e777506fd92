#pragma once
// Why: the primitives that scalar expressions are built from. An activation is NOT a primitive: it is an
// operator row whose expression uses these. A primitive is one row in scalars/.
#include <cstdint>
#include <string_view>

namespace uc {

/// What evaluates one application on the device; the cost model and SOL count these apart.
enum class ScalarUnit : uint8_t { fma, special, integer, none };

/// Integers from `low` to `high`.
struct IntRange {
  int64_t low, high;
};

struct ScalarFn {
  std::string_view name;  ///< "exp"
  uint8_t arity;          ///< 1 to 3
  /// Values in each compute type; a null one means that the primitive is not defined there.
  float (*f32)(float, float, float);
  double (*f64)(double, double, double);
  int64_t (*i64)(int64_t, int64_t, int64_t);
  /// CUDA C++ expression over f32 arguments {0} {1} {2}, using only functions of emit/templates/uc_math.cuh.
  std::string_view cuda;
  double fma_ops;           ///< multiply-add instructions an application takes in f32
  double special_ops;       ///< special-function-unit instructions an application takes in f32
  bool comparison = false;  ///< the result is bool
  /// Of integers whose sizes stay below 2^31: between what the result lies. Null: not known.
  IntRange (*range)(IntRange, IntRange) = nullptr;
  bool chooses = false;  ///< its first argument is a truth value, of any type in CUDA C++
};

}  // namespace uc
