#pragma once
// Why: test candidates, honest and not, are written once against these few device operations and built twice:
// with CHEAT_GPU on the driver API (PTX inside, no CUDA header), else on host memory. All compute y = relu(x
// W^T + b) for x[M, K], W[N, K], b[N] in FP32, or pretend to.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucutlass/abi.h>

struct Problem {
  const float *x, *w, *b;
  float* y;
  int m, n, k;
  size_t x_bytes() const { return sizeof(float) * size_t(m) * size_t(k); }
  size_t y_bytes() const { return sizeof(float) * size_t(m) * size_t(n); }
};

/// 0 or a non-zero code. "Enqueue" on the stream, except alloc and sync.
int dev_open(ucutlass_message* message);
int dev_linear(const Problem& p, ucutlass_stream stream, bool rounded = false);
int dev_copy(void* to, const void* from, size_t bytes, ucutlass_stream stream);
int dev_fill(void* to, uint32_t word, size_t bytes, ucutlass_stream stream);
int dev_alloc(void** out, size_t bytes);
int dev_sync(ucutlass_stream stream);
ucutlass_stream dev_new_stream();

/// What a candidate's file defines. Sizes are for its sizes(); prepack may do nothing.
extern const size_t kPackedBytes, kWorkspaceBytes;
int candidate_prepack(const Problem& p, void* packed, ucutlass_stream stream);
int candidate_run(const Problem& p, const void* packed, void* workspace, ucutlass_stream stream);
