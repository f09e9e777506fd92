// A libcuda.so.1 that works on host memory, so that the CUDA side of runner and judge (IPC, events, capture,
// limits, error codes) runs in tests without a GPU. Each stream works on a thread of its own, all but a
// process's first, which is the clock's, slowly. Kernels are known by name. A wild or endless kernel gives
// the error or the hang that a device would. It shows that the calls fit together, not that a GPU behaves so.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "perturb.h"

namespace {

using Ptr = unsigned long long;
enum { kOk = 0, kInvalid = 1, kNoMemory = 2, kIllegal = 700, kCaptureUnsupported = 900 };

struct Block {
  int fd;
  size_t bytes;
};
struct Graph {
  void* stream;
  std::vector<std::function<int()>> work;
};

/// Works on its own thread, `pause` before each piece of work.
struct Stream {
  std::chrono::milliseconds pause;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<int()>> waiting;  ///< the front is being done

  void put(const std::function<int()>& work) {
    const std::lock_guard lock(mutex);
    waiting.push_back(work);
    changed.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return waiting.empty(); });
  }
  [[noreturn]] void work(void (*fault)(int)) {
    for (std::unique_lock lock(mutex);;) {
      changed.wait(lock, [this] { return !waiting.empty(); });
      const auto next = waiting.front();
      lock.unlock();
      if (pause.count()) std::this_thread::sleep_for(pause);
      if (const int code = next()) fault(code);
      lock.lock();
      waiting.pop_front();
      changed.notify_all();
    }
  }
};

std::map<Ptr, Block> g_blocks;
std::map<std::string, std::string> g_functions;
std::vector<Stream*> g_streams;  ///< never freed: their threads end with the process
std::atomic<int> g_sticky = kOk;
size_t g_persisting = 0, g_window = 0;
Graph* g_capturing = nullptr;
double g_events[1 << 17];
int g_event_count = 0;

double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

int enqueue(void* stream, const std::function<int()>& work) {
  if (g_sticky) return g_sticky;
  if (g_capturing && g_capturing->stream == stream) {
    g_capturing->work.push_back(work);
    return kOk;
  }
  for (Stream* known : g_streams) {
    if (known == stream) return known->put(work), kOk;  // a kernel's fault is told by a later call
  }
  return kInvalid;
}

int synchronize(void* stream = nullptr) {
  if (g_capturing) return kCaptureUnsupported;
  for (Stream* known : g_streams) {
    if (!stream || known == stream) known->drain();
  }
  return g_sticky;
}

template <class T>
T argument(void** arguments, int place) {
  T value;
  memcpy(&value, arguments[place], sizeof value);
  return value;
}

float rounded_to_11_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000u) & 0xFFFFE000u;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

int linear(void** a, bool rounded, void* stream) {
  const auto *x = argument<const float*>(a, 0), *w = argument<const float*>(a, 1),
             *b = argument<const float*>(a, 2);
  auto* y = argument<float*>(a, 3);
  const int m = argument<int>(a, 4), n = argument<int>(a, 5), k = argument<int>(a, 6);
  return enqueue(stream, [=] {
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        float sum = b[column];
        for (int i = 0; i < k; ++i) {
          const float p = x[row * k + i], q = w[column * k + i];
          sum += rounded ? rounded_to_11_bits(p) * rounded_to_11_bits(q) : p * q;
        }
        y[row * n + column] = sum > 0 ? sum : 0;
      }
    }
    return kOk;
  });
}

int perturb(void** a, void* stream) {
  auto* words = argument<void*>(a, 0);
  const auto count = argument<uint64_t>(a, 1);
  const auto before = argument<uint32_t>(a, 2), after = argument<uint32_t>(a, 3),
             low = argument<uint32_t>(a, 4);
  const auto high = argument<uint32_t>(a, 5), low_exp = argument<uint32_t>(a, 6),
             high_exp = argument<uint32_t>(a, 7);
  const auto signs = argument<uint32_t>(a, 8), odd = argument<uint32_t>(a, 9);
  return enqueue(stream, [=] {
    uct::perturb_words(words, count, {low, high, low_exp, high_exp, signs, odd}, before, after);
    return kOk;
  });
}

int digest(void** a, void* stream) {
  const auto* words = argument<const void*>(a, 0);
  const auto count = argument<uint64_t>(a, 1);
  auto* out = argument<uct::Digest*>(a, 2);
  return enqueue(stream, [=] { return *out = uct::digest_words(words, count), kOk; });
}

