// Times kernels of one product (kernels.cpp.in) against cuBLASLt's, shape by shape. Reads tasks on standard
// input: `shape M N K`, then `run ID KERNEL RASTER SWIZZLE SPLIT` lines. Writes one JSON line a result.
//   nvcc -O2 -std=c++17 -arch=sm_90a sweep.cu -o sweep -lcublasLt -ldl
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const auto code = (call);                                                             \
    if (int(code) != 0) {                                                                 \
      std::fprintf(stderr, "%s:%d: %s: code %d\n", __FILE__, __LINE__, #call, int(code)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

namespace {

enum class Type { f16, bf16, tf32 };

// Roughly normal values: sums of four uniform numbers.
template <class T>
__global__ void fill(T* out, size_t count, uint64_t seed, float scale) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      x ^= x >> 31, x *= 0xbf58476d1ce4e5b9ull, x ^= x >> 29;
      sum += float(x >> 40) / 16777216.0f - 0.5f;
    }
    out[i] = T(sum * 1.7f * scale);
  }
}

template <class T>
__global__ void compare(const T* a, const T* b, size_t count, double* sums) {
  double off = 0, all = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    const double x = float(a[i]), y = float(b[i]);
    off += (x - y) * (x - y), all += y * y;
  }
  atomicAdd(sums, off), atomicAdd(sums + 1, all);
}

struct Timer {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  Timer() {
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
  }
  // A graph of `count` launches, so that the host is not measured.
  cudaGraphExec_t graph(const std::function<bool()>& launch, int count) {
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    bool ok = true;
    for (int i = 0; i < count && ok; ++i) ok = launch();
    CHECK(cudaStreamEndCapture(stream, &graph));
    if (ok) CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return exec;
  }
  double us(cudaGraphExec_t exec, int count) {
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    return ms * 1e3 / count;
  }
};

struct Library {
  void* handle = nullptr;
  void* (*open)(char*);
  int64_t (*scratch)(void*, uint32_t, int64_t, int64_t, int64_t, int);
  int (*run)(void*, uint32_t, int64_t, int64_t, int64_t, int, int, int, void*, void*, void*, void*, void*,
             char*);
  explicit Library(const char* path) {
    void* so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (so == nullptr) std::fprintf(stderr, "%s\n", dlerror()), std::exit(1);
    open = reinterpret_cast<decltype(open)>(dlsym(so, "sweep_open"));
    scratch = reinterpret_cast<decltype(scratch)>(dlsym(so, "sweep_scratch"));
    run = reinterpret_cast<decltype(run)>(dlsym(so, "sweep_run"));
    char text[240] = "";
    handle = open(text);
    if (handle == nullptr) std::fprintf(stderr, "%s\n", text), std::exit(1);
  }
};

struct Run {
  std::string id;
  uint32_t kernel;
  int raster, swizzle, split;
  double us = 0, error = 0;
};

constexpr size_t kWorkspace = size_t(256) << 20;

struct Bench {
  Library library;
  Type type;
  Timer timer;
  cublasLtHandle_t lt{};
  void *x{}, *w{}, *out{}, *want{}, *workspace{};
  double* sums{};
  int64_t m = 0, n = 0, k = 0;

  Bench(const char* path, Type t) : library(path), type(t) {
    CHECK(cublasLtCreate(&lt));
    CHECK(cudaMalloc(&workspace, kWorkspace));
    CHECK(cudaMalloc(&sums, 16));
  }
  size_t bytes() const { return type == Type::tf32 ? 4 : 2; }
  cudaDataType_t data() const {
    return type == Type::f16 ? CUDA_R_16F : type == Type::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  }

