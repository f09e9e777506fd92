/* Candidate ABI 1: how a compiled program is called. Plain C; the caller needs no torch and no CUDA header.
 */
#ifndef UCUTLASS_ABI_H
#define UCUTLASS_ABI_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define UCUTLASS_ABI 1u
typedef struct CUstream_st* ucutlass_stream; /* == cudaStream_t == CUstream */
/* Element types, as stored in ucutlass_tensor.dtype. The order is fixed for ABI 1. */
enum {
  UCUTLASS_F64,
  UCUTLASS_F32,
  UCUTLASS_F16,
  UCUTLASS_BF16,
  UCUTLASS_F8E4M3,
  UCUTLASS_F8E5M2,
  UCUTLASS_I8,
  UCUTLASS_U8,
  UCUTLASS_I32,
  UCUTLASS_I64,
  UCUTLASS_BOOL
};
typedef struct { /* strides in ELEMENTS; logical (torch) dim order */
  void* data;
  const int64_t* shape;
  const int64_t* stride;
  int32_t ndim;
  int32_t dtype;
} ucutlass_tensor;
typedef struct {
  char text[240];
} ucutlass_message; /* caller-owned, may be NULL: no global, no thread-local */
typedef enum {
  UCUTLASS_OK,
  UCUTLASS_BAD_ABI,
  UCUTLASS_BAD_DEVICE,
  UCUTLASS_BAD_SHAPE,
  UCUTLASS_BAD_STRIDE,
  UCUTLASS_BAD_ALIGNMENT,
  UCUTLASS_BAD_WORKSPACE,
  UCUTLASS_CUDA_ERROR
} ucutlass_status;
enum { UCUTLASS_PDL_IN = 1u }; /* caller allows the first kernel to overlap its predecessor */
typedef struct ucutlass_program ucutlass_program; /* one (program, device); immutable after open */
typedef struct {
  uint32_t abi, struct_bytes;
  const char* hash;
  const char* manifest; /* JSON: names, dtypes, layouts, alignments, dims with ranges, kernels */
  /* Loads modules, sets shared-memory attributes, reads SM count. May allocate and synchronise; never during
   * capture. */
  ucutlass_status (*open)(int device, ucutlass_program** out, ucutlass_message*);
  void (*close)(ucutlass_program*);
  ucutlass_status (*sizes)(const ucutlass_program*, const int64_t* dims, size_t* packed_bytes,
                           size_t* workspace_bytes, ucutlass_message*);
  /* Load time. Reads params, writes packed; both 256-byte aligned. Again after every change of a weight. */
  ucutlass_status (*prepack)(const ucutlass_program*, const ucutlass_tensor* params, void* packed,
                             void* workspace, size_t workspace_bytes, ucutlass_stream, ucutlass_message*);
  /* Enqueues on stream only. No allocation, no synchronisation, no host callback, no second stream unless
     joined; capturable (a captured graph bakes every pointer). Workspace arrives with ANY contents; zeroing
     it is enqueued here and is timed. Concurrent calls on one program are legal with distinct workspaces and
     outputs. A launch that the check did not license (range, step, stride, pointer alignment, overlap of
     outputs) returns a status and enqueues nothing. Zero-size: OK, no launch. */
  ucutlass_status (*run)(const ucutlass_program*, const ucutlass_tensor* inputs,
                         const ucutlass_tensor* params, const void* packed, const ucutlass_tensor* outputs,
                         void* workspace, size_t workspace_bytes, const int64_t* dims, uint32_t flags,
                         ucutlass_stream, ucutlass_message*);
} ucutlass_api;
/* The one exported symbol of a shared object; static builds export ucutlass_<hash>_api instead, so two can be
 * linked together. */
const ucutlass_api* ucutlass_get_api(uint32_t abi);
#ifdef __cplusplus
}
#endif
#endif
