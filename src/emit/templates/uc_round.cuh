// Rounding to a type and back, as `to` inside a kernel means it (language.md: rounds, then goes on in f32).
#ifndef UC_ROUND_CUH
#define UC_ROUND_CUH
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#include "uc_math.cuh"

UC_FN float uc_round_f16(float x) { return __half2float(__float2half_rn(x)); }
UC_FN float uc_round_bf16(float x) { return __bfloat162float(__float2bfloat16_rn(x)); }

// The conversion instruction saturates; numbers beyond the largest become NaN (e4m3) and infinity (e5m2).
UC_FN uint8_t uc_e4m3_bits(float x) {
  const uint8_t near = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  return uc_abs(x) > 464.0f ? uint8_t(near | 0x7f) : near;
}
UC_FN uint8_t uc_e5m2_bits(float x) {
  const uint8_t near = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2);
  return uc_abs(x) >= 61440.0f ? uint8_t((near & 0x80) | 0x7c) : near;
}
UC_FN float uc_load(__nv_fp8_e4m3 x) { return float(x); }
UC_FN float uc_load(__nv_fp8_e5m2 x) { return float(x); }
UC_FN float uc_round_f8e4m3(float x) {
  __nv_fp8_e4m3 y;
  y.__x = uc_e4m3_bits(x);
  return float(y);
}
UC_FN float uc_round_f8e5m2(float x) {
  __nv_fp8_e5m2 y;
  y.__x = uc_e5m2_bits(x);
  return float(y);
}
UC_FN int64_t uc_round_i64(float x) { return int64_t(x); }
UC_FN int64_t uc_round_i32(float x) { return int64_t(int32_t(int64_t(x))); }
UC_FN int64_t uc_round_i8(float x) { return int64_t(int8_t(int64_t(x))); }
UC_FN int64_t uc_round_u8(float x) { return int64_t(uint8_t(int64_t(x))); }
UC_FN int64_t uc_round_bool(float x) { return int64_t(x != 0.0f); }
UC_FN int64_t uc_round_i32(int64_t x) { return int64_t(int32_t(x)); }
UC_FN int64_t uc_round_i8(int64_t x) { return int64_t(int8_t(x)); }
UC_FN int64_t uc_round_u8(int64_t x) { return int64_t(uint8_t(x)); }
UC_FN int64_t uc_round_bool(int64_t x) { return int64_t(x != 0); }

// What a stored element is in the compute type, and back.
UC_FN float uc_load(float x) { return x; }
UC_FN double uc_load(double x) { return x; }
UC_FN float uc_load(__half x) { return __half2float(x); }
UC_FN float uc_load(__nv_bfloat16 x) { return __bfloat162float(x); }
UC_FN int64_t uc_load(int64_t x) { return x; }
UC_FN int64_t uc_load(int32_t x) { return x; }
UC_FN int64_t uc_load(int8_t x) { return x; }
UC_FN int64_t uc_load(uint8_t x) { return x; }
UC_FN int64_t uc_load(bool x) { return x; }

template <class To> struct uc_store_as {
  template <class From> static UC_FN To of(From x) { return To(x); }
};
template <> struct uc_store_as<__half> {
  static UC_FN __half of(float x) { return __float2half_rn(x); }
  static UC_FN __half of(double x) { return __float2half_rn(float(x)); }
  static UC_FN __half of(int64_t x) { return __float2half_rn(float(x)); }
};
template <> struct uc_store_as<__nv_bfloat16> {
  static UC_FN __nv_bfloat16 of(float x) { return __float2bfloat16_rn(x); }
  static UC_FN __nv_bfloat16 of(double x) { return __float2bfloat16_rn(float(x)); }
  static UC_FN __nv_bfloat16 of(int64_t x) { return __float2bfloat16_rn(float(x)); }
};
template <> struct uc_store_as<__nv_fp8_e4m3> {
  template <class From> static UC_FN __nv_fp8_e4m3 of(From x) {
    __nv_fp8_e4m3 y;
    y.__x = uc_e4m3_bits(float(x));
    return y;
  }
};
template <> struct uc_store_as<__nv_fp8_e5m2> {
  template <class From> static UC_FN __nv_fp8_e5m2 of(From x) {
    __nv_fp8_e5m2 y;
    y.__x = uc_e5m2_bits(float(x));
    return y;
  }
};
template <> struct uc_store_as<bool> {
  template <class From> static UC_FN bool of(From x) { return x != From(0); }
};
template <> struct uc_store_as<int8_t> {
  template <class From> static UC_FN int8_t of(From x) { return int8_t(int64_t(x)); }
};
template <> struct uc_store_as<uint8_t> {
  template <class From> static UC_FN uint8_t of(From x) { return uint8_t(int64_t(x)); }
};
template <> struct uc_store_as<int32_t> {
  template <class From> static UC_FN int32_t of(From x) { return int32_t(int64_t(x)); }
};

// Index division: 32-bit when both fit, which they nearly always do.
UC_FN int64_t uc_divide(int64_t a, int64_t b) {
  return (uint64_t(a) | uint64_t(b)) >> 32 == 0 ? int64_t(uint32_t(a) / uint32_t(b)) : a / b;
}

// N elements moved as 16-byte (or narrower) words.
template <class T, int N> struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) uc_pack {
  T at[N];
};
#endif
