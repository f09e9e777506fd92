// The driver API by hand: no CUDA header is needed to build, and nothing is linked.
#include "candidate.h"
#include "device_ptx.h"

namespace {

using CUresult = int;
using CUdeviceptr = unsigned long long;

struct Driver {
  CUresult (*module_load)(void**, const void*);
  CUresult (*get_function)(void**, void*, const char*);
  CUresult (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                     void**, void**);
  CUresult (*copy)(CUdeviceptr, CUdeviceptr, size_t, void*);
  CUresult (*fill)(CUdeviceptr, unsigned, size_t, void*);
  CUresult (*alloc)(CUdeviceptr*, size_t);
  CUresult (*sync)(void*);
  CUresult (*stream)(void**, unsigned);
} d;
void *g_linear, *g_rounded;

template <class T>
bool load(void* library, const char* name, T& into) {
  into = reinterpret_cast<T>(dlsym(library, name));
  return into != nullptr;
}

CUdeviceptr at(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }

}  // namespace

/// Also for candidates that launch something of their own.
void* g_module;
int dev_launch(const char* kernel, unsigned blocks, unsigned threads, void** args, ucutlass_stream stream) {
  void* function = nullptr;
  if (d.get_function(&function, g_module, kernel)) return 1;
  return d.launch(function, blocks, 1, 1, threads, 1, 1, 0, stream, args, nullptr);
}

int dev_open(ucutlass_message* message) {
  void* cuda = dlopen("libcuda.so.1", RTLD_NOW);
  const bool loaded = cuda && load(cuda, "cuModuleLoadData", d.module_load) &&
                      load(cuda, "cuModuleGetFunction", d.get_function) &&
                      load(cuda, "cuLaunchKernel", d.launch) && load(cuda, "cuMemcpyDtoDAsync_v2", d.copy) &&
                      load(cuda, "cuMemsetD32Async", d.fill) && load(cuda, "cuMemAlloc_v2", d.alloc) &&
                      load(cuda, "cuStreamSynchronize", d.sync) && load(cuda, "cuStreamCreate", d.stream);
  if (!loaded || d.module_load(&g_module, kDevicePtx) || d.get_function(&g_linear, g_module, "linear_relu") ||
      d.get_function(&g_rounded, g_module, "linear_relu_rounded")) {
    if (message) snprintf(message->text, sizeof message->text, "the test candidate cannot load its kernels");
    return 1;
  }
  return 0;
}

int dev_linear(const Problem& p, ucutlass_stream stream, bool rounded) {
  Problem q = p;
  void* args[] = {&q.x, &q.w, &q.b, &q.y, &q.m, &q.n, &q.k};
  const unsigned columns = static_cast<unsigned>(p.n + 31) / 32, rows = static_cast<unsigned>(p.m + 7) / 8;
  return d.launch(rounded ? g_rounded : g_linear, columns, rows, 1, 32, 8, 1, 0, stream, args, nullptr);
}
int dev_copy(void* to, const void* from, size_t bytes, ucutlass_stream stream) {
  return d.copy(at(to), at(from), bytes, stream);
}
int dev_fill(void* to, uint32_t word, size_t bytes, ucutlass_stream stream) {
  return d.fill(at(to), word, bytes / 4, stream);
}
int dev_alloc(void** out, size_t bytes) {
  CUdeviceptr data = 0;
  const int code = d.alloc(&data, bytes);
  *out = reinterpret_cast<void*>(data);
  return code;
}
int dev_sync(ucutlass_stream stream) { return d.sync(stream); }
ucutlass_stream dev_new_stream() {
  void* stream = nullptr;
  d.stream(&stream, 1);
  return static_cast<ucutlass_stream>(stream);
}
