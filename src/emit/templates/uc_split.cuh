// f32 matrices as pairs of f16 ones, for products in f16 that are as exact as in f32. A line (a row of A, a column of B)
// is multiplied by 4^h, so that its largest magnitude lies in [2^13, 2^15), exactly; then x = high + low, each the f16
// nearest to what is left. What is lost is at most 2^-23 of x, and 2^-25 where low is below f16's normal numbers.
// Lines that are zero stay zero; a line with an infinity or a NaN makes its results NaN.
#ifndef UC_SPLIT_CUH
#define UC_SPLIT_CUH
#include <cuda_fp16.h>
#include <stdint.h>

#include "uc_kernel_args.h"
#include "uc_split_scale.cuh"

enum {
  UC_SPLIT_THREADS = 256,
  UC_SPLIT_HELD = 16,    // vectors of four that a thread keeps between the two looks at a line along K
  UC_SPLIT_PANEL = 128,  // lines that a block takes where they are contiguous
  UC_SPLIT_DEPTH = 128   // ... and of K, when it writes them
};

// One operand. Of its two forms in memory, K contiguous (`along_k`) or lines contiguous, both are kept as they are.
struct uc_split_side {
  const float* from;
  __half *high, *low;
  float* unscale;     // [l, lines]: 2^-h, or NaN; the product of two undoes half of the scaling
  uint32_t* largest;  // [l, chunks, lines]: bits of the largest magnitude of a stretch of K; lines contiguous only
  int64_t l, lines, k, padded_k;
  int64_t from_l, from_line, from_k;  // strides, elements
  int64_t to_l, to_pitch;             // of high and low
  int64_t pitch;                      // of unscale and largest
  int64_t chunks, chunk;              // stretches of K in `largest`, and their length
  uint32_t lanes;                     // threads a line; K contiguous only
  uint32_t vector;                    // not 0: four floats can be read at once
  uint32_t blocks[2];                 // of the look for the largest, and of the writing
};

struct uc_split_params {
  uc_split_side side[2];  // A, B
};

#if !defined(UC_HOST_HALF) || defined(UC_ON_CPU)  // tests run device code on the CPU
__device__ __forceinline__ uint32_t uc_magnitude(float4 x) {
  return max(max(uc_magnitude(x.x), uc_magnitude(x.y)), max(uc_magnitude(x.z), uc_magnitude(x.w)));
}

// `left` of the four are inside the matrix; the others are zero.
__device__ __forceinline__ float4 uc_read4(const float* from, int64_t left, bool vector) {
  if (vector) return __ldcs(reinterpret_cast<const float4*>(from));
  return {__ldg(from), left > 1 ? __ldg(from + 1) : 0.0f, left > 2 ? __ldg(from + 2) : 0.0f,
          left > 3 ? __ldg(from + 3) : 0.0f};
}

__device__ __forceinline__ void uc_write4(__half* high, __half* low, float4 x, float4 factor) {
  x = {x.x * factor.x * factor.x, x.y * factor.y * factor.y, x.z * factor.z * factor.z,
       x.w * factor.w * factor.w};
  __half2 top[2] = {__floats2half2_rn(x.x, x.y), __floats2half2_rn(x.z, x.w)};
  const float2 a = __half22float2(top[0]), b = __half22float2(top[1]);
  __half2 rest[2] = {__floats2half2_rn(x.x - a.x, x.y - a.y), __floats2half2_rn(x.z - b.x, x.w - b.y)};
  *reinterpret_cast<uint2*>(high) = *reinterpret_cast<const uint2*>(top);
  *reinterpret_cast<uint2*>(low) = *reinterpret_cast<const uint2*>(rest);
}

// K contiguous: `lanes` threads a line. What they can hold is read once, the rest of a longer line twice.
__device__ __forceinline__ void uc_split_along_k(const uc_split_side& s, uint32_t block) {
  __shared__ uint32_t of_warp[UC_SPLIT_THREADS / 32];
  const uint32_t lane = threadIdx.x % s.lanes;
  const int64_t line = int64_t(block) * (UC_SPLIT_THREADS / s.lanes) + threadIdx.x / s.lanes;
  const bool inside = line < s.l * s.lines;
  const int64_t l = inside ? line / s.lines : 0;
  const int64_t row = inside ? line - l * s.lines : 0;
  const float* from = s.from + l * s.from_l + row * s.from_line;
  const int64_t k = inside ? s.k : 0;
  const int64_t first = int64_t(lane) * 4, step = int64_t(s.lanes) * 4;
  const bool vector = s.vector != 0;
  float4 held[UC_SPLIT_HELD];
  uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < UC_SPLIT_HELD; ++i) {
    const int64_t at = first + i * step;
    held[i] = at < k ? uc_read4(from + at, k - at, vector) : float4{0, 0, 0, 0};
  }
