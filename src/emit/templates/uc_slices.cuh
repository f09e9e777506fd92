// Sums over slices of K, added in a fixed order, and the whole epilogue on the result. The slices lie in scratch memory as
// [L, slices, M, pitch]. What the epilogue combines over rows or columns is combined tile by tile, and a third function
// combines the tiles: the same bits in every run.
#ifndef UC_SLICES_CUH
#define UC_SLICES_CUH
#include "uc_element.cuh"

namespace uc_slices {

constexpr int kThreads = 256;

// How a block's threads lie: 2^log_n groups of four columns by 2^log_m rows, and what is left over adds slices side by side.
// A block goes over `steps` such tiles, one below the other.
struct Tiling {
  int log_n, log_m, steps;
  int64_t tiles_n, tiles_m;
};

template <class Accumulator, class Expression, int Views, class Loads, class Stores, class Sums>
struct Addition;
template <class Accumulator, class Expression, int Views, class... Loads, class... Stores, class... Sums>
struct Addition<Accumulator, Expression, Views, uc_element::List<Loads...>, uc_element::List<Stores...>,
                uc_element::List<Sums...>> {
  using Element = Accumulator;
  using Four = uc_pack<Accumulator, uc_element::kColumns>;
  static constexpr int kCombined = sizeof...(Sums);
  static constexpr int kColumns = uc_element::kColumns;

  struct Params {
    uc_element::View view[Views];
    Accumulator const* slices;
    float* combined[kCombined + 1];  // of each sum: [tiles, L, vector]
    int64_t pitch, batch;
    int rows, columns, count;
    Tiling tiling;
  };

#if !defined(UC_HOST_HALF) || defined(UC_ON_CPU)  // tests run device code on the CPU
  struct Combine {
    using Params = typename Addition::Params;
    static __device__ __forceinline__ void run(Params const& x) {
      uc_element::wait_for_launch_before();
      int which = 0;
      (vector<Sums>(x, x.combined[which++]), ...);
    }
  };

  static __device__ __forceinline__ void run(Params const& x) {
    uc_element::wait_for_launch_before();
    __shared__ Four shared[kThreads];
    const Tiling& tiling = x.tiling;
    const Thread thread(tiling);
    const int64_t above = uc_divide(blockIdx.x, tiling.tiles_n), tile_n = blockIdx.x - above * tiling.tiles_n;
    const int64_t batch = uc_divide(above, tiling.tiles_m), tile_m = above - batch * tiling.tiles_m;
    uc_element::Place place{batch, 0, 0, x.rows, x.columns};
    place.n = int((tile_n << tiling.log_n) + thread.n) * kColumns;
    uc_element::Leaves<Sums...> sums;
    for (int step = 0; step < tiling.steps; ++step) {
      place.m = int(((tile_m * tiling.steps + step) << tiling.log_m) + thread.m);
      const bool inside = place.m < x.rows && place.n < x.columns;
      Four sum{};
      if (inside) sum = add(x, place, thread);
      if (thread.groups > 1) sum = of_all_groups(sum, shared, thread);
      const bool mine = inside && thread.group == 0;
      if (mine) elements(x, sum, place, sums);
      int which = 0;
      (rows<Sums>(x, sums, x.combined[which++], mine, tile_n, place, shared, thread), ...);
    }
    int which = 0;
    (columns<Sums>(x, sums, x.combined[which++], tile_m, place, shared, thread), ...);
  }

 private:
  // Where a thread is in its block.
  struct Thread {
    int n, m, group, groups;
    __device__ __forceinline__ explicit Thread(Tiling const& tiling) {
      const int both = tiling.log_n + tiling.log_m;
      n = int(threadIdx.x) & ((1 << tiling.log_n) - 1);
      m = int(threadIdx.x) >> tiling.log_n & ((1 << tiling.log_m) - 1);
      group = int(threadIdx.x) >> both;
      groups = kThreads >> both;
    }
  };

  static __device__ __forceinline__ void add(Four& to, Four const& value) {
    for (int i = 0; i < kColumns; ++i) to.at[i] += value.at[i];
  }

  // Every groups-th slice, from the first to the last.
  static __device__ __forceinline__ Four add(Params const& x, uc_element::Place const& place, Thread const& thread) {
    const int64_t plane = x.rows * x.pitch;
    Accumulator const* at = x.slices + place.batch * x.count * plane + place.m * x.pitch + place.n;
    Four sum{};
#pragma unroll 8
    for (int slice = thread.group; slice < x.count; slice += thread.groups)
      add(sum, *reinterpret_cast<Four const*>(at + slice * plane));
    return sum;
  }

  // The first group's threads get the sum.
  static __device__ __forceinline__ Four of_all_groups(Four sum, Four* shared, Thread const& thread) {
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (thread.group == 0) {
      for (int other = 1; other < thread.groups; ++other)
        add(sum, shared[threadIdx.x + other * (kThreads / thread.groups)]);
    }
    __syncthreads();
    return sum;
  }

  static __device__ __forceinline__ int held(uc_element::Place const& place) {
    return place.columns - place.n < kColumns ? place.columns - place.n : kColumns;
  }

  static __device__ __forceinline__ void elements(Params const& x, Four const& sum, uc_element::Place const& place,
                                 uc_element::Leaves<Sums...>& sums) {
    uc_element::Leaves<Loads...> loads;
    uc_element::Leaves<Stores...> stores;
    (loads.uc_element::template Leaf<Loads>::held.read(x.view[Loads::Index], place), ...);
    for (int i = 0; i < kColumns; ++i) {
      uc_element::Place here = place;
      here.n += i;
      Expression::at(here, uc_load(sum.at[i]), loads.uc_element::template Leaf<Loads>::held.get(i)...,
                     stores.uc_element::template Leaf<Stores>::held.value[i]...,
                     sums.uc_element::template Leaf<Sums>::held.value[i]...);
    }
    (stores.uc_element::template Leaf<Stores>::held.write(x.view[Stores::Index], place), ...);
    (sums.uc_element::template Leaf<Sums>::held.gather(held(place)), ...);
  }

  // Of a vector along M: what lies in one row of the tile.
  template <class Sum>
  static __device__ __forceinline__ void rows(Params const& x, uc_element::Leaves<Sums...> const& sums, float* to, bool mine,
                             int64_t tile_n, uc_element::Place const& place, Four* shared, Thread const& thread) {
    if constexpr (!Sum::AlongN) {
      using How = typename Sum::How;
      float* line = reinterpret_cast<float*>(shared);
      line[threadIdx.x] =
          mine ? sums.uc_element::template Leaf<Sum>::held.across(held(place)) : How::none();
      __syncthreads();
      if (thread.group == 0 && thread.n == 0 && place.m < x.rows) {
        float all = line[threadIdx.x];
        for (int i = 1; i < 1 << x.tiling.log_n; ++i) all = How::of(all, line[threadIdx.x + i]);
        to[(tile_n * x.batch + place.batch) * x.rows + place.m] = all;
      }
      __syncthreads();
    }
  }

  // Of a vector along N: what lies in one column of all steps.
  template <class Sum>
  static __device__ __forceinline__ void columns(Params const& x, uc_element::Leaves<Sums...> const& sums, float* to,
                                int64_t tile_m, uc_element::Place const& place, Four* shared,
                                Thread const& thread) {
    if constexpr (Sum::AlongN) {
      using How = typename Sum::How;
      float* all = reinterpret_cast<float*>(shared);
      const auto& held = sums.uc_element::template Leaf<Sum>::held;
      for (int i = 0; i < kColumns; ++i) {
        all[threadIdx.x] = held.gathered[i];
        __syncthreads();
        if (thread.group == 0 && thread.m == 0 && place.n + i < x.columns) {
          float sum = all[threadIdx.x];
          for (int k = 1; k < 1 << x.tiling.log_m; ++k)
            sum = How::of(sum, all[threadIdx.x + (k << x.tiling.log_n)]);
          to[(tile_m * x.batch + place.batch) * x.columns + place.n + i] = sum;
        }
        __syncthreads();
      }
    }
  }

  // One vector out of what its tiles gave.
  template <class Sum>
  static __device__ __forceinline__ void vector(Params const& x, float const* from) {
    using How = typename Sum::How;
    const int64_t length = Sum::AlongN ? x.columns : x.rows;
    const int64_t tiles = Sum::AlongN ? x.tiling.tiles_m : x.tiling.tiles_n;
    const int64_t elements = Sum::AllBatches ? length : length * x.batch;
    const int64_t parts = Sum::AllBatches ? tiles * x.batch : tiles;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < elements;
         i += int64_t(gridDim.x) * kThreads) {
      float all = How::none();
      for (int64_t part = 0; part < parts; ++part) all = How::of(all, from[part * elements + i]);
      const int64_t batch = uc_divide(i, length), at = i - batch * length;
      auto* to = x.view[Sum::Index].template at<typename Sum::Element>(batch, Sum::AlongN ? 0 : at,
                                                                       Sum::AlongN ? at : 0);
      *to = uc_store_as<typename Sum::Element>::of(all);
    }
  }
#endif
};

}  // namespace uc_slices
#endif
