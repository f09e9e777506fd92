// A contraction with few rows or columns: D[long, short] = sum_k X[long, k] * Y[short, k], where X is read once, as wide as its
// alignment allows, and what is short stays in registers. All sums are f32 (i32 of integers), in an order that depends on
// sizes alone. What X is, A or B, is a matter of names: results have strides of their own.
#ifndef UC_GEMV_CUH
#define UC_GEMV_CUH
#include "uc_element.cuh"

namespace uc_gemv {

constexpr int kThreads = 256;

// Numbers as they are multiplied.
struct AsTheyAre {
  static UC_FN float of(float x) { return x; }
  static UC_FN double of(double x) { return x; }
  static UC_FN int32_t of(int64_t x) { return int32_t(x); }
};
// f32 with the ten bits of tf32, to nearest even.
struct AsTf32 {
  static UC_FN float of(float x) {
    union {
      float value;
      uint32_t bits;
    } y{x};
    if ((y.bits & 0x7f800000u) != 0x7f800000u) y.bits = (y.bits + 0xfffu + (y.bits >> 13 & 1u)) & ~0x1fffu;
    return y.value;
  }
};

// One operand: [L, lines, K]; strides in elements.
struct Operand {
  void const* data;
  int64_t l, line, k;
};

// Threads of a block: `groups` times `lanes`. A group has lines of X to itself, its lanes share K.
struct Lanes {
  int log_lanes;
  UC_FN int lanes() const { return 1 << log_lanes; }
  UC_FN int groups() const { return kThreads >> log_lanes; }
};

// Element: of X and Y. LongIsA: X is A. AlongK: X is contiguous along K, else along its lines. V: elements of X that are
// read at once. Lines: of X, a thread (V of them where they are contiguous). Short: lines of Y, at most. YVector: Y is
// read V at once.
template <class Element, class Accumulator, class Rounding, bool LongIsA, bool AlongK, int V, int Lines, int Short,
          bool YVector, class Expression, int Views, class Loads, class Stores>
struct Kernel;
template <class Element, class Accumulator, class Rounding, bool LongIsA_, bool AlongK, int V, int Lines, int Short,
          bool YVector, class Expression, int Views, class... Loads, class... Stores>
struct Kernel<Element, Accumulator, Rounding, LongIsA_, AlongK, V, Lines, Short, YVector, Expression, Views,
              uc_element::List<Loads...>, uc_element::List<Stores...>> {
  static_assert(AlongK || V == Lines, "a thread's lines are those that it reads at once");
  static constexpr bool LongIsA = LongIsA_, kAlongK = AlongK;
  static constexpr int kVector = V, kLines = Lines, kShort = Short;
  static constexpr int kDepth = AlongK ? V : 1;   // of K, in one step of a thread
  static constexpr int kUnroll = AlongK ? 2 : 4;  // steps whose loads are on their way together
  static constexpr int kSums = Lines * Short, kRound = kSums < 16 ? kSums : 16;  // kRound of them meet at once

  struct Params {
    uc_element::View view[Views];
    Operand x, y;
    int64_t tiles, k, slice;  // tiles of X's lines; of K: whole, and of a slice
    int lines, shorts, slices;
    Lanes lanes;
  };

#if !defined(UC_HOST_HALF) || defined(UC_ON_CPU)  // tests run device code on the CPU
  static __device__ __forceinline__ void run(Params const& x) {
    uc_element::wait_for_launch_before();
    const Thread at(x);
    Sums sums{};
    multiply(x, at, sums);
    __shared__ Accumulator shared[kRound * kThreads];
#pragma unroll
    for (int first = 0; first < kSums; first += kRound) meet(x, at, sums, first, shared);
  }

 private:
  using Value = decltype(Rounding::of(uc_load(Element())));
  using Pack = uc_pack<Element, V>;
  struct Sums {
    Accumulator at[kSums];  // [line][short]
  };

  // Where a thread is: neighbours lie along what is contiguous.
  struct Thread {
    int lane, group, slice;
    int64_t batch, first;  // matrix, and line
    __device__ __forceinline__ explicit Thread(Params const& x) {
      const int thread = int(threadIdx.x);
      lane = AlongK ? thread & (x.lanes.lanes() - 1) : thread / x.lanes.groups();
      group = AlongK ? thread >> x.lanes.log_lanes : thread & (x.lanes.groups() - 1);
      const int64_t above = uc_divide(blockIdx.x, x.tiles), tile = blockIdx.x - above * x.tiles;
      batch = uc_divide(above, x.slices);
      slice = int(above - batch * x.slices);
      first = (tile * x.lanes.groups() + group) * Lines;
    }
  };

  static __device__ __forceinline__ Value value(Element x) { return Rounding::of(uc_load(x)); }

  static __device__ __forceinline__ void multiply(Params const& x, Thread const& at, Sums& sums) {
    const int64_t begin = at.slice * x.slice;
    const int64_t end = x.k - begin < x.slice ? x.k : begin + x.slice;
    Element const* long_side = static_cast<Element const*>(x.x.data) + at.batch * x.x.l;
    Element const* short_side = static_cast<Element const*>(x.y.data) + at.batch * x.y.l;
    const int64_t stride = int64_t(x.lanes.lanes()) * kDepth;
#pragma unroll kUnroll
    for (int64_t k = begin + at.lane * kDepth; k < end; k += stride) {
      if constexpr (AlongK) {
        step_along_k(x, long_side, short_side, at.first, k, sums);
      } else {
        step_along_lines(x, long_side, short_side, at.first, k, sums);
      }
    }
  }

  static __device__ __forceinline__ void step_along_k(Params const& x, Element const* long_side,
                                                      Element const* short_side, int64_t first, int64_t k,
                                                      Sums& sums) {
    Pack lines[Lines];
    for (int i = 0; i < Lines; ++i) {
      // Lines beyond the last are read as the last, and not stored.
      const int64_t line = first + i < x.lines ? first + i : x.lines - 1;
      lines[i] = *reinterpret_cast<Pack const*>(long_side + line * x.x.line + k);
    }
    for (int s = 0; s < Short; ++s) {
      if (s >= x.shorts) break;
      Value y[V];
      Element const* from = short_side + s * x.y.line + k * x.y.k;
      if constexpr (YVector) {
        const Pack pack = *reinterpret_cast<Pack const*>(from);
        for (int v = 0; v < V; ++v) y[v] = value(pack.at[v]);
      } else {
        for (int v = 0; v < V; ++v) y[v] = value(from[v * x.y.k]);
      }
      for (int i = 0; i < Lines; ++i) {
        for (int v = 0; v < V; ++v) sums.at[i * Short + s] += value(lines[i].at[v]) * y[v];
      }
    }
  }

  static __device__ __forceinline__ void step_along_lines(Params const& x, Element const* long_side,
                                                          Element const* short_side, int64_t first, int64_t k,
                                                          Sums& sums) {
    if (first >= x.lines) return;
    const Pack lines = *reinterpret_cast<Pack const*>(long_side + first + k * x.x.k);
    for (int s = 0; s < Short; ++s) {
      if (s >= x.shorts) break;
      const Value y = value(short_side[s * x.y.line + k * x.y.k]);
      for (int i = 0; i < Lines; ++i) sums.at[i * Short + s] += value(lines.at[i]) * y;
    }
  }

  // The lanes of a group add kRound of their sums, and one of them has the epilogue of each.
  static __device__ __forceinline__ void meet(Params const& x, Thread const& at, Sums const& sums, int first,
                                              Accumulator* shared) {
    const int next = AlongK ? 1 : x.lanes.groups();  // from a lane to its neighbour
    Accumulator* mine = shared + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kRound; ++i) mine[i * kThreads] = sums.at[first + i];
    __syncthreads();
    for (int half = x.lanes.lanes() / 2; half > 0; half /= 2) {
      if (at.lane < half) {
#pragma unroll
        for (int i = 0; i < kRound; ++i) mine[i * kThreads] += mine[i * kThreads + half * next];
      }
      __syncthreads();
    }
    if (at.lane < kRound) store(x, at, first + at.lane, shared[at.lane * kThreads + threadIdx.x - at.lane * next]);
    __syncthreads();
  }

  static __device__ __forceinline__ void store(Params const& x, Thread const& at, int index, Accumulator sum) {
    const int64_t line = at.first + index / Short;
    const int other = index % Short;
    if (line >= x.lines || other >= x.shorts) return;
    uc_element::Place place{at.batch * x.slices + at.slice, int32_t(LongIsA ? line : other),
                            int32_t(LongIsA ? other : line), LongIsA ? x.lines : x.shorts,
                            LongIsA ? x.shorts : x.lines};
    Expression::at(place, uc_load(sum), Loads::one(x.view[Loads::Index], place)...,
                   Stores::one(x.view[Stores::Index], place)...);
  }
#endif
};

}  // namespace uc_gemv
#endif
