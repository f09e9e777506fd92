// How the program's host code hands sizes and memory to one kernel. Shared by generated host code and device
// code.
#ifndef UC_KERNEL_ARGS_H
#define UC_KERNEL_ARGS_H
#include <stdint.h>

enum { UC_MAX_RANK = 8, UC_MAX_VIEWS = 12, UC_MAX_BODIES = 4 };

// Memory as a kernel reads or writes it; strides in elements, outermost first.
struct uck_view {
  void* data;
  int64_t stride[UC_MAX_RANK];
};

// One spatial dimension of a convolution; `padding` is what lies before the input (of a transposed one: is cut off).
struct uck_window {
  int32_t in, filter, out, stride, padding, dilation;
};

// A convolution as a kernel sees it beside its uck_gemm. Three dimensions always, the first ones of extent 1 where
// there are fewer; `channels` and `results` of one group. Strides of uck_gemm's a are (image, three dimensions, channel),
// of b (result, three dimensions, channel), of others (image, three dimensions, result).
struct uck_conv {
  int64_t images, channels, results, groups;
  uck_window window[3];
};

// What attention has beside its uck_gemm, in which l, m, n, k are batches, queries, keys and features of a head; a and b are
// q and k, view[0] is v, all with strides (batch, head, position, feature).
struct uck_attention {
  int64_t heads, kv_heads;
};

// D[l, m, n] = epilogue(sum_k A[l, m, k] * B[l, n, k]); strides of a are (l, m, k), of b (l, n, k), of others
// (l, m, n).
struct uck_gemm {
  int64_t l, m, n, k;
  uck_view a, b;
  uck_view view[UC_MAX_VIEWS];
  int32_t sms, max_clusters;  // max_clusters: clusters of this kernel that the device holds at once
  int32_t raster, swizzle;
  int32_t split;  // parts of K; 0: the kernel's own choice
  void* scratch;  // device memory of the size that uck_<hash>_scratch asks for, aligned to 256 bytes
  void* stream;   // cudaStream_t: what is prepared may enqueue memsets here
  // What is made of B alone, where B is made when weights are loaded and the kernel keeps that (uck_<hash>_packed):
  int32_t keeps;    // not 0: it lies in `packed`
  int32_t loading;  // not 0: this is when it is made; there is only B, and parts without work give a grid of no blocks
  void* packed;     // device memory, aligned to 256 bytes
  const uck_conv* conv;            // null: no convolution
  const uck_attention* attention;  // null: no attention
};

// One elementwise body: `vectors` groups of the kernel's vector width over `shape`.
struct uck_map_body {
  int64_t vectors;
  int64_t shape[UC_MAX_RANK];
  uck_view view[UC_MAX_VIEWS];
};
struct uck_map {
  uck_map_body body[UC_MAX_BODIES];
};

// `rows` rows of `columns` elements each. `shape` and the strides of views: the dimensions of rows, outermost first, then
// those along a row.
struct uck_rows {
  int64_t rows, columns;
  int64_t shape[UC_MAX_RANK];
  uck_view view[UC_MAX_VIEWS];
  int64_t least[UC_MAX_VIEWS], most[UC_MAX_VIEWS];  // elements of a view under windows that are in memory
  int32_t split;  // blocks that a row is split over
  void* scratch;  // aligned to 256 bytes: what those blocks have seen
};

struct uck_geometry {
  uint32_t grid[3], block[3], cluster[3], smem;
  uint32_t overlap;  // not 0: may start before the launch before it has ended (programmatic dependent launch)
};

// What a host half defines, for each part (device function) of its kernel, in order:
//   int64_t uck_<hash>_scratch(const uck_gemm*)            bytes of scratch for these sizes; pointers are null
//   int64_t uck_<hash>_packed(const uck_gemm*)             only of a kernel that keeps something: its bytes
//   int uck_<hash>_params_bytes(int part)                  of the device function's one argument
//   void uck_<hash>_shape(int part, uck_geometry*)         block, cluster, shared memory: no sizes needed
//   int uck_<hash>_prepare(const uck_gemm*, int part, void* params, uck_geometry*)   not 0: refused
#endif