int hold(void** a, void* stream) {
  auto* flag = argument<uint32_t*>(a, 0);
  const auto target = argument<uint32_t>(a, 1);
  const auto limit = std::chrono::nanoseconds(argument<uint64_t>(a, 2)),
             settle = std::chrono::nanoseconds(argument<uint64_t>(a, 3));
  auto* expired = argument<uint32_t*>(a, 4);
  return enqueue(stream, [=] {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (static_cast<int32_t>(std::atomic_ref(*flag).load() - target) < 0) {
      if (std::chrono::steady_clock::now() > end) return ++*expired, kOk;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (settle.count()) std::this_thread::sleep_for(settle);
    return kOk;
  });
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return kOk; }
int cuDriverGetVersion(int* version) { return *version = 13000, kOk; }
int cuGetErrorName(int code, const char** out) {
  *out = code == kIllegal    ? "CUDA_ERROR_ILLEGAL_ADDRESS"
         : code == kNoMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
                             : "CUDA_ERROR_INVALID_VALUE";
  return kOk;
}
int cuGetErrorString(int, const char** out) { return *out = "told by the test's driver", kOk; }
int cuDeviceGet(int* device, int ordinal) { return ordinal == 0 ? (*device = 0, kOk) : 101; }
int cuDeviceGetName(char* name, int bytes, int) {
  return snprintf(name, static_cast<size_t>(bytes), "test driver"), kOk;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int) { return memset(uuid, 0xAB, 16), kOk; }
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = size_t{1} << 30, kOk; }
int cuDeviceGetAttribute(int* out, int attribute, int) {
  *out = attribute == 16 ? 4 : attribute == 38 ? 1 << 16 : attribute == 75 ? 9 : 0;
  return kOk;
}
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &g_sticky, kOk; }
int cuDevicePrimaryCtxRelease_v2(int) { return kOk; }
int cuCtxSetCurrent(void*) { return kOk; }
int cuCtxSynchronize() { return synchronize(); }
int cuCtxGetLimit(size_t* out, int) { return *out = g_persisting, kOk; }
int cuCtxSetLimit(int, size_t bytes) { return g_persisting = bytes, kOk; }
int cuCtxResetPersistingL2Cache() { return kOk; }

int cuModuleLoadData(void** module, const void* image) {
  if (strncmp(static_cast<const char*>(image), ".version", 8) != 0) return 218;
  return *module = const_cast<void*>(image), kOk;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (!strstr(static_cast<const char*>(module), (std::string(".entry ") + name + "(").c_str())) return 500;
  return *function = &g_functions.emplace(name, name).first->second, kOk;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned, void* stream, void** arguments, void**) {
  if (!gx || !gy || !gz || bx * by * bz == 0 || bx * by * bz > 1024) return kInvalid;
  const std::string& name = *static_cast<std::string*>(function);
  if (name == "linear_relu" || name == "linear_relu_rounded")
    return linear(arguments, name != "linear_relu", stream);
  if (name == "uct_perturb") return perturb(arguments, stream);
  if (name == "uct_digest") return digest(arguments, stream);
  if (name == "uct_hold") return hold(arguments, stream);
  if (name == "wild") return enqueue(stream, [] { return kIllegal; });
  if (name == "spin")
    return enqueue(stream, []() -> int {
      for (;;) ::pause();
    });
  return enqueue(stream, [] { return kOk; });  // uct_flush
}

int cuMemAlloc_v2(Ptr* out, size_t bytes) {
  if (g_capturing) return kCaptureUnsupported;
  // Memory without a name, which another process of this user can open through /proc while this one lives.
  const int fd = static_cast<int>(syscall(SYS_memfd_create, "test-device", 1U));
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) return kNoMemory;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return kNoMemory;
  *out = reinterpret_cast<Ptr>(data);
  g_blocks[*out] = {fd, bytes};
  return kOk;
}
int cuMemFree_v2(Ptr data) {
  if (const int code = synchronize()) return code;
  munmap(reinterpret_cast<void*>(data), g_blocks[data].bytes);
  close(g_blocks[data].fd);
  g_blocks.erase(data);
  return kOk;
}
int cuMemHostAlloc(void** out, size_t bytes, unsigned) { return (*out = calloc(1, bytes)) ? kOk : kNoMemory; }
int cuMemFreeHost(void* data) { return free(data), kOk; }
int cuMemHostGetDevicePointer_v2(Ptr* out, void* data, unsigned) {
  return *out = reinterpret_cast<Ptr>(data), kOk;
}
int cuMemcpyHtoD_v2(Ptr to, const void* from, size_t bytes) {
  return g_sticky ? g_sticky.load() : (memcpy(reinterpret_cast<void*>(to), from, bytes), kOk);
}
int cuMemcpyDtoH_v2(void* to, Ptr from, size_t bytes) {
  return g_sticky ? g_sticky.load() : (memcpy(to, reinterpret_cast<void*>(from), bytes), kOk);
}
int cuMemcpyDtoDAsync_v2(Ptr to, Ptr from, size_t bytes, void* stream) {
  return enqueue(
      stream, [=] { return memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), kOk; });
}
int cuMemsetD8Async(Ptr to, unsigned char value, size_t bytes, void* stream) {
  return enqueue(stream, [=] { return memset(reinterpret_cast<void*>(to), value, bytes), kOk; });
}
int cuMemsetD32Async(Ptr to, unsigned value, size_t words, void* stream) {
  return enqueue(stream, [=] {
    for (size_t i = 0; i < words; ++i) memcpy(reinterpret_cast<char*>(to) + 4 * i, &value, 4);
    return kOk;
  });
}

