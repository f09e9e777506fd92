// The candidate ABI over tables: a generated program is data (tensors, kernels, launches), this is its only
// code. Driver API by dlopen: the shared object links neither libcuda nor libcudart.
#ifndef UC_RUNTIME_H
#define UC_RUNTIME_H
#include <cuda.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "uc_abi.h"
#include "uc_kernel_args.h"

namespace uc_runtime {

struct Tensor {
  const char* name;
  int32_t dtype, ndim;
  int64_t shape[UC_MAX_RANK], stride[UC_MAX_RANK];
  uint32_t element_bytes, align_bytes;
};

enum Where : uint8_t { kNone, kInput, kParam, kPacked, kWorkspace, kOutput, kScratch };

// A view of memory: a tensor of the caller, or bytes inside packed memory or workspace.
struct View {
  Where where;
  uint32_t index;  // of the input, param or output
  int64_t offset;  // bytes
  int64_t stride[UC_MAX_RANK];
};

struct Kernel {
  const char* symbol;
  const unsigned char* cubin;
  uint32_t parts, first;  // device functions, and where they begin among all of the program
  // Of uc_kernel_args.h; null without a host half.
  int64_t (*scratch)(const uck_gemm*);
  int (*params_bytes)(int part);
  void (*shape)(int part, uck_geometry*);
  int (*prepare)(const uck_gemm*, int part, void* params, uck_geometry*);
  int64_t (*packed)(const uck_gemm*);  // null: it keeps nothing of B
};

struct Body {
  int64_t vectors;
  int64_t shape[UC_MAX_RANK];
  const View* views;
  uint32_t view_count;
  // Where a block turns a box: its row dimension, batches, rows and columns, and the rank of `shape`.
  int64_t tile[4];
  uint32_t rank;
};

// One device function over rows.
struct RowsPart {
  uint32_t threads, cluster;
  int64_t group;            // rows of a block
  uint32_t parts;           // blocks that a row is split over in this function
  int32_t split;            // ... and in those that gather
  int64_t rows, columns;
  int64_t shape[UC_MAX_RANK];
  const View* views;
  uint32_t view_count;
  const int64_t (*limits)[2];  // null without windows
};
struct Rows {
  const RowsPart* parts;  // as many as the kernel has
  int64_t scratch;        // bytes
};

struct Launch {
  uint32_t kernel;
  bool load_phase;
  bool keeps;  // what its kernel makes of B is made in the load phase
  // contraction
  int64_t l, m, n, k;
  int32_t raster, swizzle, split;
  const View *a, *b, *views;
  uint32_t view_count;
  // map
  const Body* bodies;
  uint32_t body_count, threads;
  // convolution, beside what it has of a contraction
  const uck_conv* conv;
  // over rows
  const Rows* rows;
  // attention, beside what it has of a contraction
  const uck_attention* attention;
};

// What depends on sizes.
struct Sized {
  const Tensor *inputs, *params, *outputs;
  const Launch* launches;
  uint64_t packed_bytes, workspace_bytes;  // workspace: without the kernels' scratch
};

// A named dimension, and the sizes that the kernels serve.
struct Dim {
  const char* name;
  int64_t low, high, step;
  int64_t chosen;  // what the kernels were chosen for
};

struct Program {
  const char *hash, *manifest;
  uint32_t input_count, param_count, output_count;
  const Kernel* kernels;
  uint32_t kernel_count, function_count, launch_count;
  int32_t major, minor;  // compute capability that the kernels are compiled for
  bool exact;            // ... and no later one of the same major number
  const Dim* dims;
  uint32_t dim_count;
};
// Defined by the generated source. `dims` is only read where the program names dimensions.
extern const Program program;
void with_tables(const int64_t* dims, void (*then)(void* context, const Sized&), void* context);

// ---- the driver, looked up once

struct Driver {
  void* library;
  CUresult (*Init)(unsigned);
  CUresult (*DriverGetVersion)(int*);
  CUresult (*DeviceGet)(CUdevice*, int);
  CUresult (*DeviceGetAttribute)(int*, CUdevice_attribute, CUdevice);
  CUresult (*PrimaryCtxRetain)(CUcontext*, CUdevice);
  CUresult (*PrimaryCtxRelease)(CUdevice);
  CUresult (*CtxPush)(CUcontext);
  CUresult (*CtxPop)(CUcontext*);
  CUresult (*ModuleLoadData)(CUmodule*, const void*);
  CUresult (*ModuleUnload)(CUmodule);
  CUresult (*ModuleGetFunction)(CUfunction*, CUmodule, const char*);
  CUresult (*FuncSetAttribute)(CUfunction, CUfunction_attribute, int);
  CUresult (*LaunchKernelEx)(const CUlaunchConfig*, CUfunction, void**, void**);
  CUresult (*GetErrorString)(CUresult, const char**);
  CUresult (*OccupancyMaxActiveClusters)(int*, CUfunction, const CUlaunchConfig*);
  CUresult (*MemsetD8Async)(CUdeviceptr, unsigned char, size_t, CUstream);
  CUresult (*TensorMapEncodeIm2col)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                    const cuuint64_t*, const int*, const int*, cuuint32_t, cuuint32_t,
                                    const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  CUresult (*TensorMapEncodeTiled)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                   const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                   CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                   CUtensorMapFloatOOBfill);
  bool ok;
};