#pragma unroll
  for (int i = 0; i < UC_SPLIT_HELD; ++i) largest = max(largest, uc_magnitude(held[i]));
#pragma unroll 4
  for (int64_t at = first + UC_SPLIT_HELD * step; at < k; at += step)
    largest = max(largest, uc_magnitude(uc_read4(from + at, k - at, vector)));
  largest = __reduce_max_sync(0xffffffffu, largest);
  if (s.lanes > 32) {
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
    __syncthreads();
    const uint32_t warp = threadIdx.x / s.lanes * (s.lanes / 32);
    for (uint32_t i = 0; i < s.lanes / 32; ++i) largest = max(largest, of_warp[warp + i]);
  }
  if (!inside) return;
  if (lane == 0) s.unscale[l * s.pitch + row] = uc_split_unscale(largest);
  const float factor = uc_split_factor(largest);
  const float4 factors{factor, factor, factor, factor};
  const int64_t to = l * s.to_l + row * s.to_pitch;
#pragma unroll
  for (int i = 0; i < UC_SPLIT_HELD; ++i) {
    const int64_t at = first + i * step;
    if (at < s.padded_k) uc_write4(s.high + to + at, s.low + to + at, held[i], factors);
  }
#pragma unroll 4
  for (int64_t at = first + UC_SPLIT_HELD * step; at < s.padded_k; at += step) {
    const float4 x = at < k ? uc_read4(from + at, k - at, vector) : float4{0, 0, 0, 0};
    uc_write4(s.high + to + at, s.low + to + at, x, factors);
  }
}

// Lines contiguous: a block takes a panel of them over a stretch of K, a warp one K at a time.
struct uc_split_panel {
  int64_t l, line, stretch;
  uint32_t warp, lane;
};
__device__ __forceinline__ uc_split_panel uc_split_panel_of(const uc_split_side& s, uint32_t block,
                                                            int64_t stretches) {
  const int64_t panels = (s.lines + UC_SPLIT_PANEL - 1) / UC_SPLIT_PANEL;
  const int64_t panel = block % panels, rest = block / panels;
  return {rest / stretches, panel * UC_SPLIT_PANEL + threadIdx.x % 32 * 4, rest % stretches,
          threadIdx.x / 32, threadIdx.x % 32};
}

__device__ __forceinline__ void uc_split_look(const uc_split_side& s, uint32_t block) {
  __shared__ uint4 of_warp[UC_SPLIT_THREADS / 32][32];
  const uc_split_panel at = uc_split_panel_of(s, block, s.chunks);
  const int64_t end = min(s.k, (at.stretch + 1) * s.chunk);
  const float* from = s.from + at.l * s.from_l + at.line;
  uint4 largest{0, 0, 0, 0};
  if (at.line < s.lines) {
#pragma unroll 8
    for (int64_t k = at.stretch * s.chunk + at.warp; k < end; k += UC_SPLIT_THREADS / 32) {
      const float4 x = uc_read4(from + k * s.from_k, s.lines - at.line, s.vector != 0);
      largest = {max(largest.x, uc_magnitude(x.x)), max(largest.y, uc_magnitude(x.y)),
                 max(largest.z, uc_magnitude(x.z)), max(largest.w, uc_magnitude(x.w))};
    }
  }
  of_warp[at.warp][at.lane] = largest;
  __syncthreads();
  if (at.warp != 0 || at.line >= s.lines) return;
  for (int i = 1; i < UC_SPLIT_THREADS / 32; ++i) {
    const uint4 other = of_warp[i][at.lane];
    largest = {max(largest.x, other.x), max(largest.y, other.y), max(largest.z, other.z),
               max(largest.w, other.w)};
  }
  // The pitch is a multiple of four: what is past the last line is zero and read by nobody.
  *reinterpret_cast<uint4*>(s.largest + (at.l * s.chunks + at.stretch) * s.pitch + at.line) = largest;
}

