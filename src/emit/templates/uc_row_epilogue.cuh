// Row-wise operators in the epilogue of an SM90 kernel: what meets in a row, or in a group of its columns, is gathered
// out of the accumulators before CUTLASS's epilogue stores them. A row of a tile lies in the four threads of a quad; a row
// of several tiles in the same quads of neighbouring blocks of a cluster, which send each other what they have seen. What
// is combined is combined in one order, by all who need it alike.
#ifndef UC_ROW_EPILOGUE_CUH
#define UC_ROW_EPILOGUE_CUH
#include <string.h>

#include "uc_epilogue.cuh"
#include "uc_kernel_args.h"
#include "uc_math.cuh"

namespace uc_row_epilogue {

struct Sum {
  static CUTLASS_HOST_DEVICE float none() { return 0.0f; }
  static CUTLASS_HOST_DEVICE float of(float a, float b) { return a + b; }
};
struct Product {
  static CUTLASS_HOST_DEVICE float none() { return 1.0f; }
  static CUTLASS_HOST_DEVICE float of(float a, float b) { return a * b; }
};
struct Max {
  static CUTLASS_HOST_DEVICE float none() { return -INFINITY; }
  static CUTLASS_DEVICE float of(float a, float b) { return uc_maximum(a, b); }
};
struct Min {
  static CUTLASS_HOST_DEVICE float none() { return INFINITY; }
  static CUTLASS_DEVICE float of(float a, float b) { return uc_minimum(a, b); }
};

// What is gathered at once; each How gives an element a row.
template <class... Hows> struct Stage {
  static constexpr int kCount = int(sizeof...(Hows));
  static CUTLASS_DEVICE void clear(float (&x)[kCount]) {
    int i = 0;
    ((x[i++] = Hows::none()), ...);
  }
  static CUTLASS_DEVICE void merge(float (&into)[kCount], float const (&other)[kCount]) {
    int i = 0;
    ((into[i] = Hows::of(into[i], other[i]), ++i), ...);
  }
};
template <class... Each> struct Stages {
  static constexpr int kCount = int(sizeof...(Each));
  static constexpr int kMet = (Each::kCount + ... + 0);
  static constexpr int kMost = cute::max(1, Each::kCount...);
  template <int At> using stage = cute::tuple_element_t<At, cute::tuple<Each...>>;
};
// Results of the stages before `At`.
template <class All, int At> constexpr int met_before() {
  if constexpr (At == 0) {
    return 0;
  } else {
    return met_before<All, At - 1>() + All::template stage<At - 1>::kCount;
  }
}

struct View {
  void* data;
  int64_t stride[3];  // of [L, M, N]
};
struct Views {
  View view[UC_MAX_VIEWS];
};

// Two elements as they lie in memory.
template <int Bytes> struct Word;
template <> struct Word<2> {
  using Type = uint16_t;
};
template <> struct Word<4> {
  using Type = uint32_t;
};
template <> struct Word<8> {
  using Type = uint64_t;
};

// Two neighbours of a row, which are two columns of one thread. For a row, or a group of columns, beyond the matrix the last
// one is read, so that no load waits for a question, and nothing is stored.
struct At {
  Views const* views;
  int row, column, batch, rows, columns;
  int shift;    // of the group's columns, to lie inside
  bool within;  // the columns lie in the matrix
  bool inside;  // and so does the row

