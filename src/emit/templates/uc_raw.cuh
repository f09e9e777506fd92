#pragma once
// Why: whoever writes CUDA by hand writes what runs, not the table by which it is called. Included at the end of a
// source, after UC_RAW_INPUTS, UC_RAW_PARAMS and UC_RAW_OUTPUTS were defined as numbers of tensors, that defines
//   extern "C" size_t uc_workspace_bytes();
//   extern "C" int uc_run(void* const* inputs, void* const* params, void* const* outputs, void* workspace,
//                         cudaStream_t stream);
// uc_run enqueues on `stream` only and gives 0, or a cudaError_t. The workspace arrives with any contents.
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uc_abi.h"

extern "C" size_t uc_workspace_bytes();
extern "C" int uc_run(void* const* inputs, void* const* params, void* const* outputs, void* workspace,
                      cudaStream_t stream);

struct ucutlass_program {
  int device;
};

namespace uc_raw {

constexpr int kMostTensors = 1024;

struct Pointers {
  void* data[kMostTensors];
};

inline Pointers pointers(const ucutlass_tensor* tensors, int count) {
  Pointers out{};
  for (int i = 0; tensors != nullptr && i < count; ++i) out.data[i] = tensors[i].data;
  return out;
}

inline ucutlass_status failed(ucutlass_message* message, int code) {
  if (message != nullptr)
    snprintf(message->text, sizeof message->text, "uc_run gives %d (%s)", code,
             cudaGetErrorString(static_cast<cudaError_t>(code)));
  return UCUTLASS_CUDA_ERROR;
}

inline ucutlass_status open(int device, ucutlass_program** out, ucutlass_message* message) {
  (void)message;  // the caller's context is current, and the runtime takes that
  *out = new ucutlass_program{device};
  return UCUTLASS_OK;
}

inline void close(ucutlass_program* program) { delete program; }

inline ucutlass_status sizes(const ucutlass_program*, const int64_t*, size_t* packed, size_t* workspace,
                             ucutlass_message*) {
  *packed = 0;
  *workspace = uc_workspace_bytes();
  return UCUTLASS_OK;
}

inline ucutlass_status run(const ucutlass_program*, const ucutlass_tensor* inputs, const ucutlass_tensor* params,
                           const void*, const ucutlass_tensor* outputs, void* workspace, size_t, const int64_t*,
                           uint32_t, ucutlass_stream stream, ucutlass_message* message) {
  const Pointers in = pointers(inputs, UC_RAW_INPUTS), with = pointers(params, UC_RAW_PARAMS),
                 out = pointers(outputs, UC_RAW_OUTPUTS);
  const int code = uc_run(in.data, with.data, out.data, workspace, stream);
  return code == 0 ? UCUTLASS_OK : failed(message, code);
}

inline const ucutlass_api kApi = {UCUTLASS_ABI, sizeof(ucutlass_api), "raw", "{}", open, close, sizes, nullptr, run};

}  // namespace uc_raw

extern "C" __attribute__((visibility("default"))) const ucutlass_api* ucutlass_get_api(uint32_t abi) {
  return abi == UCUTLASS_ABI ? &uc_raw::kApi : nullptr;
}
