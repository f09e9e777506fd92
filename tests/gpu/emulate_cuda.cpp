// A libcuda.so.1 on host memory that runs kernels which g++ compiled: a "cubin" holds nothing but the
// kernel's name, and a launch calls the function `emulate_<name>` (emulate_programs.py makes it). Launches
// are done when they return.
#include <dlfcn.h>
#include <string.h>

#include "cuda.h"

#pragma GCC visibility push(default)
extern "C" {
CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int index) { return *device = index, CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *value = 132;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return *context = nullptr, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule* module, const void*) { return *module = nullptr, CUDA_SUCCESS; }
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  char symbol[128] = "emulate_";
  strncat(symbol, name, sizeof symbol - sizeof "emulate_");
  *function = reinterpret_cast<CUfunction>(dlsym(RTLD_DEFAULT, symbol));
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "not emulated", CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction, const CUlaunchConfig*) {
  return *count = 66, CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t bytes, CUstream) {
  return memset(reinterpret_cast<void*>(at), value, bytes), CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** args, void**) {
  const unsigned geometry[4] = {config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX};
  reinterpret_cast<void (*)(const void*, const unsigned*)>(function)(args[0], geometry);
  return CUDA_SUCCESS;
}
}