template <class F>
bool find(void* library, const char* name, F& into) {
  into = reinterpret_cast<F>(dlsym(library, name));
  return into != nullptr;
}

inline Driver load_driver() {
  Driver d{};
  d.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (d.library == nullptr) return d;
  void* l = d.library;
  d.ok = find(l, "cuInit", d.Init) && find(l, "cuDriverGetVersion", d.DriverGetVersion) &&
         find(l, "cuDeviceGet", d.DeviceGet) &&
         find(l, "cuDeviceGetAttribute", d.DeviceGetAttribute) &&
         find(l, "cuDevicePrimaryCtxRetain", d.PrimaryCtxRetain) &&
         find(l, "cuDevicePrimaryCtxRelease_v2", d.PrimaryCtxRelease) &&
         find(l, "cuCtxPushCurrent_v2", d.CtxPush) && find(l, "cuCtxPopCurrent_v2", d.CtxPop) &&
         find(l, "cuModuleLoadData", d.ModuleLoadData) && find(l, "cuModuleUnload", d.ModuleUnload) &&
         find(l, "cuModuleGetFunction", d.ModuleGetFunction) &&
         find(l, "cuFuncSetAttribute", d.FuncSetAttribute) && find(l, "cuLaunchKernelEx", d.LaunchKernelEx) &&
         find(l, "cuGetErrorString", d.GetErrorString) &&
         find(l, "cuOccupancyMaxActiveClusters", d.OccupancyMaxActiveClusters) &&
         find(l, "cuMemsetD8Async", d.MemsetD8Async) &&
         find(l, "cuTensorMapEncodeTiled", d.TensorMapEncodeTiled);
  find(l, "cuTensorMapEncodeIm2col", d.TensorMapEncodeIm2col);  // asked for by convolutions alone
  return d;
}

inline const Driver& driver() {
  static const Driver d = load_driver();
  return d;
}

__attribute__((format(printf, 3, 4))) inline ucutlass_status say(ucutlass_message* message,
                                                                 ucutlass_status status, const char* format,
                                                                 ...) {
  if (message != nullptr) {
    va_list args;
    va_start(args, format);
    vsnprintf(message->text, sizeof message->text, format, args);
    va_end(args);
  }
  return status;
}

inline ucutlass_status cuda_failed(ucutlass_message* message, const char* doing, CUresult code) {
  const char* text = nullptr;
  driver().GetErrorString(code, &text);
  return say(message, UCUTLASS_CUDA_ERROR, "%s: %s", doing, text == nullptr ? "unknown CUDA error" : text);
}

struct Opened {
  CUdevice device;
  CUcontext context;
  int sms;
  CUmodule* modules;        // a kernel
  CUfunction* functions;    // a part of a kernel
  int* max_clusters;        // a part of a kernel
  uint64_t* kept;           // a launch: where what it keeps of B begins in packed memory
  uint64_t packed_bytes;
  uint64_t scratch_offset, workspace_bytes;  // at the sizes that the kernels were chosen for
};

struct Scope {  // the program's context for the duration of a call
  explicit Scope(CUcontext context) { driver().CtxPush(context); }
  ~Scope() {
    CUcontext popped;
    driver().CtxPop(&popped);
  }
};

inline void close(ucutlass_program* handle) {
  if (handle == nullptr) return;
  Opened* self = reinterpret_cast<Opened*>(handle);
  {
    Scope scope(self->context);
    for (uint32_t i = 0; i < program.kernel_count; ++i) {
      if (self->modules[i] != nullptr) driver().ModuleUnload(self->modules[i]);
    }
  }
  driver().PrimaryCtxRelease(self->device);
  delete[] self->modules;
  delete[] self->functions;
  delete[] self->max_clusters;
  delete[] self->kept;
  delete self;
}

inline void fill_config(CUlaunchConfig& config, CUlaunchAttribute (&attributes)[2],
                        const uck_geometry& geometry, ucutlass_stream stream) {
  memset(&config, 0, sizeof config);
  memset(attributes, 0, sizeof attributes);
  config.gridDimX = geometry.grid[0];
  config.gridDimY = geometry.grid[1];
  config.gridDimZ = geometry.grid[2];
  config.blockDimX = geometry.block[0];
  config.blockDimY = geometry.block[1];
  config.blockDimZ = geometry.block[2];
  config.sharedMemBytes = geometry.smem;
  config.hStream = reinterpret_cast<CUstream>(stream);
  config.attrs = attributes;
  if (geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2] > 1) {
    CUlaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = geometry.cluster[0];
    cluster.value.clusterDim.y = geometry.cluster[1];
    cluster.value.clusterDim.z = geometry.cluster[2];
  }
  if (geometry.overlap != 0) {
    CUlaunchAttribute& overlap = attributes[config.numAttrs++];
    overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    overlap.value.programmaticStreamSerializationAllowed = 1;
  }
}

