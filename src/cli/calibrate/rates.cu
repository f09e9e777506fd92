// Measures what a GPU reaches: memory by access mix, scalar pipes, the gap between dependent launches. One
// JSON object a line on stdout. Clocks are sampled by NVML while the kernels run.
//   nvcc -std=c++17 -O3 -arch=native rates.cu -o rates -ldl && ./rates [DEVICE [quick]]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <string>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t code = (call);                                     \
    if (code != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)); \
      std::exit(3);                                                      \
    }                                                                    \
  } while (0)

// ---- clocks

struct Clocks {
  unsigned sm = 0, dram = 0;  // MHz; 0: not known
};

class Nvml {
 public:
  explicit Nvml(int device) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto by_bus =
        reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    clock_ = reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(library, "nvmlDeviceGetClockInfo"));
    max_ = reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(library, "nvmlDeviceGetMaxClockInfo"));
    char bus[64] = {};
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    open_ = init != nullptr && by_bus != nullptr && clock_ != nullptr && max_ != nullptr && init() == 0 &&
            by_bus(bus, &handle_) == 0;
  }
  Clocks now() const { return read(clock_); }
  Clocks highest() const { return read(max_); }

 private:
  static constexpr int kSm = 1, kMemory = 2;
  Clocks read(int (*get)(void*, int, unsigned*)) const {
    Clocks out;
    if (!open_) return out;
    if (get(handle_, kSm, &out.sm) != 0) out.sm = 0;
    if (get(handle_, kMemory, &out.dram) != 0) out.dram = 0;
    return out;
  }
  void* handle_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*max_)(void*, int, unsigned*) = nullptr;
  bool open_ = false;
};

// ---- timing

struct Times {
  double best = 1e30, median = 0;  // seconds a run
  Clocks clocks;
};

// Each run is timed alone; clocks are read while the last ones are in flight.
template <class Run>
Times time_runs(const Nvml& nvml, int runs, Run run) {
  std::vector<cudaEvent_t> events(size_t(runs) + 1);
  for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
  for (int i = 0; i < 3; ++i) run();
  CHECK(cudaEventRecord(events[0]));
  for (int i = 0; i < runs; ++i) {
    run();
    CHECK(cudaEventRecord(events[size_t(i) + 1]));
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventSynchronize(events[size_t(runs) / 2]));
  Times out;
  out.clocks = nvml.now();
  CHECK(cudaEventSynchronize(events.back()));
  std::vector<double> each;
  for (int i = 0; i < runs; ++i) {
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, events[size_t(i)], events[size_t(i) + 1]));
    each.push_back(ms * 1e-3);
  }
  for (cudaEvent_t& event : events) CHECK(cudaEventDestroy(event));
  std::sort(each.begin(), each.end());
  out.best = each.front();
  out.median = each[each.size() / 2];
  return out;
}

// `work` a run, in 1e12.
static void print_rate(const char* record, const char* what, const std::string& shape, const char* by,
                       double work, const Times& best) {
  std::printf(
      "{\"record\":\"%s\",\"what\":\"%s\",\"best\":%.6g,\"median\":%.6g,\"shape\":\"%s\",\"data\":\"\","
      "\"by\":\"%s\",\"sm_mhz\":%u,\"dram_mhz\":%u}\n",
      record, what, work / best.best, work / best.median, shape.c_str(), by, best.clocks.sm,
      best.clocks.dram);
  std::fflush(stdout);
}

// ---- memory: 16-byte vectors, kUnroll in flight a thread

enum class Mix { copy, read, write, triad };

// kUnroll vectors, `step` apart, from `first` on.
template <Mix mix, int kUnroll>
__device__ void move(float4* a, const float4* b, const float4* c, size_t first, size_t step, size_t count,
                     float scale, float4& sum) {
  float4 x[kUnroll], y[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const size_t at = first + size_t(u) * step;
    x[u] = y[u] = make_float4(scale, scale, scale, scale);
    if (mix != Mix::write && at < count) x[u] = __ldcs(b + at);
    if (mix == Mix::triad && at < count) y[u] = __ldcs(c + at);
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const size_t at = first + size_t(u) * step;
    if (mix == Mix::triad)
      x[u] = make_float4(x[u].x + scale * y[u].x, x[u].y + scale * y[u].y, x[u].z + scale * y[u].z,
                         x[u].w + scale * y[u].w);
    if (mix == Mix::read) {
      sum.x += x[u].x, sum.y += x[u].y, sum.z += x[u].z, sum.w += x[u].w;
    } else if (at < count) {
      __stcs(a + at, x[u]);
    }
  }
}

