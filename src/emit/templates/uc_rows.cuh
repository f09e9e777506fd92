// Kernels over rows: a row is read into registers once, or streamed as often as what meets in it depends on what met
// before; its threads are neighbours along it, or, where neighbours in memory are different rows, each has several rows.
//
// The generated `Body` says what is computed:
//   kVector, kOuter, kTeam, kLanes, kItems, kCluster, kUnroll, kColumns   how threads are laid out (plan/rows_shape.h)
//   Data, Late, Same, Met   what differs along a row: for what meets, for results alone; what does not; what has met
//   Offsets, place(), load(), load_late(), load_same()
//   Stages = List<Stage...>; each with Acc, load(), add(), merge(), take()
//   finish() for a vector of a row, finish_row() once a row
#ifndef UC_ROWS_CUH
#define UC_ROWS_CUH
#include "uc_rows_combine.cuh"

namespace uc_rows {

template <class... Stages> struct List {
  static constexpr int kCount = sizeof...(Stages);
};
template <int I, class L> struct At;
template <int I, class First, class... Rest> struct At<I, List<First, Rest...>> : At<I - 1, List<Rest...>> {};
template <class First, class... Rest> struct At<0, List<First, Rest...>> {
  using type = First;
};
template <class Body, int I> using Stage = typename At<I, typename Body::Stages>::type;

template <class T> UC_DEV T within(T at, T least, T most) { return at < least ? least : at > most ? most : at; }

UC_DEV constexpr int64_t round_up(int64_t bytes) { return (bytes + 15) / 16 * 16; }

// A block with the rows that it has.
template <class Body> struct Block {
  static constexpr int kThreads = Body::kTeam * Body::kLanes;
  static constexpr int kRows = Body::kOuter ? Body::kVector : 1;          // of a thread
  static constexpr int kAlong = Body::kOuter ? 1 : Body::kVector;         // elements of a vector along its row
  static constexpr int kStages = Body::Stages::kCount;

  const uck_rows& args;
  char* shared;
  int64_t row = 0;      // the thread's first
  bool has = false;     // there is such a row
  int64_t vectors = 0;  // of a row
  int64_t first = 0, step = 0, end = 0;  // the thread's vectors of the row
  typename Body::Offsets offsets;
  typename Body::Same same;
  typename Body::Met met[kRows];

  // `part` of `parts`, each a stretch of the row.
  UC_DEV Block(const uck_rows& from, char* memory, int64_t group, int64_t part, int64_t parts)
      : args(from), shared(memory) {
    const int lane = Body::kOuter ? threadIdx.x % Body::kLanes : threadIdx.x / Body::kTeam;
    const int rank = Body::kOuter ? threadIdx.x / Body::kLanes : threadIdx.x % Body::kTeam;
    row = (group * Body::kLanes + lane) * kRows;
    has = row < args.rows;
    vectors = args.columns / kAlong;
    first = vectors * part / parts + rank;
    end = vectors * (part + 1) / parts;
    step = Body::kTeam;
    if constexpr (Body::kCluster > 1) {
      first += int64_t(cluster_rank()) * Body::kTeam;
      step *= Body::kCluster;
    }
    Body::place(args, has ? row : 0, offsets);
    Body::load_same(args, offsets, same);
  }
  UC_DEV bool leads() const {
    const unsigned rank = Body::kOuter ? threadIdx.x / Body::kLanes : threadIdx.x % Body::kTeam;
    if constexpr (Body::kCluster > 1) return rank == 0 && cluster_rank() == 0;
    return rank == 0;
  }

  template <int I, class Acc> UC_DEV void meet(Acc (&acc)[kRows]) {
    Acc* slots = reinterpret_cast<Acc*>(shared);
    if constexpr (Body::kOuter) {
      if constexpr (Body::kTeam > 1) merge_columns<Body::kTeam, Body::kLanes, kRows>(acc, slots);
    } else {
      merge_team<Body::kTeam>(acc[0], slots);
      if constexpr (Body::kCluster > 1) merge_cluster<Body::kCluster>(acc[0], slots + kThreads / 32);
    }
  }
  template <int I, class Acc> UC_DEV void take(const Acc (&acc)[kRows]) {
#pragma unroll
    for (int lane = 0; lane < kRows; ++lane) Stage<Body, I>::take(met[lane], acc[lane]);
  }
  template <int I, class Acc> UC_DEV void add(Acc (&acc)[kRows], const typename Body::Data& data, int64_t column) {
#pragma unroll
    for (int lane = 0; lane < kRows; ++lane)
      Stage<Body, I>::add(acc[lane], data, same, met[lane], lane, row + lane, column);
  }
  UC_DEV void finish(const typename Body::Data& data, int64_t column) {
    typename Body::Late late;
    Body::load_late(args, offsets, late, column);
    Body::finish(args, offsets, data, late, same, met, row, column);
  }

  // ---- the row in registers

  typename Body::Data held[Body::kItems > 0 ? Body::kItems : 1];
  UC_DEV bool holds(int item) const { return has && first + item * step < end; }
  UC_DEV int64_t column_of(int item) const { return (first + item * step) * kAlong; }
  UC_DEV void hold() {
#pragma unroll
    for (int i = 0; i < Body::kItems; ++i) {
      if (holds(i)) Body::load(args, offsets, held[i], column_of(i));
    }
  }
  template <int I> UC_DEV void held_stages() {
    if constexpr (I < kStages) {
      typename Stage<Body, I>::Acc acc[kRows];
#pragma unroll
      for (int lane = 0; lane < kRows; ++lane) acc[lane].clear();
#pragma unroll
      for (int i = 0; i < Body::kItems; ++i) {
        if (holds(i)) add<I>(acc, held[i], column_of(i));
      }
      meet<I>(acc);
      take<I>(acc);
      held_stages<I + 1>();
    }
  }
  UC_DEV void finish_held() {
    if constexpr (Body::kStoresElements) {
#pragma unroll
      for (int i = 0; i < Body::kItems; ++i) {
        if (holds(i)) finish(held[i], column_of(i));
      }
    }
  }

  // ---- the row streamed

  template <int I> UC_DEV void stream(typename Stage<Body, I>::Acc (&acc)[kRows]) {
    using S = Stage<Body, I>;
#pragma unroll
    for (int lane = 0; lane < kRows; ++lane) acc[lane].clear();
    if (!has) return;
    if constexpr (Body::kColumns > 0) {  // a window, all of it
#pragma unroll
      for (int column = 0; column < Body::kColumns; ++column) {
        typename Body::Data data;
        S::load(args, offsets, data, column);
        add<I>(acc, data, column);
      }
      return;
    }
    int64_t at = first;
    for (; at + (Body::kUnroll - 1) * step < end; at += Body::kUnroll * step) {
      typename Body::Data data[Body::kUnroll];
#pragma unroll
      for (int u = 0; u < Body::kUnroll; ++u) S::load(args, offsets, data[u], (at + u * step) * kAlong);
#pragma unroll
      for (int u = 0; u < Body::kUnroll; ++u) add<I>(acc, data[u], (at + u * step) * kAlong);
    }
    for (; at < end; at += step) {
      typename Body::Data data;
      S::load(args, offsets, data, at * kAlong);
      add<I>(acc, data, at * kAlong);
    }
  }
  template <int I> UC_DEV void streamed_stages() {
    if constexpr (I < kStages) {
      typename Stage<Body, I>::Acc acc[kRows];
      stream<I>(acc);
      meet<I>(acc);
      take<I>(acc);
      streamed_stages<I + 1>();
    }
  }
  UC_DEV void finish_streamed() {
    if constexpr (Body::kStoresElements) {
      if (!has) return;
#pragma unroll 2
      for (int64_t at = first; at < end; at += step) {
        typename Body::Data data;
        Body::load_again(args, offsets, data, at * kAlong);
        finish(data, at * kAlong);
      }
    }
  }

  // ---- parts of a row in several blocks, which meet in scratch memory: [stage][part][row]

  template <int I> UC_DEV typename Stage<Body, I>::Acc* partial() const {
    using Acc = typename Stage<Body, I>::Acc;
    return reinterpret_cast<Acc*>(static_cast<char*>(args.scratch) + before<I>());
  }
  template <int I> UC_DEV int64_t before() const {
    if constexpr (I == 0) {
      return 0;
    } else {
      return before<I - 1>() + round_up(args.rows * args.split * int64_t(sizeof(typename Stage<Body, I - 1>::Acc)));
    }
  }
  // What the parts of stage I have seen, in every thread.
  template <int I> UC_DEV void gather() {
    using Acc = typename Stage<Body, I>::Acc;
    Acc acc[kRows];
#pragma unroll
    for (int lane = 0; lane < kRows; ++lane) acc[lane].clear();
    const int rank = Body::kOuter ? threadIdx.x / Body::kLanes : threadIdx.x % Body::kTeam;
    for (int part = rank; has && part < args.split; part += Body::kTeam) {
#pragma unroll
      for (int lane = 0; lane < kRows; ++lane) acc[lane].merge(partial<I>()[part * args.rows + row + lane]);
    }
    meet<I>(acc);
    take<I>(acc);
  }
  template <int I, int End> UC_DEV void gather_all() {
    if constexpr (I < End) {
      gather<I>();
      gather_all<I + 1, End>();
    }
  }
  template <int I> UC_DEV void put(int64_t part) {
    typename Stage<Body, I>::Acc acc[kRows];
    stream<I>(acc);
    meet<I>(acc);
    if (!has || !leads()) return;
#pragma unroll
    for (int lane = 0; lane < kRows; ++lane) partial<I>()[part * args.rows + row + lane] = acc[lane];
  }

  UC_DEV void finish_row() {
    if constexpr (Body::kStoresRows) {
      if (has && leads()) Body::finish_row(args, offsets, same, met, row);
    }
  }
};

// Shared memory that a block needs, bytes.
template <class Body, int I = 0> constexpr int shared_bytes() {
  if constexpr (I == Body::Stages::kCount) {
    return 16;
  } else {
    using Acc = typename Stage<Body, I>::Acc;
    constexpr int kThreads = Body::kTeam * Body::kLanes;
    constexpr int own = int(sizeof(Acc)) * (Body::kOuter ? kThreads * Body::kVector : kThreads / 32 + 2);
    constexpr int others = shared_bytes<Body, I + 1>();
    return own > others ? own : others;
  }
}

// One launch for everything: blocks (or clusters) are groups of rows.
template <class Body> UC_DEV void run_whole(const uck_rows& args, char* shared) {
  Block<Body> block(args, shared, int64_t(blockIdx.x) / Body::kCluster, 0, 1);
  if constexpr (Body::kItems > 0) {
    block.hold();
    block.template held_stages<0>();
    block.finish_row();
    block.finish_held();
  } else {
    block.template streamed_stages<0>();
    block.finish_row();
    block.finish_streamed();
  }
}

// Stage I of a part of each row, then the next launch's.
template <class Body, int I> UC_DEV void run_part(const uck_rows& args, char* shared) {
  Block<Body> block(args, shared, blockIdx.x, blockIdx.y, args.split);
  block.template gather_all<0, I>();
  block.template put<I>(blockIdx.y);
}

// Results, of parts of rows where there is one an element.
template <class Body> UC_DEV void run_last(const uck_rows& args, char* shared) {
  Block<Body> block(args, shared, blockIdx.x, blockIdx.y, gridDim.y);
  block.template gather_all<0, Body::Stages::kCount>();
  if (blockIdx.y == 0) block.finish_row();
  block.finish_streamed();
}

}  // namespace uc_rows
#endif