  // A group is inside or outside as a whole, since groups divide the columns.
  CUTLASS_DEVICE void enter(int first_column, int width) {
    shift = cute::min(0, columns - width - first_column);
    within = shift == 0;
  }
  // EndsWithin: eight columns are inside or outside together, since eight divide the row.
  template <bool EndsWithin> CUTLASS_DEVICE void move_to(int to_row, int to_column) {
    if constexpr (EndsWithin) {
      within = to_column < columns;
      shift = within ? 0 : to_column % 8 - to_column;
    }
    inside = within && to_row < rows;
    row = cute::min(to_row, rows - 1);
    column = to_column + shift;
  }
  // Of rows of all matrices of the batch.
  CUTLASS_DEVICE int64_t place() const { return int64_t(batch) * rows + row; }
  CUTLASS_DEVICE int64_t offset(View const& view) const {
    return batch * view.stride[0] + row * view.stride[1] + column * view.stride[2];
  }
  // Pair: what lies in neighbouring columns is one aligned word. ByRows: rows differ.
  template <class Element, bool Pair, bool ByRows> CUTLASS_DEVICE cutlass::Array<Element, 2> load(int index) const {
    View const& view = views->view[index];
    Element const* from = static_cast<Element const*>(view.data) + batch * view.stride[0];
    if constexpr (ByRows) from += row * view.stride[1];
    cutlass::Array<Element, 2> out;
    if constexpr (Pair) {
      using Two = typename Word<2 * sizeof(Element)>::Type;
      const Two two = *reinterpret_cast<Two const*>(from + column);
      memcpy(&out, &two, sizeof two);
      return out;
    } else {
      out[0] = from[column * view.stride[2]];
      out[1] = from[(column + 1) * view.stride[2]];
      return out;
    }
  }
  template <class Element, bool Pair>
  CUTLASS_DEVICE void store(int index, cutlass::Array<Element, 2> const& value) const {
    View const& view = views->view[index];
    Element* to = static_cast<Element*>(view.data) + offset(view);
    if constexpr (Pair) {
      typename Word<2 * sizeof(Element)>::Type two;
      memcpy(&two, &value, sizeof two);
      if (inside) *reinterpret_cast<decltype(two)*>(to) = two;
    } else {
      if (inside) to[0] = value[0];
      if (inside) to[view.stride[2]] = value[1];
    }
  }
};

// Where the blocks that share rows meet, each warp with the same warps of the others. Rounds take turns with two barriers
// and two buffers: who has come to round k + 2 knows that all have come to k + 1, and so have read what they got in k.
template <int Peers, int Rows, int Most> struct Meeting {
  static constexpr int kWarps = 8;
  alignas(8) uint64_t barrier[2][kWarps];
  float seen[2][kWarps][Peers][Rows * 8 * Most];
};

// What the hardware does here; a test does it on a CPU instead.
#if !defined(UC_ROW_EPILOGUE_ON_CPU)
using Address = uint32_t;
CUTLASS_DEVICE int thread_of_block() { return int(threadIdx.x); }
CUTLASS_DEVICE int rank_of_block() { return int(cute::block_rank_in_cluster()); }
CUTLASS_DEVICE Address address_of(void* shared) { return cute::cast_smem_ptr_to_uint(shared); }
CUTLASS_DEVICE Address of_block(Address address, int rank) {
  Address out = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(address), "r"(rank));
#endif
  return out;
}
CUTLASS_DEVICE void send(Address address, float value) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
#endif
}
// What this warp has sent is seen by who waits.
CUTLASS_DEVICE void arrive(Address barrier) {
#if defined(__CUDA_ARCH__)
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}
CUTLASS_DEVICE void wait(Address barrier, uint32_t parity) {
#if defined(__CUDA_ARCH__)
  uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
#endif
}
CUTLASS_DEVICE void begin(Address barrier, uint32_t arrivals) {
#if defined(__CUDA_ARCH__)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}
CUTLASS_DEVICE float of_lane(float x, int mask) {
#if defined(__CUDA_ARCH__)
  return __shfl_xor_sync(0xffffffffu, x, mask);
#else
  return x;
#endif
}
CUTLASS_DEVICE void sync_warp() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#endif
}
#endif

// The pipeline of what the epilogue loads, with the meeting beside it: kernels make it once, before the cluster's blocks
// wait for each other.
template <class Base, class Meets, int Peers> struct MeetingPipeline : Base {
  struct SharedStorage : Base::SharedStorage {
    alignas(16) Meets meeting;
  };
  Meets* meeting;
  CUTLASS_DEVICE MeetingPipeline(SharedStorage& storage, typename Base::Params const& params)
      : Base(storage, params), meeting(&storage.meeting) {
    if (thread_of_block() == 0) {
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < 2 * Meets::kWarps; ++i)
        begin(address_of(&meeting->barrier[0][0] + i), Peers);
    }
    cutlass::arch::fence_barrier_init();
  }
};