// Never true of the data that is there; the compiler does not know.
template <Mix mix>
__device__ void use(float4* a, const float4& sum) {
  if (mix == Mix::read && sum.x + sum.y + sum.z + sum.w == 12345.678f) a[0] = sum;
}

// Few blocks that stay and walk over everything.
template <Mix mix, int kUnroll>
__global__ void stream(float4* a, const float4* b, const float4* c, size_t count, float scale) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  float4 sum = make_float4(0, 0, 0, 0);
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += step * kUnroll)
    move<mix, kUnroll>(a, b, c, i, step, count, scale, sum);
  use<mix>(a, sum);
}

// Many blocks, each of its own piece.
template <Mix mix, int kUnroll>
__global__ void near(float4* a, const float4* b, const float4* c, size_t count, float scale) {
  float4 sum = make_float4(0, 0, 0, 0);
  const size_t first = blockIdx.x * size_t(blockDim.x) * kUnroll + threadIdx.x;
  move<mix, kUnroll>(a, b, c, first, blockDim.x, count, scale, sum);
  use<mix>(a, sum);
}

template <Mix mix>
void measure_mix(const Nvml& nvml, const char* name, double buffers, float4* const* at, size_t bytes, int sms,
                 int runs) {
  const size_t count = bytes / sizeof(float4);
  Times best;
  std::string how;
  const auto keep = [&](const Times& each, const std::string& by) {
    if (each.best >= best.best) return;
    best = each;
    how = by;
  };
  for (const int threads : {256, 512, 1024}) {
    for (const int blocks : {2, 4, 8, 32}) {
      const auto run = [&] { stream<mix, 4><<<sms * blocks, threads>>>(at[0], at[1], at[2], count, 0.5f); };
      keep(time_runs(nvml, runs, run), std::to_string(blocks) + " blocks an SM of " +
                                           std::to_string(threads) + " threads, 4 x 16 B each");
    }
    // Blocks that end after one turn: those that run together then stay close to each other in memory.
    const auto once = [&](auto unroll) {
      const size_t each = size_t(threads) * unroll();
      const auto grid = unsigned((count + each - 1) / each);
      const auto run = [&] { near<mix, unroll()><<<grid, threads>>>(at[0], at[1], at[2], count, 0.5f); };
      keep(time_runs(nvml, runs, run),
           std::to_string(threads) + " threads a block, " + std::to_string(unroll()) + " x 16 B each, once");
    };
    once(std::integral_constant<int, 1>());
    once(std::integral_constant<int, 2>());
    once(std::integral_constant<int, 4>());
  }
  if (mix == Mix::copy)
    keep(
        time_runs(nvml, runs, [&] { CHECK(cudaMemcpyAsync(at[0], at[1], bytes, cudaMemcpyDeviceToDevice)); }),
        "cudaMemcpyAsync");
  print_rate("memory", name, std::to_string(bytes) + " B x " + std::to_string(int(buffers)), how.c_str(),
             buffers * double(bytes) * 1e-12, best);
}

// Buffers of at least 16 times L2, so that what stays in it is no more than a few per cent.
static void measure_memory(const Nvml& nvml, const cudaDeviceProp& device, int runs) {
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  const size_t wanted = std::max<size_t>(size_t(device.l2CacheSize) * 16, size_t(2) << 30);
  const size_t bytes = std::min(wanted, free / 4) / 4096 * 4096;
  float4* at[3] = {};
  for (float4*& each : at) {
    CHECK(cudaMalloc(&each, bytes));
    CHECK(cudaMemset(each, 1, bytes));
  }
  measure_mix<Mix::copy>(nvml, "copy", 2, at, bytes, device.multiProcessorCount, runs);
  measure_mix<Mix::read>(nvml, "read", 1, at, bytes, device.multiProcessorCount, runs);
  measure_mix<Mix::write>(nvml, "write", 1, at, bytes, device.multiProcessorCount, runs);
  measure_mix<Mix::triad>(nvml, "triad", 3, at, bytes, device.multiProcessorCount, runs);
  for (float4* each : at) CHECK(cudaFree(each));
}

// ---- scalar pipes: kChains independent chains a thread

enum class Pipe { fma, half, f64, special, integer };
constexpr int kChains = 8, kSteps = 64;

// Instructions' results a step of one chain.
template <Pipe pipe>
constexpr int results() {
  return pipe == Pipe::half || pipe == Pipe::integer ? 2 : 1;
}

