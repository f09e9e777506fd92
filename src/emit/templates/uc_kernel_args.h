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

// D[l, m, n] = epilogue(sum_k A[l, m, k] * B[l, n, k]); strides of a are (l, m, k), of b (l, n, k), of others
// (l, m, n).
struct uck_gemm {
  int64_t l, m, n, k;
  uck_view a, b;
  uck_view view[UC_MAX_VIEWS];
  int32_t sms, max_clusters;  // max_clusters: clusters of this kernel that the device holds at once
  int32_t raster, swizzle;
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

struct uck_geometry {
  uint32_t grid[3], block[3], cluster[3], smem;
};
#endif
