// By which power of two a line of an f32 matrix is scaled before it is split in two f16 halves, from the bits of its
// largest magnitude. In device code and (for tests) on the host.
#ifndef UC_SPLIT_SCALE_CUH
#define UC_SPLIT_SCALE_CUH
#include <stdint.h>
#include <string.h>

#if !defined(UC_FN)
#if defined(__CUDACC__)
#define UC_FN __host__ __device__ __forceinline__
#else
#define UC_FN inline
#endif
#endif

UC_FN uint32_t uc_bits(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
UC_FN float uc_from_bits(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

// As unsigned numbers magnitudes compare as they do as floats; infinity and NaN are the largest.
UC_FN uint32_t uc_magnitude(float x) { return uc_bits(x) & 0x7fffffffu; }
UC_FN bool uc_not_finite(uint32_t largest) { return largest >= 0x7f800000u; }

// h: times 4^h a line's largest magnitude lies in [2^13, 2^15), where f16 ends at 2^16. From -57 to 81; 0 for zeros.
UC_FN int uc_split_shift(uint32_t largest) {
  if (largest == 0) return 0;
#if defined(__CUDA_ARCH__)
  const int zeros = __clz(int(largest));
#else
  const int zeros = __builtin_clz(largest);
#endif
  const int exponent = largest >= 0x00800000u ? int(largest >> 23) - 127 : -118 - zeros;
  return (14 - exponent) >> 1;
}
UC_FN float uc_power_of_two(int exponent) { return uc_from_bits(uint32_t(127 + exponent) << 23); }

// 2^h: a line is multiplied by it twice, since 4^h may be beyond f32. Lines that are not finite become zero or NaN.
UC_FN float uc_split_factor(uint32_t largest) {
  return uc_not_finite(largest) ? 0.0f : uc_power_of_two(uc_split_shift(largest));
}
// 2^-h: results are multiplied by the product of two of these, twice. NaN where the line is not finite.
UC_FN float uc_split_unscale(uint32_t largest) {
  return uc_not_finite(largest) ? uc_from_bits(0x7fc00000u) : uc_power_of_two(-uc_split_shift(largest));
}
#endif