__device__ __forceinline__ void uc_split_across_k(const uc_split_side& s, uint32_t block) {
  const int64_t stretches = (s.padded_k + UC_SPLIT_DEPTH - 1) / UC_SPLIT_DEPTH;
  const uc_split_panel at = uc_split_panel_of(s, block, stretches);
  if (at.line >= s.lines) return;
  uint4 largest{0, 0, 0, 0};
#pragma unroll 4
  for (int64_t i = 0; i < s.chunks; ++i) {
    const uint4 other =
        *reinterpret_cast<const uint4*>(s.largest + (at.l * s.chunks + i) * s.pitch + at.line);
    largest = {max(largest.x, other.x), max(largest.y, other.y), max(largest.z, other.z),
               max(largest.w, other.w)};
  }
  if (at.stretch == 0 && at.warp == 0) {
    *reinterpret_cast<float4*>(s.unscale + at.l * s.pitch + at.line) = {
        uc_split_unscale(largest.x), uc_split_unscale(largest.y), uc_split_unscale(largest.z),
        uc_split_unscale(largest.w)};
  }
  const float4 factors{uc_split_factor(largest.x), uc_split_factor(largest.y), uc_split_factor(largest.z),
                       uc_split_factor(largest.w)};
  const float* from = s.from + at.l * s.from_l + at.line;
  const int64_t end = min(s.padded_k, (at.stretch + 1) * UC_SPLIT_DEPTH);
#pragma unroll 4
  for (int64_t k = at.stretch * UC_SPLIT_DEPTH + at.warp; k < end; k += UC_SPLIT_THREADS / 32) {
    const float4 x = k < s.k ? uc_read4(from + k * s.from_k, s.lines - at.line, s.vector != 0)
                             : float4{0, 0, 0, 0};
    const int64_t to = at.l * s.to_l + k * s.to_pitch + at.line;
    uc_write4(s.high + to, s.low + to, x, factors);
  }
}

template <bool kAlongK>
__device__ __forceinline__ void uc_split_side_of(const uc_split_side& s, uint32_t block) {
  if constexpr (kAlongK) {
    uc_split_along_k(s, block);
  } else {
    uc_split_across_k(s, block);
  }
}

// The first launch, where an operand has its lines contiguous: their largest magnitudes.
template <bool kAAlongK, bool kBAlongK>
__device__ __forceinline__ void uc_split_first(const uc_split_params& p) {
  if (blockIdx.x < p.side[0].blocks[0]) {
    if constexpr (!kAAlongK) uc_split_look(p.side[0], blockIdx.x);
  } else {
    if constexpr (!kBAlongK) uc_split_look(p.side[1], blockIdx.x - p.side[0].blocks[0]);
  }
}

// The launch that writes the halves of both operands.
template <bool kAAlongK, bool kBAlongK>
__device__ __forceinline__ void uc_split_both(const uc_split_params& p) {
  if constexpr (kAAlongK == kBAlongK) {
    const int which = blockIdx.x < p.side[0].blocks[1] ? 0 : 1;
    uc_split_side_of<kAAlongK>(p.side[which], blockIdx.x - which * p.side[0].blocks[1]);
  } else if (blockIdx.x < p.side[0].blocks[1]) {
    uc_split_side_of<kAAlongK>(p.side[0], blockIdx.x);
  } else {
    uc_split_side_of<kBAlongK>(p.side[1], blockIdx.x - p.side[0].blocks[1]);
  }
}

#endif

#if defined(UC_HOST_HALF)  // where everything lies

inline int64_t uc_split_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// Memory is given out from `bytes` on; null pointers where there is none yet.
struct uc_split_memory {
  char* base;
  int64_t bytes;
  template <class T>
  T* take(int64_t count) {
    T* at = base == nullptr ? nullptr : reinterpret_cast<T*>(base + bytes);
    bytes += uc_split_up(count * int64_t(sizeof(T)), 256);
    return at;
  }
};

