// The ABI table around candidate.h's functions.
#include "candidate.h"

struct ucutlass_program {
  int device;
};

namespace {

ucutlass_program g_program;

ucutlass_status say(ucutlass_message* message, ucutlass_status status, const char* text) {
  if (message) snprintf(message->text, sizeof message->text, "%s", text);
  return status;
}

ucutlass_status open_(int device, ucutlass_program** out, ucutlass_message* message) {
  g_program.device = device;
  *out = &g_program;
  return dev_open(message) ? UCUTLASS_CUDA_ERROR : UCUTLASS_OK;
}
void close_(ucutlass_program*) {}

ucutlass_status sizes_(const ucutlass_program*, const int64_t*, size_t* packed, size_t* workspace,
                       ucutlass_message*) {
  *packed = kPackedBytes;
  *workspace = kWorkspaceBytes;
  return UCUTLASS_OK;
}

Problem problem_of(const ucutlass_tensor* inputs, const ucutlass_tensor* params,
                   const ucutlass_tensor* outputs) {
  Problem p{};
  p.w = static_cast<const float*>(params[0].data);
  p.b = static_cast<const float*>(params[1].data);
  p.n = static_cast<int>(params[0].shape[0]);
  p.k = static_cast<int>(params[0].shape[1]);
  if (inputs) {
    p.x = static_cast<const float*>(inputs[0].data);
    p.m = static_cast<int>(inputs[0].shape[0]);
  }
  if (outputs) p.y = static_cast<float*>(outputs[0].data);
  return p;
}

ucutlass_status prepack_(const ucutlass_program*, const ucutlass_tensor* params, void* packed, void*, size_t,
                         ucutlass_stream stream, ucutlass_message* message) {
  if (candidate_prepack(problem_of(nullptr, params, nullptr), packed, stream)) {
    return say(message, UCUTLASS_CUDA_ERROR, "prepack failed");
  }
  return UCUTLASS_OK;
}

ucutlass_status run_(const ucutlass_program*, const ucutlass_tensor* inputs, const ucutlass_tensor* params,
                     const void* packed, const ucutlass_tensor* outputs, void* workspace, size_t,
                     const int64_t*, uint32_t, ucutlass_stream stream, ucutlass_message* message) {
  if (outputs[0].shape[1] != params[0].shape[0]) return say(message, UCUTLASS_BAD_SHAPE, "y is not M x N");
  if (candidate_run(problem_of(inputs, params, outputs), packed, workspace, stream)) {
    return say(message, UCUTLASS_CUDA_ERROR, "run failed");
  }
  return UCUTLASS_OK;
}

const ucutlass_api g_api = {UCUTLASS_ABI, sizeof(ucutlass_api), "test", "{}", open_, close_, sizes_, prepack_,
                            run_};

}  // namespace

extern "C" const ucutlass_api* ucutlass_get_api(uint32_t abi) {
  return abi == UCUTLASS_ABI ? &g_api : nullptr;
}
