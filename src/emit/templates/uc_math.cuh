// Functions of scalar expressions, in device code and (for tests) on the host. Fast forms: an epilogue evaluates them on
// every accumulator, and a special-function result costs eight multiply-adds of issue time. Every f32 form stays within
// 1e-5 relative of the exact value; each comment gives the largest error measured against double over a dense grid,
// with the hardware approximations (ex2, rcp: 2^-22 at most) at their worst. NaN goes through every function.
#ifndef UC_MATH_CUH
#define UC_MATH_CUH
#include <math.h>
#include <stdint.h>

#if !defined(UC_FN)
#if defined(__CUDACC__)
#define UC_FN __host__ __device__ __forceinline__
#else
#define UC_FN inline
#endif
#endif

#if !defined(__CUDA_ARCH__) && !defined(UC_HOST_ERROR)
#define UC_HOST_ERROR 0.0f  // tests set it to +-2^-22: the relative error of the hardware's approximations
#endif

// 2^x; results below 2^-126 become 0. One special-function instruction.
UC_FN float uc_ex2(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float y = exp2f(x) * (1.0f + UC_HOST_ERROR);
  return y < 1.17549435e-38f ? 0.0f : y;
#endif
}

// 1/x; |x| above 2^126 gives 0. One special-function instruction.
UC_FN float uc_rcp(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  const float y = 1.0f / x;
  return fabsf(y) < 1.17549435e-38f ? copysignf(0.0f, y) : y * (1.0f + UC_HOST_ERROR);
#endif
}

UC_FN double uc_rcp(double x) { return 1.0 / x; }

// NaN when either is.
UC_FN float uc_minimum(float a, float b) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a != a ? a : (b != b || b < a) ? b : a;
#endif
}
UC_FN float uc_maximum(float a, float b) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a != a ? a : (b != b || b > a) ? b : a;
#endif
}
UC_FN double uc_minimum(double a, double b) { return a != a ? a : (b != b || b < a) ? b : a; }
UC_FN double uc_maximum(double a, double b) { return a != a ? a : (b != b || b > a) ? b : a; }
UC_FN int32_t uc_minimum(int32_t a, int32_t b) { return b < a ? b : a; }
UC_FN int32_t uc_maximum(int32_t a, int32_t b) { return b > a ? b : a; }
UC_FN int64_t uc_minimum(int64_t a, int64_t b) { return b < a ? b : a; }
UC_FN int64_t uc_maximum(int64_t a, int64_t b) { return b > a ? b : a; }

// a/b over the whole range. At most 2 ulp: 1.7e-7.
UC_FN float uc_div(float a, float b) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a / b;
#endif
}
UC_FN double uc_div(double a, double b) { return a / b; }

UC_FN float uc_abs(float x) { return fabsf(x); }
UC_FN double uc_abs(double x) { return fabs(x); }
UC_FN int64_t uc_abs(int64_t x) { return x < 0 ? -x : x; }
UC_FN float uc_floor(float x) { return floorf(x); }
UC_FN double uc_floor(double x) { return floor(x); }

template <class C, class T>
UC_FN T uc_select(C condition, T yes, T no) {
  return condition != C(0) ? yes : no;
}

// Largest error 4.1e-6 (at |x| = 87, from rounding x log2 e); 7.6e-7 for |x| < 8.
UC_FN float uc_exp(float x) { return uc_ex2(x * 1.44269504f); }
UC_FN double uc_exp(double x) { return exp(x); }

// Small |x| by a polynomial, since exp(x) - 1 cancels there. Largest error
// 1.5e-6 for x < 8, then exp's.
UC_FN float uc_expm1(float x) {
  float p = 0.00833333004f;
  p = p * x + 0.0417751521f;
  p = p * x + 0.166667387f;
  p = p * x + 0.499998301f;
  p = p * x + 1.0f;
  return fabsf(x) < 0.25f ? p * x : uc_exp(x) - 1.0f;
}
UC_FN double uc_expm1(double x) { return expm1(x); }