// A persistent kernel launches as many clusters as fit: with more, some would start when the first have
// finished.
inline CUresult count_clusters(Opened* self, uint32_t function, const uck_geometry& geometry) {
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config;
  fill_config(config, attributes, geometry, nullptr);
  const uint32_t size = geometry.cluster[0] * geometry.cluster[1] * geometry.cluster[2];
  config.gridDimX = geometry.cluster[0] * uint32_t(self->sms);
  config.gridDimY = geometry.cluster[1];
  config.gridDimZ = geometry.cluster[2];
  if (size == 1) {
    self->max_clusters[function] = self->sms;
    return CUDA_SUCCESS;
  }
  return driver().OccupancyMaxActiveClusters(&self->max_clusters[function], self->functions[function],
                                             &config);
}

inline ucutlass_status load_function(Opened* self, uint32_t index, uint32_t part,
                                     ucutlass_message* message) {
  const Kernel& kernel = program.kernels[index];
  const uint32_t function = kernel.first + part;
  char symbol[64];
  snprintf(symbol, sizeof symbol, part == 0 ? "%s" : "%s_%u", kernel.symbol, part);
  CUresult code = driver().ModuleGetFunction(&self->functions[function], self->modules[index], symbol);
  if (code != CUDA_SUCCESS) return cuda_failed(message, symbol, code);
  if (kernel.shape == nullptr) return UCUTLASS_OK;
  uck_geometry geometry{};
  kernel.shape(int(part), &geometry);
  code = driver().FuncSetAttribute(self->functions[function],
                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(geometry.smem));
  if (code != CUDA_SUCCESS) return cuda_failed(message, "shared memory of the kernel", code);
  code = count_clusters(self, function, geometry);
  return code == CUDA_SUCCESS ? UCUTLASS_OK : cuda_failed(message, "clusters of the kernel", code);
}

inline ucutlass_status load_kernels(Opened* self, ucutlass_message* message) {
  Scope scope(self->context);
  for (uint32_t i = 0; i < program.kernel_count; ++i) {
    const Kernel& kernel = program.kernels[i];
    const CUresult code = driver().ModuleLoadData(&self->modules[i], kernel.cubin);
    if (code != CUDA_SUCCESS) return cuda_failed(message, kernel.symbol, code);
    for (uint32_t part = 0; part < kernel.parts; ++part) {
      const ucutlass_status status = load_function(self, i, part, message);
      if (status != UCUTLASS_OK) return status;
    }
  }
  return UCUTLASS_OK;
}

inline ucutlass_status check_sizes(const int64_t* dims, ucutlass_message* message) {
  if (program.dim_count != 0 && dims == nullptr)
    return say(message, UCUTLASS_BAD_SHAPE, "no sizes given: the program runs at any %s", program.dims[0].name);
  for (uint32_t i = 0; i < program.dim_count; ++i) {
    const Dim& dim = program.dims[i];
    if (dims[i] < dim.low || dims[i] > dim.high || dims[i] % dim.step != 0) {
      return say(message, UCUTLASS_BAD_SHAPE, "%s is %lld, built for %lld..%lld step %lld", dim.name,
                 (long long)dims[i], (long long)dim.low, (long long)dim.high, (long long)dim.step);
    }
  }
  return UCUTLASS_OK;
}

// What `f` returns for the tables of these sizes.
template <class F>
ucutlass_status at_sizes(const int64_t* dims, ucutlass_message* message, F f) {
  const ucutlass_status fit = check_sizes(dims, message);
  if (fit != UCUTLASS_OK) return fit;
  struct Call {
    F* f;
    ucutlass_status status;
  } call{&f, UCUTLASS_OK};
  with_tables(
      dims,
      [](void* context, const Sized& sized) {
        Call* each = static_cast<Call*>(context);
        each->status = (*each->f)(sized);
      },
      &call);
  return call.status;
}

