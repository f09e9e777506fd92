#include "ir/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/number.h"

namespace uc {
namespace {

constexpr std::array<DTypeInfo, 11> kInfos{{
    {DType::f64, "f64", 8, DTypeClass::floating, "double", "double", "torch.float64"},
    {DType::f32, "f32", 4, DTypeClass::floating, "float", "float", "torch.float32"},
    {DType::f16, "f16", 2, DTypeClass::floating, "__half", "cutlass::half_t", "torch.float16"},
    {DType::bf16, "bf16", 2, DTypeClass::floating, "__nv_bfloat16", "cutlass::bfloat16_t", "torch.bfloat16"},
    {DType::f8e4m3, "f8e4m3", 1, DTypeClass::floating, "__nv_fp8_e4m3", "cutlass::float_e4m3_t",
     "torch.float8_e4m3fn"},
    {DType::f8e5m2, "f8e5m2", 1, DTypeClass::floating, "__nv_fp8_e5m2", "cutlass::float_e5m2_t",
     "torch.float8_e5m2"},
    {DType::i8, "i8", 1, DTypeClass::integer, "int8_t", "int8_t", "torch.int8"},
    {DType::u8, "u8", 1, DTypeClass::integer, "uint8_t", "uint8_t", "torch.uint8"},
    {DType::i32, "i32", 4, DTypeClass::integer, "int32_t", "int32_t", "torch.int32"},
    {DType::i64, "i64", 8, DTypeClass::integer, "int64_t", "int64_t", "torch.int64"},
    {DType::boolean, "bool", 1, DTypeClass::boolean, "bool", "bool", "torch.bool"},
}};

// Bits of significand (with the hidden one), least normal exponent, largest finite value.
struct FloatFormat {
  int digits;
  int min_exponent;
  double largest;
  bool has_infinity;
};

FloatFormat format_of(DType type) {
  switch (type) {
    case DType::f16: return {11, -14, 65504.0, true};
    case DType::bf16: return {8, -126, 3.3895313892515355e38, true};
    case DType::f8e4m3: return {4, -6, 448.0, false};
    case DType::f8e5m2: return {3, -14, 57344.0, true};
    default: return {24, -126, 3.4028234663852886e38, true};
  }
}

double round_float(const FloatFormat& format, double value) {
  if (!std::isfinite(value) || value == 0.0) {
    return std::isinf(value) && !format.has_infinity ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| = [0.5, 1) * 2^exponent
  const int quantum = std::max(exponent - 1, format.min_exponent) - (format.digits - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  if (std::abs(rounded) <= format.largest) return rounded;
  if (!format.has_infinity) return std::numeric_limits<double>::quiet_NaN();
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

// A float to an integer of `bits` bits: to 64 of them, then the low ones, as a two-step C conversion does.
double wrap_integer(double value, int bits, bool is_signed) {
  const int64_t whole = to_integer(value);
  if (bits == 64) return static_cast<double>(whole);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const uint64_t low = static_cast<uint64_t>(whole) & mask;
  if (is_signed && (low >> (bits - 1)) != 0) return static_cast<double>(static_cast<int64_t>(low | ~mask));
  return static_cast<double>(low);
}

int float_rank(DType type) {
  switch (type) {
    case DType::f64: return 4;
    case DType::f32: return 3;
    case DType::f16:
    case DType::bf16: return 2;
    default: return 1;
  }
}

DType promote_floats(DType a, DType b) {
  if (a == b) return a;
  if (float_rank(a) != float_rank(b)) return float_rank(a) > float_rank(b) ? a : b;
  return DType::f32;  // f16 with bf16, or the two f8 types
}

DType promote_integers(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::i64 || b == DType::i64) return DType::i64;
  if (a == DType::i32 || b == DType::i32) return DType::i32;
  return (a == DType::boolean)   ? b
         : (b == DType::boolean) ? a
                                 : DType::i32;  // i8 with u8: torch gives i16; i32 here
}

}  // namespace

std::span<const DTypeInfo> all_dtypes() { return kInfos; }

const DTypeInfo& info(DType type) { return kInfos[static_cast<size_t>(type)]; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (const DTypeInfo& row : kInfos) {
    if (row.name == text) return row.type;
  }
  return std::nullopt;
}

std::optional<DType> parse_torch_dtype(std::string_view text) {
  for (const DTypeInfo& row : kInfos) {
    if (row.torch == text) return row.type;
  }
  return std::nullopt;
}

DType promote(DType a, DType b) {
  if (is_floating(a) && is_floating(b)) return promote_floats(a, b);
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  return promote_integers(a, b);
}

DType compute_type(DType type) {
  if (type == DType::f64) return DType::f64;
  return is_floating(type) ? DType::f32 : DType::i64;
}

double round_to(DType type, double value) {
  switch (type) {
    case DType::f64: return value;
    case DType::f32: return static_cast<double>(static_cast<float>(value));
    case DType::f16:
    case DType::bf16:
    case DType::f8e4m3:
    case DType::f8e5m2: return round_float(format_of(type), value);
    case DType::i8: return wrap_integer(value, 8, true);
    case DType::u8: return wrap_integer(value, 8, false);
    case DType::i32: return wrap_integer(value, 32, true);
    case DType::i64: return wrap_integer(value, 64, true);
    case DType::boolean: return value != 0.0 ? 1.0 : 0.0;
  }
  return value;
}

}  // namespace uc
