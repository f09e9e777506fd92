// The device functions on a GPU, against double: every f32 whose low 9 bits are zero (8.4 million of each
// function's range).
//   nvcc -std=c++20 -arch=sm_90a -O3 -I src/emit/templates tests/gpu/uc_math_check.cu -o uc_math_check &&
//   ./uc_math_check
// Prints the largest relative error of each; exits 1 when one exceeds what uc_math.cuh states.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "uc_math.cuh"

#define UC_FUNCTIONS(X)                                                              \
  X(uc_exp, exp(x), -87.0, 88.0, 4.1e-6)                                             \
  X(uc_expm1, expm1(x), -87.0, 88.0, 4.1e-6)                                         \
  X(uc_log, log(x), 1e-30, 1e30, 2e-7)                                               \
  X(uc_log1p, log1p(x), -0.99, 1e30, 2e-7)                                           \
  X(uc_log1p_exp, (x > 0 ? x + log1p(exp(-x)) : log1p(exp(x))), -86.0, 88.0, 3.9e-6) \
  X(uc_sigmoid, 1.0 / (1.0 + exp(-x)), -86.0, 88.0, 3.9e-6)                          \
  X(uc_tanh, tanh(x), -50.0, 50.0, 7.2e-7)                                           \
  X(uc_erf, erf(x), -20.0, 20.0, 8.4e-7)                                             \
  X(uc_sqrt, sqrt(x), 1e-30, 1e30, 3.4e-7)                                           \
  X(uc_rsqrt, 1.0 / sqrt(x), 1e-30, 1e30, 3.8e-7)                                    \
  X(uc_rcp, 1.0 / x, 1e-30, 1e30, 4e-7)                                              \
  X(uc_sin, sin(x), -10.0, 10.0, 2e-7)                                               \
  X(uc_cos, cos(x), -10.0, 10.0, 2e-7)

constexpr unsigned kCount = 1u << 23;

__device__ float input(unsigned i) { return __uint_as_float(i << 9); }

#define UC_KERNEL(fn, exact, low, high, bound)                \
  __global__ void run_##fn(float* y) {                        \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; \
    y[i] = fn(input(i));                                      \
  }
UC_FUNCTIONS(UC_KERNEL)

template <class Exact>
bool check(const char* name, const std::vector<float>& y, double low, double high, double bound,
           Exact exact) {
  double worst = 0;
  float at = 0;
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned bits = i << 9;
    float x;
    std::memcpy(&x, &bits, 4);
    if (!(x >= low && x <= high)) continue;
    const double want = exact(static_cast<double>(x));
    if (std::abs(want) < 1e-37) continue;
    const double seen = std::abs(static_cast<double>(y[i]) / want - 1.0);
    if (!(seen <= worst)) worst = seen, at = x;
  }
  const bool good = worst <= bound;
  std::printf("%-14s largest relative error %.3e at %-14.8g bound %.1e %s\n", name, worst, at, bound,
              good ? "" : "EXCEEDED");
  return good;
}

int main() {
  float* device = nullptr;
  if (cudaMalloc(&device, kCount * sizeof(float)) != cudaSuccess) {
    std::printf("error: no GPU to run on\n");
    return 3;
  }
  std::vector<float> y(kCount);
  bool good = true;
#define UC_RUN(fn, exact, low, high, bound)                                     \
  run_##fn<<<kCount / 256, 256>>>(device);                                      \
  cudaMemcpy(y.data(), device, kCount * sizeof(float), cudaMemcpyDeviceToHost); \
  good = check(#fn, y, low, high, bound, [](double x) { return exact; }) && good;
  UC_FUNCTIONS(UC_RUN)
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("error: %s\n", cudaGetErrorString(error));
  return good && error == cudaSuccess ? 0 : 1;
}
