// Host half of attention: sizes and strides; one block a tile of queries, or as many as the device has SMs.
#ifndef UC_ATTENTION_HOST_H
#define UC_ATTENTION_HOST_H
#include <new>

#include "uc_attention.cuh"
#include "uc_kernel_args.h"

namespace uc_attention {

template <class Kernel> void shape(uck_geometry* geometry, int64_t blocks) {
  *geometry = {{uint32_t(blocks), 1, 1}, {uint32_t(Kernel::kThreads), 1, 1}, {1, 1, 1}, uint32_t(Kernel::kShared), 0};
}

inline Operand operand(const uck_view& view) {
  return {view.data, view.stride[0], view.stride[1], view.stride[2], view.stride[3]};
}

template <class Kernel, int Rows, int Slices, int Views> int prepare(const uck_gemm* x, void* params, uck_geometry* geometry) {
  auto& p = *new (params) typename Kernel::Parameters{};
  p.q = operand(x->a);
  p.k = operand(x->b);
  p.v = operand(x->view[0]);
  for (int i = 0; i < Views; ++i) {
    p.view[i].data = x->view[1 + i].data;
    for (int d = 0; d < 4; ++d) p.view[i].stride[d] = x->view[1 + i].stride[d];
  }
  const int64_t heads = x->attention->heads;
  const int64_t tiles = (x->m + Rows - 1) / Rows;
  const int64_t blocks = x->l * heads * tiles * Slices;
  constexpr int64_t kMost = 0x3fffffff;
  if (blocks > kMost || x->m > kMost || x->n > kMost - 1024) return 1;
  p.heads = int(heads);
  p.group = int(heads / x->attention->kv_heads);
  p.queries = int(x->m);
  p.keys = int(x->n);
  p.tiles = int(tiles);
  p.pieces = int(blocks);
  const int64_t together = (blocks + Kernel::kTogether - 1) / Kernel::kTogether;
  shape<Kernel>(geometry, Kernel::kStays && together > x->sms ? x->sms : together);
  return 0;
}

}  // namespace uc_attention
#endif
