// One product by cuBLASLt, which is looked for when it is needed (dlopen): nothing has to be installed to build
// this. Numbers and layouts as in cuBLAS 12 and 13.
#ifndef UC_CUBLASLT_H
#define UC_CUBLASLT_H
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "uc_abi.h"

namespace uc_cublaslt {

constexpr size_t kWorkspace = size_t(32) << 20;  // what cuBLAS documents for sm_90
constexpr int kCompute32F = 68, kCompute32FFastTf32 = 77, kCompute64F = 70;  // cublasComputeType_t

// D[l, m, n] = sum_k A[l, m, k] B[l, n, k]; strides in elements.
struct Sizes {
  int64_t l, m, n, k;
  int64_t a[3], b[3], d[3];  // strides of (l, m, k), (l, n, k), (l, m, n)
};

struct Memory {
  const void* data;
  int32_t dtype;  // UCUTLASS_F16, ...
};
struct Result {
  void* data;
  int32_t dtype;
};

class Library {
 public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) destroy_(handle_);
  }

  // The library stays loaded until the process ends: it has threads and state of its own. The device whose
  // context is current is the one that it works on.
  void open() {
    if (library_ != nullptr) return;
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
      if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library_ == nullptr) {
      status_ = "cuBLASLt is not installed (libcublasLt.so.13 or .12 is on no library path)";
      return;
    }
    const bool found = find("cublasLtCreate", create_) && find("cublasLtDestroy", destroy_) && find("cublasLtMatmul", matmul_) &&
                       find("cublasLtMatmulDescCreate", make_desc_) && find("cublasLtMatmulDescDestroy", drop_desc_) &&
                       find("cublasLtMatmulDescSetAttribute", set_desc_) && find("cublasLtMatrixLayoutCreate", make_layout_) &&
                       find("cublasLtMatrixLayoutDestroy", drop_layout_) &&
                       find("cublasLtMatrixLayoutSetAttribute", set_layout_) &&
                       find("cublasLtMatmulPreferenceCreate", make_preference_) &&
                       find("cublasLtMatmulPreferenceDestroy", drop_preference_) &&
                       find("cublasLtMatmulPreferenceSetAttribute", set_preference_) &&
                       find("cublasLtMatmulAlgoGetHeuristic", heuristic_);
    if (!found) {
      status_ = "cuBLASLt lacks functions of version 12";
      return;
    }
    ok_ = create_(&handle_) == 0;
    status_ = ok_ ? "cuBLASLt is ready" : "cuBLASLt does not open: is a device current?";
  }

  bool ok() const { return ok_; }
  const char* status() const { return status_; }

  // Null: enqueued. Else why not, and nothing is.
  const char* run(const Sizes& sizes, int compute, Memory a, Memory b, Result d, void* workspace, size_t workspace_bytes,
                  ucutlass_stream stream) const {
    if (!ok_) return status_;
    // Column major, as cuBLASLt counts: a result with contiguous rows is the transpose of one with contiguous columns.
    const bool by_rows = sizes.d[2] == 1 || sizes.n == 1;
    const Side left = by_rows ? Side{b, sizes.n, sizes.b, sizes.k} : Side{a, sizes.m, sizes.a, sizes.k};
    const Side right = by_rows ? Side{a, sizes.m, sizes.a, sizes.k} : Side{b, sizes.n, sizes.b, sizes.k};
    if (!left.contiguous() || !right.contiguous()) return "cuBLASLt asks for contiguous rows or columns";
    Call call{*this};
    const int type = data_type(d.dtype);
    const bool f64 = compute == kCompute64F;
    bool good = make_desc_(&call.desc, compute, f64 ? 1 : 0) == 0;
    // Its left operand is [outer, k] as it is multiplied, its right one [k, outer].
    const int32_t left_op = left.k_first() ? 1 : 0, right_op = right.k_first() ? 0 : 1;
    good = good && set_desc_(call.desc, kTransA, &left_op, sizeof left_op) == 0 &&
           set_desc_(call.desc, kTransB, &right_op, sizeof right_op) == 0;
    good = good && layout(call.a, left, sizes.l) && layout(call.b, right, sizes.l);
    const int64_t rows = by_rows ? sizes.n : sizes.m, columns = by_rows ? sizes.m : sizes.n;
    const int64_t leading = by_rows ? sizes.d[1] : sizes.d[2];
    good = good && layout(call.d, type, rows, columns, leading < rows ? rows : leading, sizes.l, sizes.d[0]);
    good = good && make_preference_(&call.preference) == 0 &&
           set_preference_(call.preference, kMostWorkspace, &workspace_bytes, sizeof workspace_bytes) == 0;
    // Parts of K are added up as they were accumulated, never in the result's type.
    const uint32_t reductions = kReduceInComputeType;
    good = good && set_preference_(call.preference, kReductions, &reductions, sizeof reductions) == 0;
    if (!good) return "cuBLASLt refuses the layouts";
    Found found{};
    int count = 0;
    if (heuristic_(handle_, call.desc, call.a, call.b, call.d, call.d, call.preference, 1, &found, &count) != 0 || count == 0)
      return "cuBLASLt has no algorithm for these sizes";
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const void* alpha = f64 ? static_cast<const void*>(&one64) : &one;
    const void* beta = f64 ? static_cast<const void*>(&zero64) : &zero;
    const int code = matmul_(handle_, call.desc, alpha, left.memory.data, call.a, right.memory.data, call.b, beta, d.data, call.d,
                             d.data, call.d, &found.algorithm, workspace, workspace_bytes, stream);
    return code == 0 ? nullptr : "cublasLtMatmul failed";
  }

 private:
  using Opaque = void*;
  enum { kTransA = 3, kTransB = 4, kBatch = 5, kBatchStride = 6, kMostWorkspace = 1, kReductions = 3, kReduceInComputeType = 2 };

  // cublasLtMatmulHeuristicResult_t
  struct Found {
    struct {
      uint64_t data[8];
    } algorithm;
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
  };

  // An operand with `outer` rows or columns beside K.
  struct Side {
    Memory memory;
    int64_t outer;
    const int64_t* stride;  // (l, outer, k)
    int64_t k;
    bool k_first() const { return stride[2] == 1 || k == 1; }
    bool contiguous() const { return k_first() || stride[1] == 1 || outer == 1; }
  };

  struct Call {
    const Library& library;
    Opaque desc = nullptr, a = nullptr, b = nullptr, d = nullptr, preference = nullptr;
    ~Call() {
      if (preference != nullptr) library.drop_preference_(preference);
      for (const Opaque each : {a, b, d}) {
        if (each != nullptr) library.drop_layout_(each);
      }
      if (desc != nullptr) library.drop_desc_(desc);
    }
  };

  static int data_type(int32_t dtype) {  // cudaDataType_t
    return dtype == UCUTLASS_F64 ? 1 : dtype == UCUTLASS_F32 ? 0 : dtype == UCUTLASS_F16 ? 2 : 14;
  }

  bool layout(Opaque& out, const Side& side, int64_t batch) const {
    const int64_t rows = side.k_first() ? side.k : side.outer, columns = side.k_first() ? side.outer : side.k;
    const int64_t leading = side.k_first() ? side.stride[1] : side.stride[2];
    return layout(out, data_type(side.memory.dtype), rows, columns, leading < rows ? rows : leading, batch, side.stride[0]);
  }

  bool layout(Opaque& out, int type, int64_t rows, int64_t columns, int64_t leading, int64_t batch, int64_t stride) const {
    if (make_layout_(&out, type, uint64_t(rows), uint64_t(columns), leading) != 0) return false;
    if (batch == 1) return true;
    const auto count = static_cast<int32_t>(batch);
    return set_layout_(out, kBatch, &count, sizeof count) == 0 && set_layout_(out, kBatchStride, &stride, sizeof stride) == 0;
  }

  template <class F>
  bool find(const char* name, F& into) {
    into = reinterpret_cast<F>(dlsym(library_, name));
    return into != nullptr;
  }

  void* library_ = nullptr;
  void* handle_ = nullptr;
  bool ok_ = false;
  const char* status_ = "cuBLASLt was not looked for yet";
  int (*create_)(Opaque*) = nullptr;
  int (*destroy_)(Opaque) = nullptr;
  int (*make_desc_)(Opaque*, int compute, int scale) = nullptr;
  int (*drop_desc_)(Opaque) = nullptr;
  int (*set_desc_)(Opaque, int, const void*, size_t) = nullptr;
  int (*make_layout_)(Opaque*, int, uint64_t, uint64_t, int64_t) = nullptr;
  int (*drop_layout_)(Opaque) = nullptr;
  int (*set_layout_)(Opaque, int, const void*, size_t) = nullptr;
  int (*make_preference_)(Opaque*) = nullptr;
  int (*drop_preference_)(Opaque) = nullptr;
  int (*set_preference_)(Opaque, int, const void*, size_t) = nullptr;
  int (*heuristic_)(Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, int, Found*, int*) = nullptr;
  int (*matmul_)(Opaque, Opaque, const void*, const void*, Opaque, const void*, Opaque, const void*, const void*, Opaque, void*,
                 Opaque, const void*, void*, size_t, ucutlass_stream) = nullptr;
};

}  // namespace uc_cublaslt
#endif