// Sizes and knobs of a launch, without memory.
inline uck_gemm sizes_of(const Opened* self, const Launch& launch) {
  uck_gemm gemm{};
  gemm.l = launch.l;
  gemm.m = launch.m;
  gemm.n = launch.n;
  gemm.k = launch.k;
  memcpy(gemm.a.stride, launch.a->stride, sizeof gemm.a.stride);
  memcpy(gemm.b.stride, launch.b->stride, sizeof gemm.b.stride);
  for (uint32_t i = 0; i < launch.view_count; ++i)
    memcpy(gemm.view[i].stride, launch.views[i].stride, sizeof gemm.view[i].stride);
  gemm.sms = self->sms;
  gemm.max_clusters = self->max_clusters[program.kernels[launch.kernel].first];
  gemm.raster = launch.raster;
  gemm.swizzle = launch.swizzle;
  gemm.split = launch.split;
  gemm.keeps = launch.keeps;
  gemm.conv = launch.conv;
  gemm.attention = launch.attention;
  return gemm;
}

struct Workspace {
  uint64_t scratch_offset, bytes;
};

// Launches run one after the other, so they share the scratch.
inline Workspace workspace_of(const Opened* self, const Sized& sized) {
  int64_t most = 0;
  for (uint32_t i = 0; i < program.launch_count; ++i) {
    const Kernel& kernel = program.kernels[sized.launches[i].kernel];
    const Rows* rows = sized.launches[i].rows;
    if (rows != nullptr && rows->scratch > most) most = rows->scratch;
    if (kernel.scratch == nullptr) continue;
    const uck_gemm gemm = sizes_of(self, sized.launches[i]);
    const int64_t bytes = kernel.scratch(&gemm);
    if (bytes > most) most = bytes;
  }
  const uint64_t offset = (sized.workspace_bytes + 255) / 256 * 256;
  return {offset, most == 0 ? sized.workspace_bytes : offset + uint64_t(most)};
}

// What a launch keeps of its B is its own. It is the same at all sizes, as all packed memory is.
inline void plan_packed(Opened* self, const Sized& sized) {
  self->packed_bytes = sized.packed_bytes;
  for (uint32_t i = 0; i < program.launch_count; ++i) {
    const Launch& launch = sized.launches[i];
    if (!launch.keeps) continue;
    const uck_gemm gemm = sizes_of(self, launch);
    self->kept[i] = (self->packed_bytes + 255) / 256 * 256;
    self->packed_bytes = self->kept[i] + uint64_t(program.kernels[launch.kernel].packed(&gemm));
  }
}

