#include "ir/host_tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "base/number.h"

namespace uc {
namespace {

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// The value of a small float from its bits: sign, `exponent_bits`, `digits - 1` stored significand bits.
double decode_small(uint32_t bits, int width, int exponent_bits, bool ieee_specials) {
  const int mantissa_bits = width - 1 - exponent_bits;
  const uint32_t mantissa = bits & ((1U << mantissa_bits) - 1);
  const uint32_t exponent = (bits >> mantissa_bits) & ((1U << exponent_bits) - 1);
  const uint32_t top = (1U << exponent_bits) - 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (width - 1)) != 0 ? -1.0 : 1.0;
  if (exponent == top && ieee_specials) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == top && !ieee_specials && mantissa == (1U << mantissa_bits) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign *
         std::ldexp(mantissa + (1U << mantissa_bits), static_cast<int>(exponent) - bias - mantissa_bits);
}

uint32_t encode_small(double value, int width, int exponent_bits, bool ieee_specials) {
  const int mantissa_bits = width - 1 - exponent_bits;
  const uint32_t top = ((1U << exponent_bits) - 1) << mantissa_bits;
  const uint32_t sign = std::signbit(value) ? 1U << (width - 1) : 0U;
  if (std::isnan(value)) return top | (ieee_specials ? 1U << (mantissa_bits - 1) : (1U << mantissa_bits) - 1);
  if (std::isinf(value)) return sign | top;
  if (value == 0.0) return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const int stored = exponent - 1 + bias;
  if (stored <= 0) return sign | static_cast<uint32_t>(std::ldexp(std::abs(value), bias - 1 + mantissa_bits));
  const auto mantissa =
      static_cast<uint32_t>(std::ldexp(fraction, mantissa_bits + 1)) - (1U << mantissa_bits);
  return sign | (static_cast<uint32_t>(stored) << mantissa_bits) | mantissa;
}

double decode(DType type, const char* at) {
  switch (type) {
    case DType::f64: return load<double>(at);
    case DType::f32: return load<float>(at);
    case DType::f16: return decode_small(load<uint16_t>(at), 16, 5, true);
    case DType::bf16: return decode_small(load<uint16_t>(at), 16, 8, true);
    case DType::f8e4m3: return decode_small(load<uint8_t>(at), 8, 4, false);
    case DType::f8e5m2: return decode_small(load<uint8_t>(at), 8, 5, true);
    case DType::i8: return load<int8_t>(at);
    case DType::u8: return load<uint8_t>(at);
    case DType::i32: return load<int32_t>(at);
    case DType::i64: return static_cast<double>(load<int64_t>(at));
    case DType::boolean: return load<uint8_t>(at) != 0 ? 1.0 : 0.0;
  }
  return 0.0;
}

void encode(DType type, double value, std::string& out) {
  switch (type) {
    case DType::f64: return append(out, value);
    case DType::f32: return append(out, static_cast<float>(value));
    case DType::f16: return append(out, static_cast<uint16_t>(encode_small(value, 16, 5, true)));
    case DType::bf16: return append(out, static_cast<uint16_t>(encode_small(value, 16, 8, true)));
    case DType::f8e4m3: return append(out, static_cast<uint8_t>(encode_small(value, 8, 4, false)));
    case DType::f8e5m2: return append(out, static_cast<uint8_t>(encode_small(value, 8, 5, true)));
    case DType::i8: return append(out, static_cast<int8_t>(value));
    case DType::u8: return append(out, static_cast<uint8_t>(value));
    case DType::i32: return append(out, static_cast<int32_t>(value));
    case DType::i64: return append(out, to_integer(value));
    case DType::boolean: return append(out, static_cast<uint8_t>(value != 0.0));
  }
}

}  // namespace

HostTensor HostTensor::zeros(DType dtype, const Shape& shape) {
  HostTensor out;
  out.dtype = dtype;
  out.shape = shape;
  const auto size = static_cast<size_t>(numel(shape));
  switch (compute_type(dtype)) {
    case DType::f64: out.data = std::vector<double>(size); break;
    case DType::i64: out.data = std::vector<int64_t>(size); break;
    default: out.data = std::vector<float>(size); break;
  }
  return out;
}

double HostTensor::at(int64_t index) const {
  return std::visit(
      [index](const auto& values) { return static_cast<double>(values[static_cast<size_t>(index)]); }, data);
}

void HostTensor::set(int64_t index, double value) {
  const double rounded = round_to(dtype, value);
  std::visit(
      [&](auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        values[static_cast<size_t>(index)] = element_as<T>(rounded);
      },
      data);
}

Result<HostTensor> from_bytes(DType dtype, const Shape& shape, std::string_view bytes) {
  const int64_t width = size_bytes(dtype);
  if (static_cast<int64_t>(bytes.size()) != numel(shape) * width) {
    return fail(fmt::format("{} bytes of data for {}{}, which takes {}", bytes.size(), name(dtype),
                            to_text(shape), numel(shape) * width));
  }
  HostTensor out = HostTensor::zeros(dtype, shape);
  for (int64_t i = 0; i < out.count(); ++i) {
    const char* at = bytes.data() + i * width;
    if (dtype == DType::i64) {
      std::get<std::vector<int64_t>>(out.data)[static_cast<size_t>(i)] = load<int64_t>(at);
    } else {
      out.set(i, decode(dtype, at));
    }
  }
  return out;
}

std::string to_bytes(const HostTensor& tensor) {
  std::string out;
  out.reserve(static_cast<size_t>(tensor.count() * size_bytes(tensor.dtype)));
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (tensor.dtype == DType::i64) {
      append(out, std::get<std::vector<int64_t>>(tensor.data)[static_cast<size_t>(i)]);
    } else {
      encode(tensor.dtype, tensor.at(i), out);
    }
  }
  return out;
}

}  // namespace uc
