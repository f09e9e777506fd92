// Compiles only when the driver functions declared in runner/driver.h take what cuda.h says: same number of
// parameters, each of the same size and kind. Built where the CUDA toolkit is installed; nothing is linked or
// run.
#include <cstddef>
#include <cstdint>
#include <cuda.h>
#include <type_traits>

namespace ours {
#include "driver.h"
}

namespace {

template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B> &&
                       std::is_class_v<A> == std::is_class_v<B>;

template <class A, class B>
struct same_call : std::false_type {};
template <class RA, class RB, class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct same_call<RA (*)(A...), RB (*)(B...)> : std::bool_constant<alike<RA, RB> && (alike<A, B> && ...)> {};

#define UCT_STRING2(x) #x
#define UCT_STRING(x) UCT_STRING2(x)
constexpr bool equal(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

/// cuda.h renames functions to their current version by macros; X(ours, function) checks type and exported
/// name.
#define X(name, function)                                                                   \
  static_assert(same_call<decltype(ours::uct::Driver::name), decltype(&::function)>::value, \
                #function " differs");                                                      \
  static_assert(equal(symbol_##name(), UCT_STRING(function)), #function " has another name");

#define UCT_SYMBOL(name, symbol, parameters) \
  constexpr const char* symbol_##name() { return symbol; }
UCT_DRIVER_CALLS(UCT_SYMBOL)

X(init, cuInit)
X(driver_version, cuDriverGetVersion)
X(error_name, cuGetErrorName)
X(error_string, cuGetErrorString)
X(device_get, cuDeviceGet)
X(device_name, cuDeviceGetName)
X(device_uuid, cuDeviceGetUuid)
X(device_memory, cuDeviceTotalMem)
X(device_attribute, cuDeviceGetAttribute)
X(primary_retain, cuDevicePrimaryCtxRetain)
X(primary_release, cuDevicePrimaryCtxRelease)
X(set_current, cuCtxSetCurrent)
X(synchronize, cuCtxSynchronize)
X(get_limit, cuCtxGetLimit)
X(reset_persisting, cuCtxResetPersistingL2Cache)
X(module_load, cuModuleLoadData)
X(module_function, cuModuleGetFunction)
X(launch, cuLaunchKernel)
X(mem_alloc, cuMemAlloc)
X(mem_free, cuMemFree)
X(host_alloc, cuMemHostAlloc)
X(host_free, cuMemFreeHost)
X(host_pointer, cuMemHostGetDevicePointer)
X(to_device, cuMemcpyHtoD)
X(to_host, cuMemcpyDtoH)
X(fill8, cuMemsetD8Async)
X(fill32, cuMemsetD32Async)
X(ipc_get, cuIpcGetMemHandle)
X(ipc_open, cuIpcOpenMemHandle)
X(ipc_close, cuIpcCloseMemHandle)
X(stream_create, cuStreamCreate)
X(stream_destroy, cuStreamDestroy)
X(stream_attribute, cuStreamGetAttribute)
X(begin_capture, cuStreamBeginCapture)
X(end_capture, cuStreamEndCapture)
X(instantiate, cuGraphInstantiateWithFlags)
X(graph_launch, cuGraphLaunch)
X(graph_destroy, cuGraphDestroy)
X(exec_destroy, cuGraphExecDestroy)
X(event_create, cuEventCreate)
X(event_record, cuEventRecord)
X(event_destroy, cuEventDestroy)

static_assert(ours::uct::kAttrSmCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(ours::uct::kAttrL2 == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(ours::uct::kAttrMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::uct::kAttrMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ours::uct::kLimitPersistingL2 == CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
static_assert(ours::uct::kStreamAttrAccessPolicy == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW);
static_assert(ours::uct::kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(sizeof(ours::uct::CUstreamAttrValue) >= sizeof(CUstreamAttrValue));
static_assert(sizeof(ours::uct::CUuuid) == sizeof(CUuuid) &&
              sizeof(ours::uct::CUipcMemHandle) == sizeof(CUipcMemHandle));

}  // namespace
