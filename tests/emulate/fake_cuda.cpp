// A CUDA driver without a device: launches run on the CPU, a cluster after the other, each thread a fiber.
// Loaded under the driver's name, so that compiled programs find it. Kernels are functions of the process.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <ucontext.h>
#include <vector>

#include "uc_emulate.h"

namespace uc_emulate {

Index thread, block, block_extent, grid_extent;

namespace {

constexpr size_t kStack = 192 * 1024;
constexpr size_t kShared = 228 * 1024;
constexpr size_t kMostExchanged = 64;
struct Arguments {
  char bytes[32764];  // as much as a kernel may take
};
using Kernel = void (*)(Arguments);

struct Barrier {
  unsigned arrived = 0, generation = 0;
};

struct Fiber {
  ucontext_t context{};
  Index thread{}, block{};
  unsigned rank = 0, number = 0;  // of its block in the cluster, and its own in the block
  bool over = false;
  std::vector<char> stack = std::vector<char>(kStack);
};

struct Cluster {
  std::vector<Fiber> fibers;
  std::vector<std::vector<char>> memory;
  std::vector<Barrier> blocks, warps;
  Barrier whole;
  std::vector<char> lanes;  // what each thread gives its warp
  unsigned threads = 0;     // of a block
};

Cluster cluster;
Fiber* running = nullptr;
ucontext_t scheduler;
Kernel kernel = nullptr;
Arguments arguments;

}  // namespace

void give_way() { swapcontext(&running->context, &scheduler); }

namespace {

void meet(Barrier& barrier, unsigned count) {
  const unsigned before = barrier.generation;
  if (++barrier.arrived == count) {
    barrier.arrived = 0;
    ++barrier.generation;
    return;
  }
  while (barrier.generation == before) give_way();
}

void body() {
  kernel(arguments);
  running->over = true;
  give_way();
}

void start(const CUlaunchConfig& config, unsigned size, Index first) {
  cluster.threads = config.blockDimX;
  cluster.fibers.resize(size_t(size) * cluster.threads);
  cluster.memory.assign(size, std::vector<char>(kShared, char(0xcc)));
  cluster.blocks.assign(size, {});
  cluster.warps.assign(size_t(size) * ((cluster.threads + 31) / 32), {});
  cluster.whole = {};
  cluster.lanes.resize(cluster.fibers.size() * kMostExchanged);
  for (size_t i = 0; i < cluster.fibers.size(); ++i) {
    Fiber& fiber = cluster.fibers[i];
    fiber.rank = unsigned(i) / cluster.threads;
    fiber.number = unsigned(i) % cluster.threads;
    fiber.thread = {fiber.number, 0, 0};
    fiber.block = {first.x + fiber.rank, first.y, first.z};
    fiber.over = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, body, 0);
  }
}

void run_cluster() {
  for (bool any = true; any;) {
    any = false;
    for (Fiber& fiber : cluster.fibers) {
      if (fiber.over) continue;
      any = true;
      running = &fiber;
      thread = fiber.thread;
      block = fiber.block;
      swapcontext(&scheduler, &fiber.context);
    }
  }
}

}  // namespace

void sync_block() { meet(cluster.blocks[running->rank], cluster.threads); }
void sync_cluster() { meet(cluster.whole, unsigned(cluster.fibers.size())); }
unsigned rank() { return running->rank; }
char* shared(unsigned of) { return cluster.memory.at(of).data(); }

void exchange(const void* give, void* get, unsigned bytes, unsigned mask) {
  take(give, get, bytes, running->number % 32 ^ mask);
}

void take(const void* give, void* get, unsigned bytes, unsigned from) {
  if (bytes > kMostExchanged) abort();
  const unsigned warps = (cluster.threads + 31) / 32;
  const unsigned warp = running->number / 32;
  const unsigned width = cluster.threads - warp * 32 < 32 ? cluster.threads - warp * 32 : 32;
  Barrier& barrier = cluster.warps[running->rank * warps + warp];
  char* lanes = cluster.lanes.data() + (size_t(running->rank) * cluster.threads + warp * 32) * kMostExchanged;
  const unsigned lane = running->number % 32;
  memcpy(lanes + lane * kMostExchanged, give, bytes);
  meet(barrier, width);
  memcpy(get, lanes + from * kMostExchanged, bytes);
  meet(barrier, width);
}

// Nobody says how many bytes a kernel takes: as many as there can be, up to where the caller's stack ends.
size_t readable(const void* from) {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t size = 0;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto left = size_t(static_cast<char*>(low) + size - static_cast<const char*>(from));
  return from >= low && left < sizeof(Arguments) ? left : sizeof(Arguments);
}

CUresult launch(const CUlaunchConfig& config, Kernel function, void** args) {
  unsigned size = 1;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      size = config.attrs[i].value.clusterDim.x;
  }
  if (config.gridDimX % size != 0 || config.blockDimX == 0 || config.blockDimX > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  kernel = function;
  memcpy(&arguments, args[0], readable(args[0]));
  block_extent = {config.blockDimX, config.blockDimY, config.blockDimZ};
  grid_extent = {config.gridDimX, config.gridDimY, config.gridDimZ};
  for (unsigned y = 0; y < config.gridDimY; ++y) {
    for (unsigned x = 0; x < config.gridDimX; x += size) {
      start(config, size, {x, y, 0});
      run_cluster();
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace uc_emulate

extern "C" {
CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int) { return *device = 0, CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const char* arch = getenv("UC_EMULATED_ARCH");  // "90"
  const int number = arch == nullptr ? 90 : atoi(arch);
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? number / 10
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? number % 10
                                                                       : 4;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return *context = nullptr, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext*) { return CUDA_SUCCESS; }
CUresult cuModuleLoadData(CUmodule* module, const void*) { return *module = nullptr, CUDA_SUCCESS; }
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = reinterpret_cast<CUfunction>(dlsym(RTLD_DEFAULT, name));
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** args, void**) {
  return uc_emulate::launch(*config, reinterpret_cast<uc_emulate::Kernel>(function), args);
}
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "refused", CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction, const CUlaunchConfig*) {
  return *count = 1, CUDA_SUCCESS;
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
}
