// Host half of direct convolutions: sizes, strides and memory of one launch as the parameters of its kernel.
#ifndef UC_CONV_DIRECT_HOST_H
#define UC_CONV_DIRECT_HOST_H
#include <new>
#include <string.h>

#include "uc_conv_direct.cuh"

namespace uc_direct {

inline Strided strided(const uck_view& view) {
  Strided out{view.data, {}};
  memcpy(out.stride, view.stride, sizeof out.stride);
  return out;
}

inline void shape(uck_geometry* geometry) { *geometry = {{1, 1, 1}, {kThreads, 1, 1}, {1, 1, 1}, 0, 0}; }

template <class Kernel, bool Transposed, int Views>
int prepare(const uck_gemm* x, void* params, uck_geometry* geometry) {
  const uck_conv& c = *x->conv;
  auto& p = *new (params) Params<Views>{};
  memcpy(p.window, c.window, sizeof p.window);
  p.images = int(c.images);
  p.groups = int(c.groups);
  p.channels = int(c.channels);
  p.results = int(c.results);
  const int vectors = int(c.groups * c.results / Kernel::kVector);
  const int tiles = (c.window[1].out + Kernel::kPlaces - 1) / Kernel::kPlaces;
  const int64_t units = int64_t(vectors) * c.window[0].out * tiles * c.window[2].out;
  if (units > 0x7fffffff) return 1;
  p.units = int(units);
  p.vectors = uc_divider::of(vectors);
  p.across = uc_divider::of(c.window[2].out);
  p.tiles = uc_divider::of(tiles);
  p.x = strided(x->a);
  p.w = strided(x->b);
  p.next_group = Transposed ? c.channels * x->b.stride[4] : c.results * x->b.stride[0];
  for (int i = 0; i < Views; ++i) p.view[i] = strided(x->view[i]);
  shape(geometry);
  geometry->grid[0] = uint32_t((units + kThreads - 1) / kThreads);
  geometry->grid[1] = uint32_t(c.images < 65535 ? c.images : 65535);
  return 0;
}

}  // namespace uc_direct
#endif
