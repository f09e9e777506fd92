// A libcublasLt.so.13 on host memory, f32: columns are contiguous, as cuBLASLt documents them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Desc {
  int compute = 0, scale = 0;
  int32_t trans[2] = {0, 0};
};
struct Layout {
  int type = 0;
  int64_t rows = 0, columns = 0, leading = 0, stride = 0;
  int32_t batch = 1;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = 7;
};

[[noreturn]] void wrong(const char* what) {
  std::printf("fake cuBLASLt: %s\n", what);
  std::fflush(stdout);
  std::abort();
}

}  // namespace

extern "C" {
int cublasLtCreate(void** handle) { return *handle = new int, 0; }
int cublasLtDestroy(void* handle) { return delete static_cast<int*>(handle), 0; }
int cublasLtMatmulDescCreate(void** out, int compute, int scale) {
  return *out = new Desc{compute, scale, {0, 0}}, 0;
}
int cublasLtMatmulDescDestroy(void* desc) { return delete static_cast<Desc*>(desc), 0; }
int cublasLtMatmulDescSetAttribute(void* desc, int which, const void* value, size_t bytes) {
  if ((which != 3 && which != 4) || bytes != sizeof(int32_t)) return 7;
  std::memcpy(&static_cast<Desc*>(desc)->trans[which - 3], value, bytes);
  return 0;
}
int cublasLtMatrixLayoutCreate(void** out, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  if (leading < static_cast<int64_t>(rows)) return 7;
  *out = new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), leading, 0, 1};
  return 0;
}
int cublasLtMatrixLayoutDestroy(void* layout) { return delete static_cast<Layout*>(layout), 0; }
int cublasLtMatrixLayoutSetAttribute(void* layout, int which, const void* value, size_t bytes) {
  auto* self = static_cast<Layout*>(layout);
  if (which == 5 && bytes == sizeof self->batch) return std::memcpy(&self->batch, value, bytes), 0;
  if (which == 6 && bytes == sizeof self->stride) return std::memcpy(&self->stride, value, bytes), 0;
  return 7;
}
int cublasLtMatmulPreferenceCreate(void** out) { return *out = new Preference, 0; }
int cublasLtMatmulPreferenceDestroy(void* preference) {
  return delete static_cast<Preference*>(preference), 0;
}
int cublasLtMatmulPreferenceSetAttribute(void* preference, int which, const void* value, size_t bytes) {
  auto* self = static_cast<Preference*>(preference);
  if (which == 1 && bytes == sizeof self->workspace) return std::memcpy(&self->workspace, value, bytes), 0;
  if (which == 3 && bytes == sizeof self->reductions) return std::memcpy(&self->reductions, value, bytes), 0;
  return 7;
}
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void* preference, int wanted,
                                   void* results, int* count) {
  if (static_cast<Preference*>(preference)->reductions != 2)
    wrong("sums may be reduced in the result's type");
  std::memset(results, 0, 96 * static_cast<size_t>(wanted));
  *static_cast<uint64_t*>(results) = 42;
  return *count = 1, 0;
}

// D = op(A) op(B)
int cublasLtMatmul(void*, void* desc, const void* alpha, const void* a_data, void* a_layout,
                   const void* b_data, void* b_layout, const void* beta, const void*, void*, void* d_data,
                   void* d_layout, const void* algorithm, void*, size_t, void*) {
  const auto& by = *static_cast<Desc*>(desc);
  const auto &a = *static_cast<Layout*>(a_layout), &b = *static_cast<Layout*>(b_layout),
             &d = *static_cast<Layout*>(d_layout);
  if (*static_cast<const uint64_t*>(algorithm) != 42) wrong("another algorithm than was found");
  if (by.compute != 68 || by.scale != 0 || a.type != 0 || b.type != 0 || d.type != 0) wrong("other types");
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0) wrong("other factors");
  const int64_t m = by.trans[0] == 0 ? a.rows : a.columns, k = by.trans[0] == 0 ? a.columns : a.rows;
  const int64_t n = by.trans[1] == 0 ? b.columns : b.rows;
  if (d.rows != m || d.columns != n || (by.trans[1] == 0 ? b.rows : b.columns) != k) return 7;
  if (a.batch != d.batch || b.batch != d.batch) return 7;
  for (int64_t l = 0; l < d.batch; ++l) {
    const float* x = static_cast<const float*>(a_data) + l * a.stride;
    const float* y = static_cast<const float*>(b_data) + l * b.stride;
    float* z = static_cast<float*>(d_data) + l * d.stride;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t s = 0; s < k; ++s)
          sum += x[by.trans[0] == 0 ? i + s * a.leading : s + i * a.leading] *
                 y[by.trans[1] == 0 ? s + j * b.leading : j + s * b.leading];
        z[i + j * d.leading] = sum;
      }
    }
  }
  return 0;
}
}
