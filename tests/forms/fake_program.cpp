// A program's library that works on host memory: y = x W^T + b, by the ABI and the manifest of
// tests/forms/linear.uc. Weights are "prepared" by a copy, so that a test sees whether it is made again after
// a change.
#include <cstring>

#include "manifest.h"
#include "ucutlass/abi.h"

namespace {

constexpr int kRows = 64, kInner = 64, kColumns = 128;
constexpr size_t kPacked = sizeof(float) * kColumns * kInner, kWorkspace = 1024;
int g_handle, g_prepacked, g_opened;

ucutlass_status refuse(ucutlass_message* message, ucutlass_status status, const char* text) {
  std::strncpy(message->text, text, sizeof message->text - 1);
  return status;
}

ucutlass_status open(int device, ucutlass_program** out, ucutlass_message* message) {
  if (device != 0) return refuse(message, UCUTLASS_BAD_DEVICE, "opening the device: no such device");
  ++g_opened;
  *out = reinterpret_cast<ucutlass_program*>(&g_handle);
  return UCUTLASS_OK;
}

void close(ucutlass_program*) {}

ucutlass_status sizes(const ucutlass_program*, const int64_t*, size_t* packed, size_t* workspace,
                      ucutlass_message*) {
  *packed = kPacked;
  *workspace = kWorkspace;
  return UCUTLASS_OK;
}

ucutlass_status prepack(const ucutlass_program*, const ucutlass_tensor* params, void* packed, void*, size_t,
                        ucutlass_stream, ucutlass_message*) {
  ++g_prepacked;
  std::memcpy(packed, params[0].data, kPacked);
  return UCUTLASS_OK;
}

ucutlass_status run(const ucutlass_program*, const ucutlass_tensor* inputs, const ucutlass_tensor* params,
                    const void* packed, const ucutlass_tensor* outputs, void* workspace,
                    size_t workspace_bytes, const int64_t*, uint32_t, ucutlass_stream,
                    ucutlass_message* message) {
  if (workspace_bytes < kWorkspace || packed == nullptr)
    return refuse(message, UCUTLASS_BAD_WORKSPACE, "workspace: too small");
  std::memset(workspace, 0xAB, kWorkspace);
  for (int axis = 0; axis < 2; ++axis) {
    if (inputs[0].shape[axis] != (axis == 0 ? kRows : kInner) ||
        inputs[0].stride[axis] != (axis == 0 ? kInner : 1))
      return refuse(message, UCUTLASS_BAD_SHAPE, "input x: another shape");
  }
  if (inputs[0].ndim != 2 || inputs[0].dtype != UCUTLASS_F32 || params[1].ndim != 1 ||
      outputs[0].dtype != UCUTLASS_F32)
    return refuse(message, UCUTLASS_BAD_SHAPE, "another type");
  const auto* x = static_cast<const float*>(inputs[0].data);
  const auto* w = static_cast<const float*>(packed);
  const auto* b = static_cast<const float*>(params[1].data);
  auto* y = static_cast<float*>(outputs[0].data);
  for (int m = 0; m < kRows; ++m) {
    for (int n = 0; n < kColumns; ++n) {
      float sum = b[n];
      for (int k = 0; k < kInner; ++k) sum += x[m * kInner + k] * w[n * kInner + k];
      y[m * kColumns + n] = sum;
    }
  }
  return UCUTLASS_OK;
}

constexpr ucutlass_api kApi = {
    UCUTLASS_ABI, sizeof(ucutlass_api), "fake", kManifest, open, close, sizes, prepack, run};

}  // namespace

extern "C" {
const ucutlass_api* ucutlass_get_api(uint32_t abi) { return abi == UCUTLASS_ABI ? &kApi : nullptr; }
int fake_prepacked() { return g_prepacked; }
int fake_opened() { return g_opened; }
}
