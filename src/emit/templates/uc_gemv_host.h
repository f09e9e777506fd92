// Host half of contractions with few rows or columns: which operand is which, and how threads lie over the other one.
#ifndef UC_GEMV_HOST_H
#define UC_GEMV_HOST_H
#include <new>

#include "uc_gemv.cuh"
#include "uc_slices_host.h"

namespace uc_gemv {

constexpr int kTile = 64;  // of K: what slices are made of

// Lanes that a slice of K keeps busy; of an operand that is contiguous along its lines, those that leave eight groups: 128
// bytes a row.
template <class Kernel> Lanes lanes(int64_t slice) {
  if (!Kernel::kAlongK) return {5};
  const int busy = uc_slices::log2_up(uc_slices::up(slice, Kernel::kVector));
  return {busy < 5 ? 5 : busy > 8 ? 8 : busy};
}

inline void shape(uck_geometry* geometry, int64_t blocks, bool overlap) {
  *geometry = {{uint32_t(blocks), 1, 1}, {kThreads, 1, 1}, {1, 1, 1}, 0, overlap};
}

inline Operand operand(const uck_view& view) { return {view.data, view.stride[0], view.stride[1], view.stride[2]}; }

// `in_slices`: results are sums of a slice, [L * slices, M, N].
template <class Kernel, int Views>
int prepare(const uck_gemm* x, bool in_slices, bool overlap, void* params, uck_geometry* geometry) {
  auto& p = *new (params) typename Kernel::Params{};
  for (int i = 0; i < Views; ++i)
    p.view[i] = {x->view[i].data, x->view[i].stride[0], x->view[i].stride[1], x->view[i].stride[2]};
  p.x = operand(Kernel::LongIsA ? x->a : x->b);
  p.y = operand(Kernel::LongIsA ? x->b : x->a);
  p.lines = int(Kernel::LongIsA ? x->m : x->n);
  p.shorts = int(Kernel::LongIsA ? x->n : x->m);
  if (p.shorts > Kernel::kShort) return 1;
  const uc_slices::Cut cut = uc_slices::cut(x->k, in_slices ? x->split : 1, kTile);
  p.k = x->k;
  p.slices = cut.slices;
  p.slice = int64_t(cut.tiles) * kTile;
  p.lanes = lanes<Kernel>(p.slice);
  p.tiles = uc_slices::up(p.lines, int64_t(p.lanes.groups()) * Kernel::kLines);
  const int64_t blocks = p.tiles * p.slices * x->l;
  if (blocks > 0x7fffffff) return 1;
  shape(geometry, blocks, overlap);
  return 0;
}

}  // namespace uc_gemv
#endif