// `memory` is for what the multiplication reads, `scratch` for what is forgotten. `tile_k`: each half fills whole tiles
// of the multiplication along K. `sms`: to have work for all.
inline uc_split_side uc_split_plan(uc_split_memory& memory, uc_split_memory& scratch, const uck_view& view, int64_t l, int64_t lines, int64_t k,
                                   bool along_k, int64_t tile_k, int64_t sms) {
  uc_split_side s{};
  s.from = static_cast<const float*>(view.data);
  s.l = l > 1 && view.stride[0] != 0 ? l : 1;  // one for all where it is the same
  s.lines = lines;
  s.k = k;
  s.padded_k = uc_split_up(k, tile_k);
  s.from_l = view.stride[0];
  s.from_line = view.stride[1];
  s.from_k = view.stride[2];
  s.pitch = uc_split_up(lines, 4);
  s.to_pitch = along_k ? 2 * s.padded_k : uc_split_up(lines, 8);
  s.to_l = (along_k ? lines : 2 * s.padded_k) * s.to_pitch;
  s.high = memory.take<__half>(s.l * s.to_l);
  s.low = s.high == nullptr ? nullptr : s.high + (along_k ? s.padded_k : s.padded_k * s.to_pitch);
  s.unscale = memory.take<float>(s.l * s.pitch);
  const int64_t run = along_k ? k : lines, apart = along_k ? s.from_line : s.from_k;
  const bool aligned = reinterpret_cast<uintptr_t>(view.data) % 16 == 0;
  s.vector = aligned && run % 4 == 0 && apart % 4 == 0 && (s.l == 1 || s.from_l % 4 == 0);
  if (along_k) {
    s.lanes = 32;
    while (s.lanes < UC_SPLIT_THREADS && s.lanes * 4 * UC_SPLIT_HELD < k) s.lanes *= 2;
    const int64_t at_once = UC_SPLIT_THREADS / s.lanes;
    s.blocks[1] = uint32_t((s.l * lines + at_once - 1) / at_once);
    return s;
  }
  const int64_t panels = s.l * ((lines + UC_SPLIT_PANEL - 1) / UC_SPLIT_PANEL);
  const int64_t wanted = (4 * sms + panels - 1) / panels;  // blocks that look at one panel
  s.chunks = wanted < 1 ? 1 : wanted > 32 ? 32 : wanted;
  s.chunk = uc_split_up((k + s.chunks - 1) / s.chunks, UC_SPLIT_THREADS / 32);
  s.chunks = (k + s.chunk - 1) / s.chunk;
  s.largest = scratch.take<uint32_t>(s.l * s.chunks * s.pitch);
  s.blocks[0] = uint32_t(panels * s.chunks);
  s.blocks[1] = uint32_t(panels * ((s.padded_k + UC_SPLIT_DEPTH - 1) / UC_SPLIT_DEPTH));
  return s;
}

struct uc_split_both_plans {
  uc_split_params params;
  int64_t bytes;   // of scratch
  int64_t packed;  // of what is kept of B
};
inline uc_split_both_plans uc_split_plans(const uck_gemm& x, bool a_along_k, bool b_along_k, int64_t tile_k) {
  uc_split_memory scratch{static_cast<char*>(x.scratch), 0};
  uc_split_memory packed{static_cast<char*>(x.packed), 0};
  uc_split_both_plans out{};
  uc_split_side& a = out.params.side[0];
  uc_split_side& b = out.params.side[1];
  a = uc_split_plan(scratch, scratch, x.a, x.l, x.m, x.k, a_along_k, tile_k, x.sms);
  b = uc_split_plan(x.keeps ? packed : scratch, scratch, x.b, x.l, x.n, x.k, b_along_k, tile_k, x.sms);
  if (x.loading) a.blocks[0] = a.blocks[1] = 0;
  if (x.keeps && !x.loading) b.blocks[0] = b.blocks[1] = 0;
  out.bytes = scratch.bytes;
  out.packed = packed.bytes;
  return out;
}

inline void uc_split_operand(uck_view& view, const uc_split_side& side, bool along_k) {
  view.data = side.high;
  view.stride[0] = side.l == 1 ? 0 : side.to_l;
  view.stride[1] = along_k ? side.to_pitch : 1;
  view.stride[2] = along_k ? 1 : side.to_pitch;
}

// The multiplication of the halves: K three times as long, and two more views of the epilogue, from `first_view` on.
inline uck_gemm uc_split_gemm(const uck_gemm& x, bool a_along_k, bool b_along_k, int64_t tile_k, int first_view) {
  const uc_split_both_plans plans = uc_split_plans(x, a_along_k, b_along_k, tile_k);
  uck_gemm y = x;
  y.k = 3 * plans.params.side[0].padded_k;
  uc_split_operand(y.a, plans.params.side[0], a_along_k);
  uc_split_operand(y.b, plans.params.side[1], b_along_k);
  for (int i = 0; i < 2; ++i) {
    const uc_split_side& side = plans.params.side[i];
    uck_view& view = y.view[first_view + i];
    view = {};
    view.data = side.unscale;
    view.stride[0] = side.l == 1 ? 0 : side.pitch;
    view.stride[1 + i] = 1;
  }
  if (x.scratch != nullptr) y.scratch = static_cast<char*>(x.scratch) + plans.bytes;  // what the multiplication needs
  return y;
}

// Parts before the multiplication: 0 with `looks` only where an operand has its lines contiguous.
inline int uc_split_prepare(const uck_gemm& x, bool a_along_k, bool b_along_k, int64_t tile_k, bool looks, void* params,
                            uck_geometry* geometry) {
  const uc_split_both_plans plans = uc_split_plans(x, a_along_k, b_along_k, tile_k);
  *static_cast<uc_split_params*>(params) = plans.params;
  const int which = looks ? 0 : 1;
  *geometry = {{plans.params.side[0].blocks[which] + plans.params.side[1].blocks[which], 1, 1},
               {UC_SPLIT_THREADS, 1, 1},
               {1, 1, 1},
               0,
               0};
  return 0;
}
#endif
#endif
