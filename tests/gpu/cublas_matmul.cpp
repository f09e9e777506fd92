// c = a b in FP16 through cuBLAS, as PyTorch does it: in a fair measurement neither side wins. cuBLAS is
// opened by the path in UCT_CUBLAS; no CUDA header is needed.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucutlass/abi.h>

struct ucutlass_program {
  void* handle;
  void* workspace;
};

namespace {

using Create = int (*)(void**);
using SetStream = int (*)(void*, void*);
using SetWorkspace = int (*)(void*, void*, size_t);
using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
                     int, const void*, void*, int, int, int, int);
constexpr size_t kWorkspace = size_t{32} << 20;
constexpr int kHalf = 2, kCompute32 = 68, kDefault = -1;

ucutlass_program g_program;
Create g_create;
SetStream g_set_stream;
SetWorkspace g_set_workspace;
Gemm g_gemm;

ucutlass_status say(ucutlass_message* message, const char* text) {
  if (message) snprintf(message->text, sizeof message->text, "%s", text);
  return UCUTLASS_CUDA_ERROR;
}

ucutlass_status open_(int, ucutlass_program** out, ucutlass_message* message) {
  const char* path = getenv("UCT_CUBLAS");
  void* library = dlopen(path ? path : "libcublas.so.13", RTLD_NOW);
  if (!library) return say(message, dlerror());
  g_create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  g_set_stream = reinterpret_cast<SetStream>(dlsym(library, "cublasSetStream_v2"));
  g_set_workspace = reinterpret_cast<SetWorkspace>(dlsym(library, "cublasSetWorkspace_v2"));
  g_gemm = reinterpret_cast<Gemm>(dlsym(library, "cublasGemmEx"));
  if (!g_create || !g_set_stream || !g_set_workspace || !g_gemm)
    return say(message, "cuBLAS lacks a function");
  if (g_create(&g_program.handle)) return say(message, "cublasCreate failed");
  *out = &g_program;
  return UCUTLASS_OK;
}
void close_(ucutlass_program*) {}
ucutlass_status sizes_(const ucutlass_program*, const int64_t*, size_t* packed, size_t* workspace,
                       ucutlass_message*) {
  *packed = 0;
  *workspace = kWorkspace;
  return UCUTLASS_OK;
}

ucutlass_status run_(const ucutlass_program*, const ucutlass_tensor* inputs, const ucutlass_tensor*,
                     const void*, const ucutlass_tensor* outputs, void* workspace, size_t workspace_bytes,
                     const int64_t*, uint32_t, ucutlass_stream stream, ucutlass_message* message) {
  const int m = static_cast<int>(inputs[0].shape[0]), k = static_cast<int>(inputs[0].shape[1]);
  const int n = static_cast<int>(inputs[1].shape[1]);
  const float one = 1, zero = 0;
  if (g_set_stream(g_program.handle, stream) ||
      g_set_workspace(g_program.handle, workspace, workspace_bytes)) {
    return say(message, "cuBLAS refuses the stream");
  }
  // Row-major c = a b is column-major c' = b' a'.
  if (g_gemm(g_program.handle, 0, 0, n, m, k, &one, inputs[1].data, kHalf, n, inputs[0].data, kHalf, k, &zero,
             outputs[0].data, kHalf, n, kCompute32, kDefault)) {
    return say(message, "cublasGemmEx failed");
  }
  return UCUTLASS_OK;
}

const ucutlass_api g_api = {
    UCUTLASS_ABI, sizeof(ucutlass_api), "cublas", "{}", open_, close_, sizes_, nullptr, run_};

}  // namespace

extern "C" const ucutlass_api* ucutlass_get_api(uint32_t abi) {
  return abi == UCUTLASS_ABI ? &g_api : nullptr;
}