// Base: CUTLASS's collective epilogue. Rows: what is emitted, over blocks of TileN columns of which ClusterM x ClusterN are
// a cluster. Each of its rows is of Rows::kMeet columns; a thread has two of every eight.
template <class Base, class Rows, class TileShape, class ClusterShape, int WarpGroups> class Collective : public Base {
 public:
  using All = typename Rows::Stages;
  static constexpr int kTileM = cute::size<0>(TileShape{}), kTileN = cute::size<1>(TileShape{});
  static constexpr int kClusterM = cute::size<0>(ClusterShape{});
  static constexpr int kColumns = cute::min(Rows::kMeet, kTileN);
  static constexpr int kGroups = kTileN / kColumns;                                // of a tile's row
  static constexpr int kPeers = Rows::kMeet > kTileN ? Rows::kMeet / kTileN : 1;  // blocks that share a row
  static constexpr int kRows = 2 * (kTileM / (64 * WarpGroups));                   // of a thread
  static constexpr int kBlocks = kColumns / 8;
  static_assert(kColumns % 8 == 0 && kTileN % kColumns == 0 && kColumns * kPeers == Rows::kMeet);
  static_assert(cute::size<1>(ClusterShape{}) % kPeers == 0);

  using Meets = Meeting<kPeers, kRows, All::kMost>;
  using LoadPipeline = cute::conditional_t<(kPeers > 1), MeetingPipeline<typename Base::LoadPipeline, Meets, kPeers>,
                                           typename Base::LoadPipeline>;
  using TensorStorage = typename Base::TensorStorage;
  using PipelineStorage = typename LoadPipeline::SharedStorage;
  struct SharedStorage {
    TensorStorage tensors;
    PipelineStorage pipeline;
  };
  struct Arguments : Base::Arguments {
    Views rows;
  };
  struct Params : Base::Params {
    Views rows;
  };

  template <class Problem>
  static Params to_underlying_arguments(Problem const& problem, Arguments const& args, void* workspace) {
    Params out;
    static_cast<typename Base::Params&>(out) = Base::to_underlying_arguments(problem, args, workspace);
    out.rows = args.rows;
    return out;
  }

  CUTLASS_HOST_DEVICE Collective(Params const& given, TensorStorage& storage)
      : Base(given, storage), views_(&given.rows) {}

  template <class StorePipeline, class StoreState, class Problem, class Tile, class Coordinates, class Accumulators,
            class TiledMma>
  CUTLASS_DEVICE auto store(LoadPipeline load_pipeline, typename Base::LoadPipelineState load_state,
                            StorePipeline store_pipeline, StoreState store_state, Problem problem, Tile tile,
                            Coordinates coordinates, Accumulators accumulators, TiledMma tiled_mma, int thread,
                            TensorStorage& storage, int subtile = -1) {
    meet(load_pipeline, problem, coordinates, accumulators, tiled_mma, thread);
    if constexpr (Rows::kStores) {
      return Base::store(load_pipeline, load_state, store_pipeline, store_state, problem, tile, coordinates,
                         accumulators, tiled_mma, thread, storage, subtile);
    } else {
      return cute::make_tuple(load_state, store_state);
    }
  }

 private:
  // Two columns of row `row` of the thread in block `block` of 8 columns.
  template <class Tensor> static CUTLASS_DEVICE decltype(auto) element(Tensor& tensor, int i, int row, int block) {
    constexpr int kInstruction = decltype(cute::size<0, 2>(tensor))::value;
    return tensor(cute::make_coord(i, row % 2, block % kInstruction), row / 2, block / kInstruction);
  }

  template <class Pipeline, class Problem, class Coordinates, class Accumulators, class TiledMma>
  CUTLASS_DEVICE void meet(Pipeline& pipeline, Problem problem, Coordinates coordinates, Accumulators& accumulators,
                           TiledMma tiled_mma, int thread) {
    static_assert(cute::size(Accumulators{}) == kRows * kTileN / 4);
    auto places = tiled_mma.get_slice(thread).partition_C(
        cute::make_identity_tensor(cute::make_shape(cute::Int<kTileM>{}, cute::Int<kTileN>{})));
    const int m = int(cute::get<0>(coordinates)) * kTileM, n = int(cute::get<1>(coordinates)) * kTileN;
    At at{views_, 0, 0, int(cute::get<3>(coordinates)), int(cute::get<0>(problem)), int(cute::get<1>(problem))};
    CUTLASS_PRAGMA_UNROLL
    for (int group = 0; group < kGroups; ++group) {
      at.enter(n + group * kColumns, kColumns);
      float met[kRows][All::kMet == 0 ? 1 : All::kMet];
      const auto over = [&](auto&& each) CUTLASS_LAMBDA_FUNC_INLINE {
        CUTLASS_PRAGMA_UNROLL
        for (int b = 0; b < kBlocks; ++b) {
          CUTLASS_PRAGMA_UNROLL
          for (int row = 0; row < kRows; ++row) {
            const int block = group * kBlocks + b;
            const auto place = element(places, 0, row, block);
            at.template move_to<Rows::kEndsWithin>(m + int(cute::get<0>(place)), n + int(cute::get<1>(place)));
            float pair[2] = {element(accumulators, 0, row, block), element(accumulators, 1, row, block)};
            each(pair, row);
            element(accumulators, 0, row, block) = pair[0];
            element(accumulators, 1, row, block) = pair[1];
          }
        }
      };
      stages<0>(pipeline, met, over, at);
      if constexpr (Rows::kLast) {
        over([&](float(&pair)[2], int row) CUTLASS_LAMBDA_FUNC_INLINE { Rows::last(pair, met[row], at); });
      }
      if constexpr (Rows::kOnce) {
        CUTLASS_PRAGMA_UNROLL
        for (int row = 0; row < kRows; ++row) {
          const auto place = element(places, 0, row, group * kBlocks);
          at.template move_to<Rows::kEndsWithin>(m + int(cute::get<0>(place)), n + int(cute::get<1>(place)));
          at.inside = at.inside && thread_of_block() % 4 == 0 && peer() == 0;
          Rows::once(met[row], at);
        }
      }
    }
  }

  template <int S, class Pipeline, class Met, class Over>
  CUTLASS_DEVICE void stages(Pipeline& pipeline, Met& met, Over const& over, At const& at) {
    if constexpr (S < All::kCount) {
      using Of = typename All::template stage<S>;
      constexpr int kBefore = met_before<All, S>();
      float seen[kRows][Of::kCount];
      CUTLASS_PRAGMA_UNROLL
      for (int row = 0; row < kRows; ++row) Of::clear(seen[row]);
      over([&](float(&pair)[2], int row) CUTLASS_LAMBDA_FUNC_INLINE {
        Rows::gather(cute::Int<S>{}, pair, seen[row], met[row], at);
      });
      CUTLASS_PRAGMA_UNROLL
      for (int row = 0; row < kRows; ++row) {
        CUTLASS_PRAGMA_UNROLL
        for (int mask = 1; mask < 4; mask *= 2) {
          float other[Of::kCount];
          CUTLASS_PRAGMA_UNROLL
          for (int i = 0; i < Of::kCount; ++i) other[i] = of_lane(seen[row][i], mask);
          Of::merge(seen[row], other);
        }
      }
      if constexpr (kPeers > 1) among_blocks<Of>(*pipeline.meeting, seen);
      CUTLASS_PRAGMA_UNROLL
      for (int row = 0; row < kRows; ++row) {
        CUTLASS_PRAGMA_UNROLL
        for (int i = 0; i < Of::kCount; ++i) met[row][kBefore + i] = seen[row][i];
      }
      stages<S + 1>(pipeline, met, over, at);
    }
  }

  // The number of this block among those that share its rows.
  static CUTLASS_DEVICE int peer() {
    if constexpr (kPeers == 1) {
      return 0;
    } else {
      return rank_of_block() / kClusterM % kPeers;
    }
  }

  template <class Of> CUTLASS_DEVICE void among_blocks(Meets& here, float (&seen)[kRows][Of::kCount]) {
    const int warp = thread_of_block() / 32 - 4, lane = thread_of_block() % 32;  // copies are the first four warps'
    const uint32_t buffer = round_ % 2, parity = round_ / 2 % 2;
    ++round_;
    const int rank = rank_of_block(), self = peer();
    const auto rank_of = [&](int other) { return rank + (other - self) * kClusterM; };
    const Address mine = address_of(&here.seen[buffer][warp][self][lane / 4]);
    CUTLASS_PRAGMA_UNROLL
    for (int p = 0; p < kPeers; p += 4) {
      const int to = p + lane % 4;  // every lane of a quad holds the same
      if (to >= kPeers) continue;
      const Address there = of_block(mine, rank_of(to));
      CUTLASS_PRAGMA_UNROLL
      for (int row = 0; row < kRows; ++row) {
        CUTLASS_PRAGMA_UNROLL
        for (int i = 0; i < Of::kCount; ++i)
          send(there + (row * Of::kCount + i) * 8 * sizeof(float), seen[row][i]);
      }
    }
    sync_warp();
    const Address barrier = address_of(&here.barrier[buffer][warp]);
    if (lane < kPeers) arrive(of_block(barrier, rank_of(lane)));
    wait(barrier, parity);
    CUTLASS_PRAGMA_UNROLL
    for (int row = 0; row < kRows; ++row) {
      Of::clear(seen[row]);
      CUTLASS_PRAGMA_UNROLL
      for (int p = 0; p < kPeers; ++p) {
        float other[Of::kCount];
        CUTLASS_PRAGMA_UNROLL
        for (int i = 0; i < Of::kCount; ++i)
          other[i] = here.seen[buffer][warp][p][(row * Of::kCount + i) * 8 + lane / 4];
        Of::merge(seen[row], other);
      }
    }
  }

  Views const* views_;
  uint32_t round_ = 0;
};

}  // namespace uc_row_epilogue
#endif