UC_FN float uc_log(float x) { return logf(x); }
UC_FN double uc_log(double x) { return log(x); }
UC_FN float uc_log1p(float x) { return log1pf(x); }
UC_FN double uc_log1p(double x) { return log1p(x); }

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)); log1p by a polynomial on [0, 1]. Largest error 3.9e-6
// (where exp's is); 7.7e-7 for |x| < 8.
UC_FN float uc_log1p_exp(float x) {
  const float t = uc_exp(-fabsf(x));
  float p = -0.00853913557f;
  p = p * t + 0.0440893583f;
  p = p * t - 0.107681304f;
  p = p * t + 0.177452102f;
  p = p * t - 0.244954497f;
  p = p * t + 0.332754761f;
  p = p * t - 0.499974042f;
  p = p * t + 0.999999821f;
  return uc_maximum(x, 0.0f) + p * t;
}
UC_FN double uc_log1p_exp(double x) { return uc_maximum(x, 0.0) + log1p(exp(-fabs(x))); }

// 1/(1 + exp(-x)). Largest error 3.9e-6 (where exp's is); 5.6e-7 for |x| < 8.
UC_FN float uc_sigmoid(float x) { return uc_rcp(1.0f + uc_exp(-x)); }
UC_FN double uc_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

// x P(x^2)/Q(x^2) on [-8, 8]: one special-function instruction. Largest error 7.2e-7.
UC_FN float uc_tanh(float x) {
  x = uc_maximum(uc_minimum(x, 8.0f), -8.0f);
  const float t = x * x;
  float p = 1.14284139e-5f;
  p = p * t + 0.0029510227f;
  p = p * t + 0.129256621f;
  p = p * t + 0.999999881f;
  float q = 2.4592082e-7f;
  q = q * t + 0.000238669032f;
  q = q * t + 0.02381555f;
  q = q * t + 0.462588787f;
  q = q * t + 1.0f;
  return p * x * uc_rcp(q);
}
UC_FN double uc_tanh(double x) { return tanh(x); }

// x P(x^2)/Q(x^2) on [-3.8, 3.8]: one special-function instruction. Largest error 8.4e-7.
UC_FN float uc_erf(float x) {
  x = uc_maximum(uc_minimum(x, 3.8f), -3.8f);
  const float t = x * x;
  float p = -1.49066216e-6f;
  p = p * t + 0.000255580817f;
  p = p * t + 0.00997687969f;
  p = p * t + 0.0712822005f;
  p = p * t + 0.357502669f;
  p = p * t + 1.1283789f;
  float q = 0.00235612574f;
  q = q * t + 0.0275193714f;
  q = q * t + 0.17993775f;
  q = q * t + 0.650152504f;
  q = q * t + 1.0f;
  return p * x * uc_rcp(q);
}
UC_FN double uc_erf(double x) { return erf(x); }

// One special-function instruction each. Largest error 3.4e-7 (sqrt), 3.7e-7 (rsqrt).
UC_FN float uc_sqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return sqrtf(x) * (1.0f + UC_HOST_ERROR);
#endif
}
UC_FN double uc_sqrt(double x) { return sqrt(x); }
UC_FN float uc_rsqrt(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1.0f / sqrtf(x) * (1.0f + UC_HOST_ERROR);
#endif
}
UC_FN double uc_rsqrt(double x) { return 1.0 / sqrt(x); }

// CUDA's own, at most 2 ulp (sin, cos) and 4 ulp (pow).
UC_FN float uc_sin(float x) { return sinf(x); }
UC_FN double uc_sin(double x) { return sin(x); }
UC_FN float uc_cos(float x) { return cosf(x); }
UC_FN double uc_cos(double x) { return cos(x); }
UC_FN float uc_pow(float a, float b) { return powf(a, b); }
UC_FN double uc_pow(double a, double b) { return pow(a, b); }

// Wraps; a negative exponent gives 0 but for bases 1 and -1.
UC_FN int64_t uc_pow(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? ((b & 1) != 0 ? -1 : 1) : 0;
  uint64_t base = static_cast<uint64_t>(a);
  uint64_t result = 1;
  for (; b != 0; b >>= 1, base *= base) {
    if ((b & 1) != 0) result *= base;
  }
  return static_cast<int64_t>(result);
}
#endif