  void fill_one(void* at, size_t count, uint64_t seed, float scale) {
    if (type == Type::f16) fill<<<1024, 256>>>(static_cast<__half*>(at), count, seed, scale);
    if (type == Type::bf16) fill<<<1024, 256>>>(static_cast<__nv_bfloat16*>(at), count, seed, scale);
    if (type == Type::tf32) fill<<<1024, 256>>>(static_cast<float*>(at), count, seed, scale);
  }
  void shape(int64_t m_, int64_t n_, int64_t k_) {
    for (void* p : {x, w, out, want}) CHECK(cudaFree(p));
    m = m_, n = n_, k = k_;
    CHECK(cudaMalloc(&x, size_t(m * k) * bytes()));
    CHECK(cudaMalloc(&w, size_t(n * k) * bytes()));
    CHECK(cudaMalloc(&out, size_t(m * n) * bytes()));
    CHECK(cudaMalloc(&want, size_t(m * n) * bytes()));
    fill_one(x, size_t(m * k), 1, 1);
    fill_one(w, size_t(n * k), 2, 1 / std::sqrt(float(k)));
    CHECK(cudaDeviceSynchronize());
  }
  double error() {
    CHECK(cudaMemset(sums, 0, 16));
    const size_t count = size_t(m * n);
    if (type == Type::f16)
      compare<<<512, 256>>>(static_cast<__half*>(out), static_cast<__half*>(want), count, sums);
    if (type == Type::bf16)
      compare<<<512, 256>>>(static_cast<__nv_bfloat16*>(out), static_cast<__nv_bfloat16*>(want), count, sums);
    if (type == Type::tf32)
      compare<<<512, 256>>>(static_cast<float*>(out), static_cast<float*>(want), count, sums);
    double host[2];
    CHECK(cudaMemcpy(host, sums, 16, cudaMemcpyDeviceToHost));
    return std::sqrt(host[0] / std::max(host[1], 1e-300));
  }
  int count_for(double us) const { return std::clamp(int(1500 / std::max(us, 0.5)), 2, 300); }
  double flops_us(double rate) const { return 2.0 * double(m) * double(n) * double(k) / rate * 1e6; }

  // Median of three blocks, after one that warms up.
  double time(const std::function<bool()>& launch, double guess) {
    const int count = count_for(guess);
    cudaGraphExec_t exec = timer.graph(launch, count);
    if (exec == nullptr) return 0;
    timer.us(exec, count);
    double each[3];
    for (double& us : each) us = timer.us(exec, count);
    CHECK(cudaGraphExecDestroy(exec));
    std::sort(each, each + 3);
    return each[1];
  }

  bool launch(const Run& run) {
    char text[240] = "";
    return library.run(library.handle, run.kernel, m, n, k, run.raster, run.swizzle, run.split, x, w, out,
                       workspace, timer.stream, text) == 0;
  }

  // ---- cuBLASLt: the heuristic's candidates, measured

  struct Vendor {
    cublasLtMatmulDesc_t op{};
    cublasLtMatrixLayout_t a{}, b{}, d{};
    std::vector<cublasLtMatmulHeuristicResult_t> found;
  };
  Vendor vendor() {
    Vendor v;
    const cublasComputeType_t compute =
        type == Type::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    CHECK(cublasLtMatmulDescCreate(&v.op, compute, CUDA_R_32F));
    const cublasOperation_t t = CUBLAS_OP_T;
    CHECK(cublasLtMatmulDescSetAttribute(v.op, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    CHECK(cublasLtMatrixLayoutCreate(&v.a, data(), uint64_t(k), uint64_t(n), k));
    CHECK(cublasLtMatrixLayoutCreate(&v.b, data(), uint64_t(k), uint64_t(m), k));
    CHECK(cublasLtMatrixLayoutCreate(&v.d, data(), uint64_t(n), uint64_t(m), n));
    cublasLtMatmulPreference_t preference;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    const size_t bytes = kWorkspace;
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                               sizeof bytes));
    v.found.resize(16);
    int count = 0;
    CHECK(
        cublasLtMatmulAlgoGetHeuristic(lt, v.op, v.a, v.b, v.d, v.d, preference, 16, v.found.data(), &count));
    v.found.resize(size_t(count));
    return v;
  }
  bool launch(const Vendor& v, size_t i, void* to) {
    const float one = 1, zero = 0;
    return cublasLtMatmul(lt, v.op, &one, w, v.a, x, v.b, &zero, to, v.d, to, v.d, &v.found[i].algo,
                          workspace, kWorkspace, timer.stream) == CUBLAS_STATUS_SUCCESS;
  }
};