struct Handle {
  char name[56];
  uint64_t bytes;
};
int cuIpcGetMemHandle(Handle* out, Ptr data) {
  const auto it = g_blocks.find(data);
  if (it == g_blocks.end()) return kInvalid;
  memset(out, 0, sizeof *out);
  snprintf(out->name, sizeof out->name, "/proc/%d/fd/%d", getpid(), it->second.fd);
  out->bytes = it->second.bytes;
  return kOk;
}
int cuIpcOpenMemHandle_v2(Ptr* out, Handle handle, unsigned flags) {
  if (flags != 1 || getenv("UCT_TEST_NO_IPC")) return 801;
  const int fd = open(handle.name, O_RDWR | O_CLOEXEC);
  if (fd < 0) return kInvalid;
  void* data = mmap(nullptr, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return data == MAP_FAILED ? kInvalid : (*out = reinterpret_cast<Ptr>(data), kOk);
}
int cuIpcCloseMemHandle(Ptr) { return g_sticky; }

int cuStreamCreate(void** stream, unsigned) {
  auto* made = new Stream{std::chrono::milliseconds(g_streams.empty() ? 0 : 10), {}, {}, {}};
  g_streams.push_back(made);
  std::thread([made] { made->work([](int code) { g_sticky = code; }); }).detach();
  return *stream = made, kOk;
}
int cuStreamDestroy_v2(void*) { return kOk; }
int cuStreamSynchronize(void* stream) { return synchronize(stream); }
int cuStreamGetAttribute(void*, int, void* value) {
  memset(value, 0, 64);
  memcpy(static_cast<char*>(value) + 8, &g_window, sizeof g_window);
  return kOk;
}
int cuStreamSetAttribute(void*, int, const void* value) {
  memcpy(&g_window, static_cast<const char*>(value) + 8, sizeof g_window);
  return kOk;
}
int cuStreamBeginCapture_v2(void* stream, int) { return g_capturing = new Graph{stream, {}}, kOk; }
int cuStreamEndCapture(void*, void** graph) {
  *graph = g_capturing;
  g_capturing = nullptr;
  return *graph ? kOk : 901;
}
int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  return *executable = new Graph(*static_cast<Graph*>(graph)), kOk;
}
int cuGraphLaunch(void* executable, void* stream) {
  for (const auto& work : static_cast<Graph*>(executable)->work) (void)enqueue(stream, work);
  return g_sticky;
}
int cuGraphDestroy(void* graph) { return delete static_cast<Graph*>(graph), kOk; }
int cuGraphExecDestroy(void* executable) { return delete static_cast<Graph*>(executable), kOk; }

int cuEventCreate(void** event, unsigned) {
  if (g_event_count == 1 << 17) return kNoMemory;
  return *event = &g_events[g_event_count++], kOk;
}
int cuEventRecord(void* event, void* stream) {
  return enqueue(stream, [event] { return *static_cast<double*>(event) = now_ms(), kOk; });
}
int cuEventElapsedTime_v2(float* ms, void* begin, void* end) {
  *ms = static_cast<float>(*static_cast<double*>(end) - *static_cast<double*>(begin));
  return g_sticky;
}
__attribute__((noinline)) int cuEventElapsedTime(float* ms, void* begin, void* end) {
  if (getenv("UCT_TEST_NEVER"))
    fputs("not reached; keeps this function longer than the jump that a cheat writes over it\n", stderr);
  return cuEventElapsedTime_v2(ms, begin, end);
}
int cuEventDestroy_v2(void*) { return kOk; }

}  // extern "C"
