#include "exec/random.h"

#include <cmath>
#include <numbers>

namespace uc {
namespace {

// In (0, 1].
double next_unit(uint64_t& seed) { return static_cast<double>((next_random(seed) >> 11) + 1) * 0x1p-53; }

double next_normal(uint64_t& seed) {
  const double radius = std::sqrt(-2.0 * std::log(next_unit(seed)));
  return radius * std::cos(2.0 * std::numbers::pi * next_unit(seed));
}

double next_value(DType dtype, uint64_t& seed) {
  switch (info(dtype).kind) {
    case DTypeClass::floating: return next_normal(seed);
    case DTypeClass::boolean: return static_cast<double>(next_random(seed) >> 63);
    case DTypeClass::integer: break;
  }
  return static_cast<double>(next_random(seed) % 17) - (dtype == DType::u8 ? 0.0 : 8.0);
}

}  // namespace

uint64_t next_random(uint64_t& seed) {
  seed += 0x9e3779b97f4a7c15ULL;
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

HostTensor random_tensor(DType dtype, const Shape& shape, uint64_t seed) {
  HostTensor out = HostTensor::zeros(dtype, shape);
  for (int64_t i = 0; i < out.count(); ++i) out.set(i, next_value(dtype, seed));
  return out;
}

}  // namespace uc
