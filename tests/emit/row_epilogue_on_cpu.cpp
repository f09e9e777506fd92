// The pass over rows of uc_row_epilogue.cuh on the CPU, a thread a thread and all blocks of a cluster at
// once: accumulators lie where CUTLASS says that wgmma leaves them, blocks send each other what they have
// seen through barriers with counts, and a softmax and what is stored beside it are held against loops over
// the definition.
#include "uc_host_shim.h"
// After what makes it host code.
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/dispatch_policy.hpp"

#define UC_ROW_EPILOGUE_ON_CPU

namespace on_cpu {
constexpr int kFirst = 128;  // threads before those that multiply
thread_local int thread = 0, rank = 0;
std::vector<std::vector<char>> shared;               // of each block
std::vector<std::unique_ptr<std::barrier<>>> warps;  // of each warp of each block
std::vector<std::vector<float>> lanes;

int warp() { return rank * 8 + (thread - kFirst) / 32; }
}  // namespace on_cpu

namespace uc_row_epilogue {
using Address = char*;
inline int thread_of_block() { return on_cpu::thread; }
inline int rank_of_block() { return on_cpu::rank; }
inline Address address_of(void* at) { return static_cast<char*>(at); }
inline Address of_block(Address at, int rank) {
  return on_cpu::shared[rank].data() + (at - on_cpu::shared[on_cpu::rank].data());
}
inline void send(Address to, float value) { *reinterpret_cast<float*>(to) = value; }
// A barrier: the phase, how many are to come still, and how many come each time.
inline std::atomic_ref<uint64_t> word(Address at) {
  return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(at));
}
inline void begin(Address at, uint32_t arrivals) {
  word(at) = uint64_t(arrivals) << 32 | uint64_t(arrivals) << 16;
}
inline void arrive(Address at) {
  uint64_t old = word(at).load(), next;
  do {
    const uint64_t all = old >> 32 & 0xffff, left = (old >> 16 & 0xffff) - 1, phase = old & 1;
    next = all << 32 | (left == 0 ? all : left) << 16 | (left == 0 ? phase ^ 1 : phase);
  } while (!word(at).compare_exchange_weak(old, next));
}
inline void wait(Address at, uint32_t parity) {
  while ((word(at).load() & 1) == parity) std::this_thread::yield();
}
inline float of_lane(float x, int mask) {
  std::vector<float>& all = on_cpu::lanes[on_cpu::warp()];
  std::barrier<>& every = *on_cpu::warps[on_cpu::warp()];
  const int lane = on_cpu::thread % 32;
  all[lane] = x;
  every.arrive_and_wait();
  const float out = all[lane ^ mask];
  every.arrive_and_wait();
  return out;
}
inline void sync_warp() { on_cpu::warps[on_cpu::warp()]->arrive_and_wait(); }
}  // namespace uc_row_epilogue

#include "uc_row_epilogue.cuh"

namespace {

using namespace cute;
int failures = 0;

// View 0: a bias; 1: its sum with the accumulator, stored by hand; 2: the largest of each row.
template <int Meet, bool EndsWithin>
struct Softmax {
  using Stages = uc_row_epilogue::Stages<uc_row_epilogue::Stage<uc_row_epilogue::Max, uc_row_epilogue::Min>,
                                         uc_row_epilogue::Stage<uc_row_epilogue::Sum>>;
  static constexpr int kMeet = Meet;
  static constexpr bool kLast = true, kOnce = true, kStores = true, kEndsWithin = EndsWithin;
  template <class Seen, class Met, class At>
  static void gather(Int<0>, float (&x)[2], Seen& seen, Met const&, At const& at) {
    const auto t = at.template load<float, true, false>(0);
    for (int i = 0; i < 2; ++i) {
      x[i] += t[i];
      seen[0] = std::max(seen[0], at.within ? x[i] : uc_row_epilogue::Max::none());
      seen[1] = std::min(seen[1], at.within ? x[i] : uc_row_epilogue::Min::none());
    }
    at.template store<float, false>(1, cutlass::Array<float, 2>{x[0], x[1]});
  }
  template <class Seen, class Met, class At>
  static void gather(Int<1>, float (&x)[2], Seen& seen, Met const& met, At const& at) {
    for (int i = 0; i < 2; ++i) {
      x[i] = std::exp(x[i] - met[0]);
      seen[0] += at.within ? x[i] : 0.0f;
    }
  }
  template <class Met, class At>
  static void last(float (&x)[2], Met const& met, At const&) {
    for (int i = 0; i < 2; ++i) x[i] /= met[2];
  }
  template <class Met, class At>
  static void once(Met const& met, At const& at) {
    at.template store<float, false>(2, cutlass::Array<float, 2>{met[0] - met[1], met[0] - met[1]});
  }
};

struct Data {
  int l, m, n;
  std::vector<float> sums, bias, added, span, result;
  Data(int batch, int rows, int columns) : l(batch), m(rows), n(columns) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    sums.resize(size_t(l) * m * n);
    bias.resize(n);
    for (float& x : sums) x = normal(random);
    for (float& x : bias) x = normal(random);
    added.assign(sums.size(), -7777);
    result = added;
    span.assign(size_t(l) * m, -7777);
  }
};