// Clusters of more than 8 blocks are not portable: the driver asks that this be said.
inline ucutlass_status allow_clusters(const Opened* self, const Sized& sized, ucutlass_message* message) {
  Scope scope(self->context);
  for (uint32_t i = 0; i < program.launch_count; ++i) {
    const Launch& launch = sized.launches[i];
    const Kernel& kernel = program.kernels[launch.kernel];
    for (uint32_t part = 0; launch.rows != nullptr && part < kernel.parts; ++part) {
      if (launch.rows->parts[part].cluster <= 8) continue;
      const CUresult code =
          driver().FuncSetAttribute(self->functions[kernel.first + part],
                                    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
      if (code != CUDA_SUCCESS) return cuda_failed(message, "large clusters of the kernel", code);
    }
  }
  return UCUTLASS_OK;
}

inline ucutlass_status open(int index, ucutlass_program** out, ucutlass_message* message) {
  *out = nullptr;
  const Driver& d = driver();
  if (!d.ok)
    return say(message, UCUTLASS_BAD_DEVICE, "no usable libcuda.so.1: is the NVIDIA driver installed?");
  CUdevice device;
  CUresult code = d.Init(0);
  if (code == CUDA_SUCCESS) code = d.DeviceGet(&device, index);
  if (code != CUDA_SUCCESS) return cuda_failed(message, "opening the device", code);
  int major = 0, minor = 0, sms = 0;
  d.DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  d.DeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  d.DeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  if (major != program.major || minor < program.minor || (program.exact && minor != program.minor)) {
    return say(message, UCUTLASS_BAD_DEVICE, "built for sm_%d%d%s, the device is sm_%d%d", program.major,
               program.minor, program.exact ? "a" : "", major, minor);
  }
  CUcontext context;
  code = d.PrimaryCtxRetain(&context, device);
  if (code != CUDA_SUCCESS) return cuda_failed(message, "creating the context", code);
  Opened* self = new Opened{device,
                            context,
                            sms,
                            new CUmodule[program.kernel_count](),
                            new CUfunction[program.function_count](),
                            new int[program.function_count](),
                            new uint64_t[program.launch_count](),
                            0,
                            0,
                            0};
  int64_t chosen[UC_MAX_RANK];
  for (uint32_t i = 0; i < program.dim_count; ++i) chosen[i] = program.dims[i].chosen;
  ucutlass_status status = load_kernels(self, message);
  if (status == UCUTLASS_OK) {
    status = at_sizes(chosen, message, [self, message](const Sized& sized) {
      plan_packed(self, sized);
      const Workspace workspace = workspace_of(self, sized);
      self->scratch_offset = workspace.scratch_offset;
      self->workspace_bytes = workspace.bytes;
      return allow_clusters(self, sized, message);
    });
  }
  if (status != UCUTLASS_OK) {
    close(reinterpret_cast<ucutlass_program*>(self));
    return status;
  }
  *out = reinterpret_cast<ucutlass_program*>(self);
  return UCUTLASS_OK;
}

// The workspace of a call at `dims`; without them of one at the sizes that the kernels were chosen for, which is
// enough for `prepack`.
inline ucutlass_status sizes(const ucutlass_program* handle, const int64_t* dims, size_t* packed,
                             size_t* workspace, ucutlass_message* message) {
  const Opened* self = reinterpret_cast<const Opened*>(handle);
  if (packed != nullptr) *packed = self->packed_bytes;
  if (workspace != nullptr) *workspace = self->workspace_bytes;
  if (program.dim_count == 0 || dims == nullptr || workspace == nullptr) return UCUTLASS_OK;
  return at_sizes(dims, message, [&](const Sized& sized) {
    *workspace = workspace_of(self, sized).bytes;
    return UCUTLASS_OK;
  });
}

// ---- checks: what the kernels were built for is what the caller gives, else nothing is enqueued

inline ucutlass_status check_tensor(const Tensor& want, const ucutlass_tensor& have, const char* role,
                                    ucutlass_message* message) {
  if (have.dtype != want.dtype)
    return say(message, UCUTLASS_BAD_SHAPE, "%s %s: type %d, built for %d", role, want.name, have.dtype,
               want.dtype);
  if (have.ndim != want.ndim)
    return say(message, UCUTLASS_BAD_SHAPE, "%s %s: %d dimensions, built for %d", role, want.name, have.ndim,
               want.ndim);
  for (int i = 0; i < want.ndim; ++i) {
    if (have.shape[i] != want.shape[i]) {
      return say(message, UCUTLASS_BAD_SHAPE, "%s %s: extent %lld in dimension %d, built for %lld", role,
                 want.name, (long long)have.shape[i], i, (long long)want.shape[i]);
    }
    if (want.shape[i] > 1 && have.stride[i] != want.stride[i]) {
      return say(message, UCUTLASS_BAD_STRIDE, "%s %s: stride %lld in dimension %d, built for %lld", role,
                 want.name, (long long)have.stride[i], i, (long long)want.stride[i]);
    }
  }
  if (have.data == nullptr) return say(message, UCUTLASS_BAD_ALIGNMENT, "%s %s: no memory", role, want.name);
  if (reinterpret_cast<uintptr_t>(have.data) % want.align_bytes != 0) {
    return say(message, UCUTLASS_BAD_ALIGNMENT, "%s %s: address is not a multiple of %u bytes", role,
               want.name, want.align_bytes);
  }
  return UCUTLASS_OK;
}

inline ucutlass_status check_all(const Tensor* want, uint32_t count, const ucutlass_tensor* have,
                                 const char* role, ucutlass_message* message) {
  if (count != 0 && have == nullptr)
    return say(message, UCUTLASS_BAD_SHAPE, "no %ss given, built for %u", role, count);
  for (uint32_t i = 0; i < count; ++i) {
    const ucutlass_status status = check_tensor(want[i], have[i], role, message);
    if (status != UCUTLASS_OK) return status;
  }
  return UCUTLASS_OK;
}

inline int64_t span_bytes(const Tensor& tensor) {
  int64_t last = 0;
  for (int i = 0; i < tensor.ndim; ++i) last += (tensor.shape[i] - 1) * tensor.stride[i];
  return (last + 1) * tensor.element_bytes;
}

inline bool overlap(const void* a, int64_t a_bytes, const void* b, int64_t b_bytes) {
  const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return x < y + uintptr_t(b_bytes) && y < x + uintptr_t(a_bytes);
}

// Outputs may overlap nothing that the call reads or writes.
inline ucutlass_status check_overlap(const Sized& sized, const ucutlass_tensor* inputs, const ucutlass_tensor* params,
                                     const ucutlass_tensor* outputs, ucutlass_message* message) {
  for (uint32_t i = 0; i < program.output_count; ++i) {
    const int64_t bytes = span_bytes(sized.outputs[i]);
    for (uint32_t k = 0; k < program.input_count; ++k) {
      if (overlap(outputs[i].data, bytes, inputs[k].data, span_bytes(sized.inputs[k])))
        return say(message, UCUTLASS_BAD_STRIDE, "output %s overlaps input %s", sized.outputs[i].name,
                   sized.inputs[k].name);
    }
    for (uint32_t k = 0; k < program.param_count; ++k) {
      if (overlap(outputs[i].data, bytes, params[k].data, span_bytes(sized.params[k])))
        return say(message, UCUTLASS_BAD_STRIDE, "output %s overlaps param %s", sized.outputs[i].name,
                   sized.params[k].name);
    }
    for (uint32_t k = 0; k < i; ++k) {
      if (overlap(outputs[i].data, bytes, outputs[k].data, span_bytes(sized.outputs[k])))
        return say(message, UCUTLASS_BAD_STRIDE, "output %s overlaps output %s", sized.outputs[i].name,
                   sized.outputs[k].name);
    }
  }
  return UCUTLASS_OK;
}

inline ucutlass_status check_memory(const void* memory, size_t have, size_t want, const char* what,
                                    ucutlass_message* message) {
  if (want == 0) return UCUTLASS_OK;
  if (memory == nullptr || have < want)
    return say(message, UCUTLASS_BAD_WORKSPACE, "%s: %zu bytes given, %zu needed", what, have, want);
  if (reinterpret_cast<uintptr_t>(memory) % 256 != 0)
    return say(message, UCUTLASS_BAD_ALIGNMENT, "%s: address is not a multiple of 256 bytes", what);
  return UCUTLASS_OK;
}

// ---- launching

struct Memory {
  const ucutlass_tensor *inputs, *params, *outputs;
  void *packed, *workspace;
  uint64_t scratch_offset;  // of the kernels' scratch in the workspace
};

inline uck_view resolve(const View& view, const Memory& memory) {
  uck_view out;
  char* base = nullptr;
  switch (view.where) {
    case kInput: base = static_cast<char*>(memory.inputs[view.index].data); break;
    case kParam: base = static_cast<char*>(memory.params[view.index].data); break;
    case kOutput: base = static_cast<char*>(memory.outputs[view.index].data); break;
    case kPacked: base = static_cast<char*>(memory.packed); break;
    case kWorkspace: base = static_cast<char*>(memory.workspace); break;
    case kScratch: base = static_cast<char*>(memory.workspace) + memory.scratch_offset; break;
    case kNone: break;
  }
  out.data = base + view.offset;
  memcpy(out.stride, view.stride, sizeof out.stride);
  return out;
}

inline ucutlass_status enqueue(const Opened* self, uint32_t kernel, uint32_t part,
                               const uck_geometry& geometry, void* params, ucutlass_stream stream,
                               ucutlass_message* message) {
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config;
  fill_config(config, attributes, geometry, stream);
  void* args[] = {params};
  const CUfunction function = self->functions[program.kernels[kernel].first + part];
  const CUresult code = driver().LaunchKernelEx(&config, function, args, nullptr);
  return code == CUDA_SUCCESS ? UCUTLASS_OK : cuda_failed(message, program.kernels[kernel].symbol, code);
}

// `loading`: only what the kernel keeps of B, which is all that there is then.
inline ucutlass_status launch_gemm(const Opened* self, const Sized& sized, uint32_t index, bool loading, const Memory& memory,
                                   ucutlass_stream stream, ucutlass_message* message) {
  const Launch& launch = sized.launches[index];
  const Kernel& kernel = program.kernels[launch.kernel];
  uck_gemm gemm = sizes_of(self, launch);
  gemm.b = resolve(*launch.b, memory);
  if (!loading) {
    gemm.a = resolve(*launch.a, memory);
    for (uint32_t i = 0; i < launch.view_count; ++i) gemm.view[i] = resolve(launch.views[i], memory);
  }
  if (launch.keeps) gemm.packed = static_cast<char*>(memory.packed) + self->kept[index];
  gemm.loading = loading;
  gemm.scratch = static_cast<char*>(memory.workspace) + memory.scratch_offset;
  gemm.stream = stream;
  alignas(128) char params[8192];
  for (uint32_t part = 0; part < kernel.parts; ++part) {
    if (kernel.params_bytes(int(part)) > int(sizeof params))
      return say(message, UCUTLASS_BAD_SHAPE, "%s: parameters too large", kernel.symbol);
    uck_geometry geometry{};
    gemm.max_clusters = self->max_clusters[kernel.first + part];
    if (kernel.prepare(&gemm, int(part), params, &geometry) != 0) {
      return say(message, UCUTLASS_BAD_SHAPE, "%s: CUTLASS refuses these sizes or strides", kernel.symbol);
    }
    if (geometry.grid[0] == 0) continue;
    const ucutlass_status status =
        enqueue(self, launch.kernel, part, geometry, params, stream, message);
    if (status != UCUTLASS_OK) return status;
  }
  return UCUTLASS_OK;
}

// Threads that a body needs: one a vector, or a block for each box.
inline int64_t map_threads(const Body& body, uint32_t threads) {
  if (body.rank == 0 || body.vectors == 0) return body.vectors;
  int64_t batches = 1, boxes = 1;
  for (uint32_t d = 0; d < body.rank; ++d) {
    const int64_t part = d == uint32_t(body.tile[0]) ? body.tile[2] : body.tile[3];
    if (d == uint32_t(body.tile[0]) || d + 1 == body.rank) {
      boxes *= (body.shape[d] + part - 1) / part;
    } else {
      batches *= body.shape[d];
    }
  }
  return boxes * ((batches + body.tile[1] - 1) / body.tile[1]) * threads;
}

inline ucutlass_status launch_map(const Opened* self, const Launch& launch, const Memory& memory,
                                  ucutlass_stream stream, ucutlass_message* message) {
  // Bodies lie as in uck_map, or as in uc_maps.cuh's: with as many views as the largest has.
  union {
    int64_t words[32760 / 8];
    uck_map map;
  } params;
  uint32_t views = UC_MAX_VIEWS;
  if (launch.body_count > UC_MAX_BODIES) {
    views = 0;
    for (uint32_t i = 0; i < launch.body_count; ++i)
      if (launch.bodies[i].view_count > views) views = launch.bodies[i].view_count;
  }
  const size_t each = offsetof(uck_map_body, view) + views * sizeof(uck_view);
  const size_t bytes = launch.body_count > UC_MAX_BODIES ? launch.body_count * each : sizeof(uck_map);
  if (bytes > sizeof params) return say(message, UCUTLASS_BAD_SHAPE, "too many bodies for one launch");
  memset(&params, 0, bytes);
  int64_t most = 0;
  for (uint32_t i = 0; i < launch.body_count; ++i) {
    const Body& body = launch.bodies[i];
    auto* into = reinterpret_cast<uck_map_body*>(reinterpret_cast<char*>(&params) + i * each);
    into->vectors = map_threads(body, launch.threads);
    memcpy(into->shape, body.shape, sizeof body.shape);
    for (uint32_t k = 0; k < body.view_count; ++k) into->view[k] = resolve(body.views[k], memory);
    if (into->vectors > most) most = into->vectors;
  }
  if (most == 0) return UCUTLASS_OK;
  uck_geometry geometry{};
  const int64_t blocks = (most + launch.threads - 1) / launch.threads;
  geometry.grid[0] = uint32_t(blocks < 0x7fffffff ? blocks : 0x7fffffff);
  geometry.grid[1] = launch.body_count;
  geometry.grid[2] = 1;
  geometry.block[0] = launch.threads;
  geometry.block[1] = geometry.block[2] = 1;
  geometry.cluster[0] = geometry.cluster[1] = geometry.cluster[2] = 1;
  return enqueue(self, launch.kernel, 0, geometry, &params, stream, message);
}

inline ucutlass_status launch_rows(const Opened* self, const Launch& launch, const Memory& memory,
                                   ucutlass_stream stream, ucutlass_message* message) {
  const Kernel& kernel = program.kernels[launch.kernel];
  for (uint32_t part = 0; part < kernel.parts; ++part) {
    const RowsPart& from = launch.rows->parts[part];
    if (from.rows == 0) continue;
    uck_rows rows{};
    rows.rows = from.rows;
    rows.columns = from.columns;
    memcpy(rows.shape, from.shape, sizeof rows.shape);
    for (uint32_t i = 0; i < from.view_count; ++i) {
      rows.view[i] = resolve(from.views[i], memory);
      if (from.limits == nullptr) continue;
      rows.least[i] = from.limits[i][0];
      rows.most[i] = from.limits[i][1];
    }
    rows.split = from.split;
    rows.scratch = static_cast<char*>(memory.workspace) + memory.scratch_offset;
    const int64_t blocks = (from.rows + from.group - 1) / from.group * from.cluster;
    const uck_geometry geometry{{uint32_t(blocks), from.parts, 1}, {from.threads, 1, 1}, {from.cluster, 1, 1}, 0, 0};
    const ucutlass_status status =
        enqueue(self, launch.kernel, part, geometry, &rows, stream, message);
    if (status != UCUTLASS_OK) return status;
  }
  return UCUTLASS_OK;
}

inline ucutlass_status launch_phase(const Opened* self, const Sized& sized, bool load, const Memory& memory,
                                    ucutlass_stream stream, ucutlass_message* message) {
  Scope scope(self->context);
  for (uint32_t i = 0; i < program.launch_count; ++i) {
    const Launch& launch = sized.launches[i];
    const bool loading = load && launch.keeps;
    if (launch.load_phase != load && !loading) continue;
    const bool gemm = program.kernels[launch.kernel].prepare != nullptr;
    const ucutlass_status status = gemm ? launch_gemm(self, sized, i, loading, memory, stream, message)
                                   : launch.rows != nullptr
                                       ? launch_rows(self, launch, memory, stream, message)
                                       : launch_map(self, launch, memory, stream, message);
    if (status != UCUTLASS_OK) return status;
  }
  return UCUTLASS_OK;
}

// How much of it was given is not said.
inline ucutlass_status check_packed(const ucutlass_program* handle, const void* packed, ucutlass_message* message) {
  const size_t bytes = reinterpret_cast<const Opened*>(handle)->packed_bytes;
  return check_memory(packed, bytes, bytes, "packed memory", message);
}

inline ucutlass_status prepack(const ucutlass_program* handle, const ucutlass_tensor* params, void* packed,
                               void* workspace, size_t workspace_bytes, ucutlass_stream stream,
                               ucutlass_message* message) {
  const Opened* self = reinterpret_cast<const Opened*>(handle);
  int64_t chosen[UC_MAX_RANK];
  for (uint32_t i = 0; i < program.dim_count; ++i) chosen[i] = program.dims[i].chosen;
  return at_sizes(chosen, message, [&](const Sized& sized) {
    ucutlass_status status = check_all(sized.params, program.param_count, params, "param", message);
    if (status == UCUTLASS_OK) status = check_packed(handle, packed, message);
    if (status == UCUTLASS_OK)
      status = check_memory(workspace, workspace_bytes, self->workspace_bytes, "workspace", message);
    if (status != UCUTLASS_OK) return status;
    const Memory memory{nullptr, params, nullptr, packed, workspace, self->scratch_offset};
    return launch_phase(self, sized, true, memory, stream, message);
  });
}

inline ucutlass_status run(const ucutlass_program* handle, const ucutlass_tensor* inputs,
                           const ucutlass_tensor* params, const void* packed, const ucutlass_tensor* outputs,
                           void* workspace, size_t workspace_bytes, const int64_t* dims, uint32_t,
                           ucutlass_stream stream, ucutlass_message* message) {
  const Opened* self = reinterpret_cast<const Opened*>(handle);
  return at_sizes(dims, message, [&](const Sized& sized) {
    ucutlass_status status = check_all(sized.inputs, program.input_count, inputs, "input", message);
    if (status == UCUTLASS_OK) status = check_all(sized.params, program.param_count, params, "param", message);
    if (status == UCUTLASS_OK)
      status = check_all(sized.outputs, program.output_count, outputs, "output", message);
    if (status == UCUTLASS_OK) status = check_overlap(sized, inputs, params, outputs, message);
    if (status == UCUTLASS_OK) status = check_packed(handle, packed, message);
    const Workspace needed = program.dim_count == 0 ? Workspace{self->scratch_offset, self->workspace_bytes}
                                                    : workspace_of(self, sized);
    if (status == UCUTLASS_OK)
      status = check_memory(workspace, workspace_bytes, needed.bytes, "workspace", message);
    if (status != UCUTLASS_OK) return status;
    const Memory memory{inputs, params, outputs, const_cast<void*>(packed), workspace, needed.scratch_offset};
    return launch_phase(self, sized, false, memory, stream, message);
  });
}

inline const ucutlass_api* api(uint32_t version) {
  static const ucutlass_api table = {
      UCUTLASS_ABI, sizeof(ucutlass_api), program.hash, program.manifest, open, close, sizes, prepack, run};
  return version == UCUTLASS_ABI ? &table : nullptr;
}

}  // namespace uc_runtime

