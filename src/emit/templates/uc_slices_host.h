// Host half of sums over slices of K: how K is cut, what lies where in scratch memory, and how threads lie over a result.
#ifndef UC_SLICES_HOST_H
#define UC_SLICES_HOST_H
#include <new>

#include "uc_kernel_args.h"
#include "uc_slices.cuh"

namespace uc_slices {

inline int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

// K in slices of whole tiles, all of one length, of which the last may reach beyond K. Fewer than asked for where that many
// would leave some empty.
struct Cut {
  int slices, tiles;  // tiles: of one slice
};
inline Cut cut(int64_t k, int64_t asked, int64_t tile) {
  const int64_t all = up(k, tile), tiles = up(all, asked > 1 ? asked : 1);
  return {int(up(all, tiles)), int(tiles)};
}

inline int64_t pitch(const uck_gemm* x) { return up(x->n, uc_element::kColumns) * uc_element::kColumns; }

// The product whose results are the slices' sums: [L * slices, M, N].
inline uck_gemm product(const uck_gemm* x) {
  uck_gemm out = *x;
  out.view[0] = {x->scratch, {x->m * pitch(x), pitch(x), 1}};
  return out;
}

inline int log2_up(int64_t value) {
  int out = 0;
  while (int64_t(1) << out < value) ++out;
  return out;
}

// Threads first cover rows of up to 128 columns, then rows. Where that makes few blocks, they add slices side by side.
inline Tiling tiling(const uck_gemm* x, int slices, bool combines) {
  constexpr int kLogThreads = 8, kMostLogN = 5;
  constexpr int64_t kEnoughBlocks = 512;
  Tiling out;
  const int64_t fours = up(x->n, uc_element::kColumns);
  out.log_n = log2_up(fours) < kMostLogN ? log2_up(fours) : kMostLogN;
  out.log_m = log2_up(x->m) < kLogThreads - out.log_n ? log2_up(x->m) : kLogThreads - out.log_n;
  out.steps = 1;
  out.tiles_n = up(fours, int64_t(1) << out.log_n);
  const auto tiles = [x, &out] { return up(x->m, int64_t(out.steps) << out.log_m); };
  if (combines) {
    while (out.steps < 8 && int64_t(out.steps) << out.log_m < x->m) out.steps *= 2;
  } else {
    while (out.log_m > 0 && x->l * tiles() * out.tiles_n < kEnoughBlocks &&
           2 << (kLogThreads - out.log_n - out.log_m) <= slices)
      --out.log_m;
  }
  out.tiles_m = tiles();
  return out;
}

// Bytes and offsets in scratch memory: the slices, then of each combined vector what the tiles gave.
template <class Addition> struct Memory;
template <class A, class E, int V, class L, class S, class... Sums>
struct Memory<Addition<A, E, V, L, S, uc_element::List<Sums...>>> {
  int64_t combined[sizeof...(Sums) + 1], bytes;
  Memory(const uck_gemm* x, int slices, Tiling const& tiling) {
    bytes = up(x->l * slices * x->m * pitch(x) * int64_t(sizeof(A)), 256) * 256;
    int which = 0;
    (place(which++, Sums::AlongN ? tiling.tiles_m * x->l * x->n : tiling.tiles_n * x->l * x->m), ...);
    combined[which] = bytes;
  }

 private:
  void place(int which, int64_t floats) {
    combined[which] = bytes;
    bytes += up(floats * int64_t(sizeof(float)), 256) * 256;
  }
};

template <class Addition> int64_t scratch_bytes(const uck_gemm* x, int slices) {
  return Memory<Addition>(x, slices, tiling(x, slices, Addition::kCombined > 0)).bytes;
}

// `overlap`: the function waits by itself for the one before it.
inline void shape(uck_geometry* geometry, int64_t blocks, bool overlap) {
  *geometry = {{uint32_t(blocks), 1, 1}, {kThreads, 1, 1}, {1, 1, 1}, 0, overlap};
}

// Of both functions: the addition, and (`combine`) what follows it.
template <class Addition, int Views>
int prepare(const uck_gemm* x, int slices, bool combine, bool overlap, void* params, uck_geometry* geometry) {
  auto& p = *new (params) typename Addition::Params{};
  for (int i = 0; i < Views; ++i)
    p.view[i] = {x->view[i].data, x->view[i].stride[0], x->view[i].stride[1], x->view[i].stride[2]};
  p.slices = static_cast<typename Addition::Element const*>(x->scratch);
  p.pitch = pitch(x);
  p.batch = x->l;
  p.rows = int(x->m);
  p.columns = int(x->n);
  p.count = slices;
  p.tiling = tiling(x, slices, Addition::kCombined > 0);
  const Memory<Addition> memory(x, slices, p.tiling);
  for (int i = 0; i < Addition::kCombined; ++i)
    p.combined[i] = reinterpret_cast<float*>(static_cast<char*>(x->scratch) + memory.combined[i]);
  const int64_t longest = x->m > x->n ? x->m : x->n;
  const int64_t blocks =
      combine ? up(x->l * longest, kThreads) : x->l * p.tiling.tiles_m * p.tiling.tiles_n;
  if (blocks > 0x7fffffff) return 1;
  shape(geometry, blocks, overlap);
  return 0;
}

}  // namespace uc_slices
#endif
