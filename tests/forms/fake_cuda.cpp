// A libcuda.so.1 whose one kernel is y = 2 x over the views of an elementwise launch, f32, on host memory. It
// runs what the generated tables say, so wrong extents, strides or places give wrong numbers.
#include <cstdlib>
#include <cstring>

#include "cuda.h"
#include "uc_kernel_args.h"

namespace {

int64_t at(const uck_view& view, const int64_t* shape, int64_t number) {
  int rank = UC_MAX_RANK;
  while (rank > 1 && shape[rank - 1] == 0) --rank;
  int64_t out = 0;
  for (int d = rank - 1; d >= 0; --d) {
    out += number % shape[d] * view.stride[d];
    number /= shape[d];
  }
  return out;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
CUresult cuInit(unsigned) { return 0; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, 0; }
CUresult cuDeviceGet(CUdevice* device, int index) { return *device = index, index == 0 ? 0 : 101; }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *value = 132;
  return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return *context = nullptr, 0; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return 0; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return 0; }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return 0; }
CUresult cuModuleLoadData(CUmodule* module, const void*) { return *module = nullptr, 0; }
CUresult cuModuleUnload(CUmodule) { return 0; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) { return *function = nullptr, 0; }
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return 0; }
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "no such thing here", 0; }
CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction, const CUlaunchConfig*) {
  return *count = 66, 0;
}
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream) { return 0; }
CUresult cuTensorMapEncodeTiled() { return 1; }

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction, void** args, void**) {
  const auto* map = static_cast<const uck_map*>(args[0]);
  for (unsigned b = 0; b < config->gridDimY; ++b) {
    const uck_map_body& body = map->body[b];
    int64_t count = 1;
    for (int d = 0; d < UC_MAX_RANK && body.shape[d] != 0; ++d) count *= body.shape[d];
    for (int64_t i = 0; i < count; ++i) {
      const auto* in = static_cast<const float*>(body.view[0].data);
      static_cast<float*>(body.view[1].data)[at(body.view[1], body.shape, i)] =
          2 * in[at(body.view[0], body.shape, i)];
    }
  }
  return 0;
}
}