template <Pipe pipe>
__device__ __forceinline__ void step(uint64_t& x, uint64_t k) {
  uint32_t low = uint32_t(x);
  if constexpr (pipe == Pipe::fma)
    asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, 0f3F7FFFF0, 0f33800000; mov.b32 %0, f;}"
                 : "+r"(low));
  if constexpr (pipe == Pipe::half)
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(low) : "r"(uint32_t(k)));
  if constexpr (pipe == Pipe::special)
    asm volatile("{.reg .f32 f; mov.b32 f, %0; ex2.approx.ftz.f32 f, f; mov.b32 %0, f;}" : "+r"(low));
  // Two kinds in turn: two of one kind would become one instruction.
  if constexpr (pipe == Pipe::integer)
    asm volatile("xor.b32 %0, %0, %1; shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(low) : "r"(uint32_t(k)));
  if constexpr (pipe == Pipe::f64)
    asm volatile(
        "{.reg .f64 f; mov.b64 f, %0; fma.rn.f64 f, f, 0d3FEFFFFFF0000000, 0d3E70000000000000; mov.b64 %0, "
        "f;}"
        : "+l"(x));
  if constexpr (pipe != Pipe::f64) x = low;
}

template <Pipe pipe>
__global__ void __launch_bounds__(256) chains(uint64_t* out, int rounds, uint64_t k) {
  uint64_t x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = threadIdx.x + c * k;
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) step<pipe>(x[c], k);
    }
  }
  uint64_t all = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) all ^= x[c];
  if (all == 0x123456789abcdefull) out[threadIdx.x] = all;
}

template <Pipe pipe>
void measure_pipe(const Nvml& nvml, const char* name, const char* by, uint64_t* out, int sms, int runs) {
  const int blocks = sms * 8, rounds = 200;
  const double work = double(blocks) * 256 * rounds * kSteps * kChains * results<pipe>() * 1e-12;
  const Times times = time_runs(nvml, runs, [&] { chains<pipe><<<blocks, 256>>>(out, rounds, 0x3c003c00u); });
  print_rate("pipe", name, std::to_string(kChains) + " chains a thread, 8 blocks an SM of 256", by, work,
             times);
}

static void measure_pipes(const Nvml& nvml, const cudaDeviceProp& device, int runs) {
  uint64_t* out = nullptr;
  CHECK(cudaMalloc(&out, 256 * sizeof *out));
  const int sms = device.multiProcessorCount;
  measure_pipe<Pipe::fma>(nvml, "fma", "fma.rn.f32", out, sms, runs);
  measure_pipe<Pipe::special>(nvml, "special", "ex2.approx.f32", out, sms, runs);
  measure_pipe<Pipe::integer>(nvml, "integer", "xor.b32 and shf.b32 in turn", out, sms, runs);
  measure_pipe<Pipe::half>(nvml, "half", "fma.rn.f16x2", out, sms, runs);
  measure_pipe<Pipe::f64>(nvml, "f64", "fma.rn.f64", out, sms, runs);
  CHECK(cudaFree(out));
}

// ---- launches

__global__ void nothing() {}

static void print_launch(const char* how, double us) {
  std::printf("{\"record\":\"launch\",\"what\":\"%s\",\"us\":%.4f}\n", how, us);
  std::fflush(stdout);
}

static void measure_launches(const Nvml& nvml, int runs) {
  constexpr int kLaunches = 1000;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < kLaunches; ++i) nothing<<<1, 32, 0, stream>>>();
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t chain = nullptr;
  CHECK(cudaGraphInstantiate(&chain, graph, 0));
  const Times in_stream = time_runs(nvml, runs, [] {
    for (int i = 0; i < kLaunches; ++i) nothing<<<1, 32>>>();
  });
  const Times in_graph = time_runs(nvml, runs, [&] { CHECK(cudaGraphLaunch(chain, nullptr)); });
  print_launch("stream", in_stream.median / kLaunches * 1e6);
  print_launch("graph", in_graph.median / kLaunches * 1e6);
  CHECK(cudaGraphExecDestroy(chain));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
  const int index = argc > 1 ? std::atoi(argv[1]) : 0;
  const bool quick = argc > 2 && std::strcmp(argv[2], "quick") == 0;
  CHECK(cudaSetDevice(index));
  cudaDeviceProp device = {};
  CHECK(cudaGetDeviceProperties(&device, index));
  const Nvml nvml(index);
  const Clocks highest = nvml.highest();
  std::printf(
      "{\"record\":\"device\",\"name\":\"%s\",\"major\":%d,\"minor\":%d,\"sms\":%d,\"l2_bytes\":%d,\"dram_"
      "bits\":%d,\"max_sm_mhz\":%u,\"max_dram_mhz\":%u}\n",
      device.name, device.major, device.minor, device.multiProcessorCount, device.l2CacheSize,
      device.memoryBusWidth, highest.sm, highest.dram);
  measure_memory(nvml, device, quick ? 5 : 20);
  measure_pipes(nvml, device, quick ? 5 : 20);
  measure_launches(nvml, quick ? 3 : 10);
  return 0;
}
