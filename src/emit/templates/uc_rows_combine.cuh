// How elements of a row become one: by a thread, by threads of a warp, a block, a cluster. Whoever combines, the order
// is the same in every run, so results are the same bits.
#ifndef UC_ROWS_COMBINE_CUH
#define UC_ROWS_COMBINE_CUH
#include <string.h>

#include "uc_kernel_args.h"
#include "uc_math.cuh"
#include "uc_round.cuh"

#if defined(UC_EMULATE)
#include "uc_emulate.h"
#define UC_DEV inline
#else
#define UC_DEV __device__ __forceinline__
#define UC_SHARED(name, bytes) __shared__ alignas(16) char name[bytes]
#endif

namespace uc_rows {

template <class T> struct Limits {
  static UC_DEV T least() { return -INFINITY; }
  static UC_DEV T most() { return INFINITY; }
  static UC_DEV T plus(T a, T b) { return a + b; }
  static UC_DEV T times(T a, T b) { return a * b; }
};
template <> struct Limits<int64_t> {
  static UC_DEV int64_t least() { return INT64_MIN; }
  static UC_DEV int64_t most() { return INT64_MAX; }
  static UC_DEV int64_t plus(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
  static UC_DEV int64_t times(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
};

// ---- accumulators: `add` takes N neighbours of which the first is element `at` of its row; `merge` takes elements
// that another thread has seen

template <class T> UC_DEV T total(const T (&x)[1]) { return x[0]; }
template <class T, int N> UC_DEV T total(const T (&x)[N]) {
  T half[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i) half[i] = Limits<T>::plus(x[i], x[i + N / 2]);
  return total(half);
}

template <class T> struct Sum {
  T v;
  UC_DEV void clear() { v = T(0); }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t) { v = Limits<T>::plus(v, total(x)); }
  UC_DEV void merge(const Sum& other) { v = Limits<T>::plus(v, other.v); }
  UC_DEV T result() const { return v; }
};

template <class T> struct Product {
  T v;
  UC_DEV void clear() { v = T(1); }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t) {
#pragma unroll
    for (int i = 0; i < N; ++i) v = Limits<T>::times(v, x[i]);
  }
  UC_DEV void merge(const Product& other) { v = Limits<T>::times(v, other.v); }
  UC_DEV T result() const { return v; }
};

template <class T, bool Greatest> struct Extreme {
  T v;
  static UC_DEV T of(T a, T b) { return Greatest ? uc_maximum(a, b) : uc_minimum(a, b); }
  UC_DEV void clear() { v = Greatest ? Limits<T>::least() : Limits<T>::most(); }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t) {
#pragma unroll
    for (int i = 0; i < N; ++i) v = of(v, x[i]);
  }
  UC_DEV void merge(const Extreme& other) { v = of(v, other.v); }
  UC_DEV T result() const { return v; }
};
template <class T> using Max = Extreme<T, true>;
template <class T> using Min = Extreme<T, false>;

// The place of the first NaN, else of the first of the greatest (least).
template <class T, bool Greatest> struct Place {
  T v;
  int64_t at;
  UC_DEV void clear() {
    v = Greatest ? Limits<T>::least() : Limits<T>::most();
    at = INT64_MAX;
  }
  UC_DEV void take(T x, int64_t place) {
    const bool nan = x != x, had = v != v;
    const bool better = nan != had ? nan : !nan && x != v ? (Greatest ? x > v : x < v) : place < at;
    v = better ? x : v;
    at = better ? place : at;
  }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t place) {
#pragma unroll
    for (int i = 0; i < N; ++i) take(x[i], place + i);
  }
  UC_DEV void merge(const Place& other) { take(other.v, other.at); }
  UC_DEV int64_t result() const { return at; }
};
template <class T> using ArgMax = Place<T, true>;
template <class T> using ArgMin = Place<T, false>;

// max x and sum exp(x - max x) in one pass: the sum is rescaled when the maximum grows. What has seen nothing but -inf
// holds no NaN, since finite elements may follow.
template <class T> struct Exponentials {
  T top, sum;
  static UC_DEV T shift(T top) { return top == Limits<T>::least() ? T(0) : top; }
  UC_DEV void clear() {
    top = Limits<T>::least();
    sum = T(0);
  }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t) {
    T most = top;
#pragma unroll
    for (int i = 0; i < N; ++i) most = uc_maximum(most, x[i]);
    const T by = shift(most);
    T terms[N];
#pragma unroll
    for (int i = 0; i < N; ++i) terms[i] = uc_exp(x[i] - by);
    sum = sum * uc_exp(top - by) + total(terms);
    top = most;
  }
  UC_DEV void merge(const Exponentials& other) {
    const T most = uc_maximum(top, other.top);
    const T by = shift(most);
    sum = sum * uc_exp(top - by) + other.sum * uc_exp(other.top - by);
    top = most;
  }
  UC_DEV T first() const { return top; }
  UC_DEV T second() const { return sum; }
};