// In the place of CUTLASS's collective epilogue: keeps what that would store.
template <int TileM, int TileN>
struct Plain {
  struct LoadPipeline {
    struct SharedStorage {};
    struct Params {};
    LoadPipeline(SharedStorage&, Params const&) {}
  };
  using LoadPipelineState = int;
  struct TensorStorage {};
  struct Arguments {};
  struct Params {};
  Plain(Params const&, TensorStorage&) {}
  Data* data = nullptr;

  template <class Problem, class Tile, class At, class Accumulators, class Mma>
  auto store(LoadPipeline, int state, int, int other, Problem, Tile, At at, Accumulators accumulators,
             Mma mma, int thread, TensorStorage&, int) {
    auto places = mma.get_slice(thread).partition_C(make_identity_tensor(Shape<Int<TileM>, Int<TileN>>{}));
    for (int i = 0; i < size(accumulators); ++i) {
      const int row = get<0>(at) * TileM + int(get<0>(places(i))),
                column = get<1>(at) * TileN + int(get<1>(places(i)));
      if (row < data->m && column < data->n)
        data->result[(size_t(get<3>(at)) * data->m + row) * data->n + column] = accumulators(i);
    }
    return cute::make_tuple(state, other);
  }
};

// Meet 0: the row ends where the matrix does, within the cluster's tiles.
template <int TileM, int TileN, int ClusterM, int ClusterN, int Groups, int Meet>
void check(int l, int m, int n) {
  using TileShape = Shape<Int<TileM>, Int<TileN>, _16>;
  using ClusterShape = Shape<Int<ClusterM>, Int<ClusterN>, _1>;
  using Atom = decltype(SM90::GMMA::ss_op_selector<half_t, half_t, float, Shape<_64, Int<TileN>, _16>>());
  using Mma = decltype(make_tiled_mma(Atom{}, Layout<Shape<Int<Groups>, _1, _1>>{}));
  using Epilogue = uc_row_epilogue::Collective<Plain<TileM, TileN>,
                                               Softmax<(Meet == 0 ? TileN * ClusterN : Meet), Meet == 0>,
                                               TileShape, ClusterShape, Groups>;
  using Storage = typename Epilogue::PipelineStorage;
  Data data(l, m, n);
  typename Epilogue::Params params;
  params.rows.view[0] = {data.bias.data(), {0, 0, 1}};
  params.rows.view[1] = {data.added.data(), {int64_t(m) * n, n, 1}};
  params.rows.view[2] = {data.span.data(), {m, 1, 0}};
  constexpr int kBlocks = ClusterM * ClusterN;
  on_cpu::shared.assign(kBlocks, std::vector<char>(sizeof(Storage) + 64));
  on_cpu::warps.clear();
  on_cpu::lanes.assign(8 * kBlocks, std::vector<float>(32));
  for (int i = 0; i < 8 * kBlocks; ++i) on_cpu::warps.push_back(std::make_unique<std::barrier<>>(32));
  std::barrier<> begun(kBlocks * 128 * Groups);
  const int tiles_m = (m + TileM * ClusterM - 1) / (TileM * ClusterM),
            tiles_n = (n + TileN * ClusterN - 1) / (TileN * ClusterN);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kBlocks; ++rank) {
    for (int t = 0; t < 128 * Groups; ++t) {
      threads.emplace_back([&, rank, t] {
        on_cpu::rank = rank;
        on_cpu::thread = 0;  // whoever makes the pipeline first prepares its barriers
        auto* storage = reinterpret_cast<Storage*>(on_cpu::shared[rank].data());
        if (t != 0) on_cpu::thread = on_cpu::kFirst + t;
        typename Epilogue::LoadPipeline pipeline(*storage, {});
        begun.arrive_and_wait();
        on_cpu::thread = on_cpu::kFirst + t;
        typename Epilogue::TensorStorage none;
        Epilogue epilogue(params, none);
        epilogue.data = &data;
        Mma mma;
        for (int tile = 0; tile < l * tiles_m * tiles_n; ++tile) {
          const int at_m = tile / tiles_n % tiles_m * ClusterM + rank % ClusterM;
          const int at_n = tile % tiles_n * ClusterN + rank / ClusterM, batch = tile / tiles_n / tiles_m;
          auto accumulators = partition_fragment_C(mma, Shape<Int<TileM>, Int<TileN>>{});
          auto places = mma.get_slice(t).partition_C(make_identity_tensor(Shape<Int<TileM>, Int<TileN>>{}));
          for (int i = 0; i < size(accumulators); ++i) {
            const int row = at_m * TileM + int(get<0>(places(i))),
                      column = at_n * TileN + int(get<1>(places(i)));
            accumulators(i) =
                row < m && column < n ? data.sums[(size_t(batch) * m + row) * n + column] : 0.0f;
          }
          epilogue.store(pipeline, 0, 0, 0, cute::make_tuple(m, n, 16, l), TileShape{},
                         cute::make_tuple(at_m, at_n, 0, batch), accumulators, mma, t, none, -1);
        }
      });
    }
  }
  for (std::thread& each : threads) each.join();
  const int meet = Meet == 0 ? n : Meet, groups = n / meet;
  double worst = 0;
  for (int row = 0; row < l * m; ++row) {
    for (int g = 0; g < groups; ++g) {
      double top = -INFINITY, least = INFINITY, total = 0;
      const auto at = [&](int c) { return size_t(row) * n + g * meet + c; };
      const auto added = [&](int c) { return double(data.sums[at(c)] + data.bias[g * meet + c]); };
      for (int c = 0; c < meet; ++c) top = std::max(top, added(c)), least = std::min(least, added(c));
      for (int c = 0; c < meet; ++c) total += std::exp(added(c) - top);
      for (int c = 0; c < meet; ++c) {
        worst = std::max(worst, std::abs(data.result[at(c)] - std::exp(added(c) - top) / total));
        worst = std::max(worst, std::abs(data.added[at(c)] - added(c)));
      }
      if (groups == 1) worst = std::max(worst, std::abs(data.span[row] - (top - least)));
    }
  }
  const bool good = worst < 1e-5;
  if (!good) ++failures;
  printf("%s: tile %dx%d cluster %dx%d, %d columns meet, of %d x %d x %d: off by %.2g\n",
         good ? "right" : "WRONG", TileM, TileN, ClusterM, ClusterN, meet, l, m, n, worst);
}

}  // namespace

int main() {
  check<128, 128, 1, 1, 2, 32>(1, 150, 256);  // groups in a tile, rows beyond the matrix
  check<128, 128, 1, 1, 2, 64>(2, 60, 64);    // half a tile is the matrix
  check<64, 64, 1, 2, 1, 128>(1, 200, 128);   // two blocks, several rounds
  check<64, 32, 1, 4, 1, 64>(1, 300, 128);    // two pairs of blocks in a cluster
  check<128, 32, 2, 2, 1, 64>(1, 500, 128);   // pairs beside each other, four rows a thread
  check<128, 16, 1, 8, 2, 128>(1, 260, 128);  // all blocks of the widest portable cluster
  check<256, 16, 1, 4, 2, 32>(1, 256, 32);    // half of the cluster lies beyond the matrix
  check<128, 64, 1, 4, 1, 0>(1, 140, 200);    // the last block has eight columns
  check<64, 32, 2, 2, 1, 0>(2, 100, 40);      // a second block with eight columns
  check<128, 64, 1, 1, 2, 0>(1, 128, 24);
  return failures == 0 ? 0 : 1;
}
