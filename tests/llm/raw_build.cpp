// CUDA as an author writes it becomes a shared object of the candidate ABI: nvcc builds it, and its table is
// read here. Exit code 77 without nvcc or CUTLASS.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>

#include "build/builder.h"
#include "ucutlass/abi.h"

namespace {

constexpr const char* kSource = R"(
#include <cutlass/numeric_types.h>
__global__ void add(const float* x, const float* b, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + b[i];
}
extern "C" size_t uc_workspace_bytes() { return 4096; }
extern "C" int uc_run(void* const* inputs, void* const* params, void* const* outputs, void*, cudaStream_t stream) {
  add<<<4, 256, 0, stream>>>((const float*)inputs[0], (const float*)params[0], (float*)outputs[0], 1000);
  return cudaGetLastError();
})";

int fault(const std::string& what) {
  std::fprintf(stderr, "raw_build: %s\n", what.c_str());
  return 1;
}

int check(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fault(dlerror());
  using GetApi = const ucutlass_api* (*)(uint32_t);
  const auto get_api = reinterpret_cast<GetApi>(dlsym(handle, "ucutlass_get_api"));
  if (get_api == nullptr) return fault("no ucutlass_get_api");
  if (get_api(UCUTLASS_ABI + 1) != nullptr) return fault("it speaks an ABI that does not exist");
  const ucutlass_api* api = get_api(UCUTLASS_ABI);
  if (api == nullptr || api->struct_bytes != sizeof(ucutlass_api)) return fault("no table");
  if (api->open == nullptr || api->close == nullptr || api->run == nullptr) return fault("an empty entry");
  size_t packed = 1, workspace = 0;
  ucutlass_message message{};
  if (api->sizes(nullptr, nullptr, &packed, &workspace, &message) != UCUTLASS_OK || packed != 0 ||
      workspace != 4096)
    return fault("wrong sizes");
  return 0;
}

}  // namespace

int main() {
  const auto toolchain = uc::find_toolchain(uc::real_processes());
  if (!toolchain || !uc::require_build(*toolchain)) {
    std::puts("skipped: nvcc, g++ or CUTLASS is missing");
    return 77;
  }
  const auto folder = uc::real_files().make_temporary_folder("uc-raw-");
  if (!folder) return fault(folder.error().message);
  uc::Builder builder(*toolchain, {.cache = *folder + "/cache", .jobs = 1, .progress = {}});
  const auto built = builder.raw({kSource, 1, 1, 1}, *folder + "/out/candidate.so");
  int code = built ? check(built->library) : fault(built.error().message);
  const auto wrong = builder.raw({"__global__ void k() { nonsense; }", 1, 1, 1}, *folder + "/out/wrong.so");
  if (wrong) code = fault("nonsense is built");
  if (!wrong && wrong.error().message.find("nonsense") == std::string::npos)
    code = fault(wrong.error().message);
  (void)uc::real_files().remove(*folder);
  return code;
}