// The sum, and the sum of squared differences from the mean, in one pass (Chan, Golub, LeVeque 1979): each vector's own
// mean first, so that a large offset cancels nothing.
template <class T> struct Moments {
  T count, mean, squares, sum;
  UC_DEV void clear() { count = mean = squares = sum = T(0); }
  UC_DEV void put(T n, T m, T q) {
    const T all = count + n;
    const T share = all == T(0) ? T(0) : uc_div(n, all);
    const T apart = m - mean;
    squares += q + apart * apart * count * share;
    mean += apart * share;
    count = all;
  }
  template <int N> UC_DEV void add(const T (&x)[N], int64_t) {
    const T all = total(x);
    const T m = all * (T(1) / T(N));
    T terms[N];
#pragma unroll
    for (int i = 0; i < N; ++i) terms[i] = (x[i] - m) * (x[i] - m);
    put(T(N), m, total(terms));
    sum += all;
  }
  UC_DEV void merge(const Moments& other) {
    put(other.count, other.mean, other.squares);
    sum += other.sum;
  }
  UC_DEV T first() const { return sum; }
  UC_DEV T second() const { return squares; }
};

// ---- threads

#if !defined(UC_EMULATE)
template <class T> UC_DEV T exchange(const T& x, int lane_mask) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
  uint32_t words[sizeof(T) / 4];
  T out;
  memcpy(words, &x, sizeof x);
#pragma unroll
  for (int i = 0; i < int(sizeof(T) / 4); ++i) words[i] = __shfl_xor_sync(~0u, words[i], lane_mask);
  memcpy(&out, words, sizeof out);
  return out;
}
UC_DEV uint32_t cluster_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
UC_DEV void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// What lies in the shared memory of block `rank` of the cluster where `*here` lies in this one's.
template <class T> UC_DEV T of_block(const T* here, uint32_t rank) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
  uint32_t at = uint32_t(__cvta_generic_to_shared(here));
  uint32_t words[sizeof(T) / 4];
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(at), "r"(rank));
#pragma unroll
  for (int i = 0; i < int(sizeof(T) / 4); ++i)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(words[i]) : "r"(at + 4 * i) : "memory");
  T out;
  memcpy(&out, words, sizeof out);
  return out;
}
#endif

// The least that is not below n.
UC_DEV constexpr int power_of_two(int n) {
  int out = 1;
  while (out < n) out *= 2;
  return out;
}

// Word by word, so that both stay in registers.
template <class T> UC_DEV void swap_if(bool swap, T& a, T& b) {
  static_assert(sizeof(T) % 4 == 0, "whole words");
  uint32_t x[sizeof(T) / 4], y[sizeof(T) / 4];
  memcpy(x, &a, sizeof a);
  memcpy(y, &b, sizeof b);
#pragma unroll
  for (int i = 0; i < int(sizeof(T) / 4); ++i) {
    const uint32_t own = x[i];
    x[i] = swap ? y[i] : own;
    y[i] = swap ? own : y[i];
  }
  memcpy(&a, x, sizeof a);
  memcpy(&b, y, sizeof b);
}

// All of `Width` neighbouring lanes (a power of two) get what they have seen together. The lower lane comes first, so that
// both of a pair compute the same bits.
template <int Width, class Acc> UC_DEV void merge_lanes(Acc& acc) {
#pragma unroll
  for (int apart = 1; apart < Width; apart *= 2) {
    Acc other = exchange(acc, apart);
    swap_if((threadIdx.x & unsigned(apart)) != 0, acc, other);
    acc.merge(other);
  }
}

// The same for `Team` neighbouring threads; `slots` holds one Acc a warp of the block.
template <int Team, class Acc> UC_DEV void merge_team(Acc& acc, Acc* slots) {
  merge_lanes<(Team < 32 ? Team : 32)>(acc);
  if constexpr (Team > 32) {
    constexpr int kWarps = Team / 32;
    constexpr int kWidth = power_of_two(kWarps);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % kWidth;
    __syncthreads();
    if (threadIdx.x % 32 == 0) slots[warp] = acc;
    __syncthreads();
    acc = slots[warp / kWarps * kWarps + (lane < kWarps ? lane : 0)];
    if (lane >= kWarps) acc.clear();
    merge_lanes<kWidth>(acc);
  }
}

// The same for blocks of a cluster, all of whose threads have what their block has seen.
template <int Cluster, class Acc> UC_DEV void merge_cluster(Acc& acc, Acc* slot) {
  if (threadIdx.x == 0) *slot = acc;
  cluster_sync();
  acc = of_block(slot, threadIdx.x % Cluster);
  merge_lanes<Cluster>(acc);
  cluster_sync();  // the slot may be written again, or the block be gone
}

// The same for threads `Apart` from each other, `Team` of them, each with `Lanes` rows. `slots`: one Acc a thread and lane.
template <int Team, int Apart, int Lanes, class Acc> UC_DEV void merge_columns(Acc (&acc)[Lanes], Acc* slots) {
  constexpr int kThreads = Team * Apart;
  __syncthreads();
#pragma unroll
  for (int lane = 0; lane < Lanes; ++lane) slots[lane * kThreads + threadIdx.x] = acc[lane];
  __syncthreads();
#pragma unroll
  for (int half = power_of_two(Team) / 2; half > 0; half /= 2) {
    if (threadIdx.x < unsigned(half * Apart) && threadIdx.x + half * Apart < unsigned(kThreads)) {
#pragma unroll
      for (int lane = 0; lane < Lanes; ++lane) {
        Acc* own = &slots[lane * kThreads + threadIdx.x];
        own->merge(own[half * Apart]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int lane = 0; lane < Lanes; ++lane) acc[lane] = slots[lane * kThreads + threadIdx.x % Apart];
}

}  // namespace uc_rows
#endif
