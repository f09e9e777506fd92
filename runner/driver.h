#pragma once
// Why: libcuda.so.1 is opened at run time, so that the runner builds where there is no CUDA and runs on any
// driver. Only what is called here is declared; names and values are those of the CUDA driver API.
#include <cstddef>
#include <cstdint>

namespace uct {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
struct CUuuid {
  unsigned char bytes[16];
};
struct CUipcMemHandle {
  unsigned char reserved[64];
};
/// CUstreamAttrValue is a 64-byte union; of the access policy window only num_bytes matters here.
struct CUstreamAttrValue {
  void* base_ptr;
  size_t num_bytes;
  unsigned char rest[48];
};

inline constexpr int kAttrSmCount = 16, kAttrL2 = 38, kAttrMajor = 75, kAttrMinor = 76;
inline constexpr int kLimitPersistingL2 = 6;
inline constexpr int kStreamAttrAccessPolicy = 1;
inline constexpr int kCaptureThreadLocal = 1;

/// name, exported symbol, parameters
#define UCT_DRIVER_CALLS(X)                                                                              \
  X(init, "cuInit", (unsigned))                                                                          \
  X(driver_version, "cuDriverGetVersion", (int*))                                                        \
  X(error_name, "cuGetErrorName", (CUresult, const char**))                                              \
  X(error_string, "cuGetErrorString", (CUresult, const char**))                                          \
  X(device_get, "cuDeviceGet", (CUdevice*, int))                                                         \
  X(device_name, "cuDeviceGetName", (char*, int, CUdevice))                                              \
  X(device_uuid, "cuDeviceGetUuid_v2", (CUuuid*, CUdevice))                                              \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t*, CUdevice))                                           \
  X(device_attribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                                     \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                                  \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                         \
  X(set_current, "cuCtxSetCurrent", (CUcontext))                                                         \
  X(synchronize, "cuCtxSynchronize", ())                                                                 \
  X(get_limit, "cuCtxGetLimit", (size_t*, int))                                                          \
  X(reset_persisting, "cuCtxResetPersistingL2Cache", ())                                                 \
  X(module_load, "cuModuleLoadData", (CUmodule*, const void*))                                           \
  X(module_function, "cuModuleGetFunction", (CUfunction*, CUmodule, const char*))                        \
  X(launch, "cuLaunchKernel",                                                                            \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, \
     void**))                                                                                            \
  X(mem_alloc, "cuMemAlloc_v2", (CUdeviceptr*, size_t))                                                  \
  X(mem_free, "cuMemFree_v2", (CUdeviceptr))                                                             \
  X(host_alloc, "cuMemHostAlloc", (void**, size_t, unsigned))                                            \
  X(host_free, "cuMemFreeHost", (void*))                                                                 \
  X(host_pointer, "cuMemHostGetDevicePointer_v2", (CUdeviceptr*, void*, unsigned))                       \
  X(to_device, "cuMemcpyHtoD_v2", (CUdeviceptr, const void*, size_t))                                    \
  X(to_host, "cuMemcpyDtoH_v2", (void*, CUdeviceptr, size_t))                                            \
  X(fill8, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                            \
  X(fill32, "cuMemsetD32Async", (CUdeviceptr, unsigned, size_t, CUstream))                               \
  X(ipc_get, "cuIpcGetMemHandle", (CUipcMemHandle*, CUdeviceptr))                                        \
  X(ipc_open, "cuIpcOpenMemHandle_v2", (CUdeviceptr*, CUipcMemHandle, unsigned))                         \
  X(ipc_close, "cuIpcCloseMemHandle", (CUdeviceptr))                                                     \
  X(stream_create, "cuStreamCreate", (CUstream*, unsigned))                                              \
  X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                                    \
  X(stream_attribute, "cuStreamGetAttribute", (CUstream, int, CUstreamAttrValue*))                       \
  X(begin_capture, "cuStreamBeginCapture_v2", (CUstream, int))                                           \
  X(end_capture, "cuStreamEndCapture", (CUstream, CUgraph*))                                             \
  X(instantiate, "cuGraphInstantiateWithFlags", (CUgraphExec*, CUgraph, unsigned long long))             \
  X(graph_launch, "cuGraphLaunch", (CUgraphExec, CUstream))                                              \
  X(graph_destroy, "cuGraphDestroy", (CUgraph))                                                          \
  X(exec_destroy, "cuGraphExecDestroy", (CUgraphExec))                                                   \
  X(event_create, "cuEventCreate", (CUevent*, unsigned))                                                 \
  X(event_record, "cuEventRecord", (CUevent, CUstream))                                                  \
  X(event_elapsed, "cuEventElapsedTime", (float*, CUevent, CUevent))                                     \
  X(event_destroy, "cuEventDestroy_v2", (CUevent))

/// The driver's entry points.
struct Driver {
#define UCT_MEMBER(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  UCT_DRIVER_CALLS(UCT_MEMBER)
#undef UCT_MEMBER
};

/// Opens the driver once and calls cuInit; null, with *why set, when there is none that works.
const Driver* load_driver(const char** why, int* code);

}  // namespace uct