void one_shape(Bench& bench, std::vector<Run>& runs) {
  const double guess = std::max(3.0, bench.flops_us(bench.type == Type::tf32 ? 3e14 : 5e14));
  const auto v = bench.vendor();
  size_t best_vendor = 0;
  double vendor_us = 1e30;
  double first_us = 0;
  for (size_t i = 0; i < v.found.size(); ++i) {
    const double us = bench.time([&] { return bench.launch(v, i, bench.want); }, guess);
    if (i == 0) first_us = us;
    if (us > 0 && us < vendor_us) vendor_us = us, best_vendor = i;
  }
  for (Run& run : runs) {
    const int64_t scratch =
        bench.library.scratch(bench.library.handle, run.kernel, bench.m, bench.n, bench.k, run.split);
    if (scratch > int64_t(kWorkspace)) continue;
    CHECK(cudaMemset(bench.out, 0xff, size_t(bench.m * bench.n) * bench.bytes()));
    run.us = bench.time([&] { return bench.launch(run); }, guess);
    run.error = run.us > 0 ? bench.error() : -1;
  }
  std::vector<Run*> order;
  for (Run& run : runs) {
    if (run.us > 0 && run.error >= 0 && run.error < 2e-2) order.push_back(&run);
  }
  std::sort(order.begin(), order.end(), [](const Run* a, const Run* b) { return a->us < b->us; });
  if (order.empty()) return;
  // The best ones again, against cuBLASLt's best, in turns.
  std::vector<std::pair<std::string, cudaGraphExec_t>> finals;
  const int count = bench.count_for(order[0]->us) * 3;
  finals.emplace_back("cublaslt",
                      bench.timer.graph([&] { return bench.launch(v, best_vendor, bench.want); }, count));
  finals.emplace_back("cublaslt_first",
                      bench.timer.graph([&] { return bench.launch(v, 0, bench.want); }, count));
  for (size_t i = 0; i < std::min<size_t>(order.size(), 3); ++i)
    finals.emplace_back(order[i]->id, bench.timer.graph([&, i] { return bench.launch(*order[i]); }, count));
  std::vector<std::vector<double>> times(finals.size());
  for (int round = 0; round < 7; ++round) {
    for (size_t i = 0; i < finals.size(); ++i) times[i].push_back(bench.timer.us(finals[i].second, count));
  }
  std::printf(
      "{\"m\":%lld,\"n\":%lld,\"k\":%lld,\"cublaslt_us\":%.3f,\"cublaslt_first_us\":%.3f,\"algos\":%zu,"
      "\"finals\":{",
      (long long)bench.m, (long long)bench.n, (long long)bench.k, vendor_us, first_us, v.found.size());
  for (size_t i = 0; i < finals.size(); ++i) {
    std::sort(times[i].begin() + 1, times[i].end());
    std::printf("%s\"%s\":%.3f", i == 0 ? "" : ",", finals[i].first.c_str(), times[i][4]);
    CHECK(cudaGraphExecDestroy(finals[i].second));
  }
  std::printf("},\"runs\":{");
  bool first = true;
  for (const Run& run : runs) {
    std::printf("%s\"%s\":[%.3f,%.2e]", first ? "" : ",", run.id.c_str(), run.us, run.error);
    first = false;
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: sweep kernels.so f16|bf16|tf32 < tasks\n"), 2;
  const std::string name = argv[2];
  CHECK(cudaSetDevice(0));
  CHECK(cudaFree(nullptr));
  Bench bench(argv[1], name == "f16" ? Type::f16 : name == "bf16" ? Type::bf16 : Type::tf32);
  std::vector<Run> runs;
  std::string line;
  const auto flush = [&] {
    if (!runs.empty()) one_shape(bench, runs);
    runs.clear();
  };
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    if (what == "shape") {
      flush();
      int64_t m, n, k;
      in >> m >> n >> k;
      bench.shape(m, n, k);
    } else if (what == "run") {
      Run run;
      in >> run.id >> run.kernel >> run.raster >> run.swizzle >> run.split;
      runs.push_back(run);
    }
  }
  flush();
}
