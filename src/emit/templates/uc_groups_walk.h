// Which tile of which group a number stands for, where groups of rows end at places that are data. Groups that end before
// they begin are empty; rows of no group are a last one. A warp goes over 32 groups at once; host code does so in a loop.
#ifndef UC_GROUPS_WALK_H
#define UC_GROUPS_WALK_H
#include <stdint.h>

#if !defined(UC_FN)
#if defined(__CUDACC__)
#define UC_FN __host__ __device__ __forceinline__
#else
#define UC_FN inline
#endif
#endif

template <class Index>
struct uc_groups_shape {
  Index const* ends;
  int32_t count, rows;           // groups, and rows of all of them
  int32_t tile_rows, columns;    // of a cluster; clusters across
};

struct uc_groups_place {
  int32_t row, column, group;
};

// At the group that holds a tile; moves forwards only. All lanes of a warp hold the same.
struct uc_groups_walk {
  int64_t before = 0;             // tiles of the groups before
  int32_t group = 0, begin = 0;   // and its first row
  int32_t rows = -1;              // of it; -1: not looked at yet

  template <class Index>
  UC_FN int64_t tiles(uc_groups_shape<Index> const& shape, int32_t of) const {
    return int64_t((of + shape.tile_rows - 1) / shape.tile_rows) * shape.columns;
  }

  template <class Index>
  UC_FN uc_groups_place place(uc_groups_shape<Index> const& shape, int64_t tile) const {
    const int32_t at = int32_t(tile - before), down = (rows + shape.tile_rows - 1) / shape.tile_rows;
    return {begin + at % down * shape.tile_rows, at / down, group};
  }

  // Where group `g` ends, not before `least`.
  template <class Index>
  static UC_FN int32_t end_of(uc_groups_shape<Index> const& shape, int32_t g, int32_t least) {
    if (g >= shape.count) return shape.rows;
    const int64_t end = int64_t(shape.ends[g]);
    return end < least ? least : end > shape.rows ? shape.rows : int32_t(end);
  }

  // Goes to the group of `tile`; false: there are fewer tiles.
  template <class Index>
  UC_FN bool to(uc_groups_shape<Index> const& shape, int64_t tile) {
    if (rows < 0) rows = end_of(shape, 0, 0);
    if (tile < before + tiles(shape, rows)) return true;
#if defined(__CUDA_ARCH__)
    while (group <= shape.count) {
      // Lanes take the groups after this one.
      const int lane = int(threadIdx.x % 32);
      const int32_t g = group + 1 + lane;
      int32_t end = g <= shape.count ? end_of(shape, g, 0) : shape.rows;
      const int32_t here = begin + rows;
      end = end > here ? end : here;
      for (int d = 1; d < 32; d *= 2) {
        const int32_t other = __shfl_up_sync(0xffffffffu, end, d);
        end = lane >= d && other > end ? other : end;
      }
      int32_t from = __shfl_up_sync(0xffffffffu, end, 1);
      if (lane == 0) from = here;
      const int64_t own = tiles(shape, end - from);
      int64_t sum = own;
      for (int d = 1; d < 32; d *= 2) {
        const int64_t other = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += other;
      }
      const int64_t first = before + tiles(shape, rows);
      const unsigned holds = __ballot_sync(0xffffffffu, tile < first + sum);
      const int winner = holds == 0 ? 31 : __ffs(int(holds)) - 1;
      before = first + __shfl_sync(0xffffffffu, sum - own, winner);
      begin = __shfl_sync(0xffffffffu, from, winner);
      rows = __shfl_sync(0xffffffffu, end, winner) - begin;
      group += 1 + winner;
      if (holds != 0) return true;
    }
    return false;
#else
    while (group < shape.count) {
      before += tiles(shape, rows);
      begin += rows;
      rows = end_of(shape, ++group, begin) - begin;
      if (tile < before + tiles(shape, rows)) return true;
    }
    return false;
#endif
  }
};
#endif