// What the CUTLASS host code of the kernels calls; answered here so that libcudart is not linked.
extern "C" {
__attribute__((visibility("hidden"))) CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* shape,
    const cuuint64_t* stride, const cuuint32_t* box, const cuuint32_t* element_stride,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return uc_runtime::driver().TensorMapEncodeTiled(map, type, rank, address, shape, stride, box,
                                                   element_stride, interleave, swizzle, promotion, fill);
}
__attribute__((visibility("hidden"))) CUresult CUDAAPI cuTensorMapEncodeIm2col(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address, const cuuint64_t* shape,
    const cuuint64_t* stride, const int* lower, const int* upper, cuuint32_t channels, cuuint32_t pixels,
    const cuuint32_t* element_stride, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  if (uc_runtime::driver().TensorMapEncodeIm2col == nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return uc_runtime::driver().TensorMapEncodeIm2col(map, type, rank, address, shape, stride, lower, upper,
                                                    channels, pixels, element_stride, interleave, swizzle,
                                                    promotion, fill);
}
__attribute__((visibility("hidden"))) int cudaMemsetAsync(void* at, int value, size_t bytes, void* stream) {
  const CUresult code =
      uc_runtime::driver().MemsetD8Async(reinterpret_cast<CUdeviceptr>(at), static_cast<unsigned char>(value),
                                         bytes, static_cast<CUstream>(stream));
  return code == CUDA_SUCCESS ? 0 : 1;
}
__attribute__((visibility("hidden"))) int cudaGetLastError() { return 0; }
// CUTLASS 4.7 asks: it mends descriptors of small tensors for drivers up to 13.1.
__attribute__((visibility("hidden"))) int cudaDriverGetVersion(int* version) {
  return uc_runtime::driver().DriverGetVersion(version) == CUDA_SUCCESS ? 0 : 1;
}
__attribute__((visibility("hidden"))) int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
__attribute__((visibility("hidden"))) int cudaDeviceGetAttribute(int* value, int, int) {
  *value = 0;
  return 1;
}
}
#endif
