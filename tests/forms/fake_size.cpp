// A library of the set that test_dispatch.py makes, on host memory: says which of them it is (INDEX), what it
// found in prepared memory and which sizes it was told.
#include <cstring>

#include "ucutlass/abi.h"

namespace {

int g_handle;
int g_prepacked;

ucutlass_status open(int device, ucutlass_program** out, ucutlass_message* message) {
  if (device != 0) return std::strcpy(message->text, "no such device"), UCUTLASS_BAD_DEVICE;
  *out = reinterpret_cast<ucutlass_program*>(&g_handle);
  return UCUTLASS_OK;
}

void close(ucutlass_program*) {}

ucutlass_status sizes(const ucutlass_program*, const int64_t* dims, size_t* packed, size_t* workspace,
                      ucutlass_message*) {
  if (packed != nullptr) *packed = 16384;
  *workspace = dims == nullptr ? 4096 : static_cast<size_t>(dims[0]) * 4;
  return UCUTLASS_OK;
}

ucutlass_status prepack(const ucutlass_program*, const ucutlass_tensor* params, void* packed, void*,
                        size_t workspace_bytes, ucutlass_stream, ucutlass_message* message) {
  if (workspace_bytes < 4096)
    return std::strcpy(message->text, "workspace is too small"), UCUTLASS_BAD_WORKSPACE;
  ++g_prepacked;
  std::memcpy(packed, params[0].data, sizeof(float));
  return UCUTLASS_OK;
}

// y[0] = which library, y[1] = the first weight as prepared, y[2] = rows of x, y[3] = how often this library
// prepared weights, y[4] = the size of the call, y[5] = the stride of a row of x
ucutlass_status run(const ucutlass_program*, const ucutlass_tensor* inputs, const ucutlass_tensor*,
                    const void* packed, const ucutlass_tensor* outputs, void*, size_t workspace_bytes,
                    const int64_t* dims, uint32_t, ucutlass_stream, ucutlass_message* message) {
  if (workspace_bytes < static_cast<size_t>(dims[0]) * 4)
    return std::strcpy(message->text, "workspace is too small"), UCUTLASS_BAD_WORKSPACE;
  auto* y = static_cast<float*>(outputs[0].data);
  y[0] = INDEX;
  if (packed != nullptr) std::memcpy(y + 1, packed, sizeof(float));
  y[2] = static_cast<float>(inputs[0].shape[0]);
  y[3] = static_cast<float>(g_prepacked);
  y[4] = static_cast<float>(dims[0]);
  y[5] = static_cast<float>(inputs[0].stride[0]);
  return UCUTLASS_OK;
}

constexpr ucutlass_api kApi = {UCUTLASS_ABI, sizeof(ucutlass_api), "fake", "{}", open, close, sizes, prepack,
                               run};

}  // namespace

extern "C" const ucutlass_api* ucutlass_get_api(uint32_t abi) {
  return abi == UCUTLASS_ABI ? &kApi : nullptr;
}
