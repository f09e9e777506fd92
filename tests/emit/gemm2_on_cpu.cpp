// The parts of CUTLASS 2 kernels that are ours, on the CPU: which thread writes which element, what is read
// for it, how tiles are numbered, how parts of K are summed. CUTLASS's own parts (main loop, exchange through
// shared memory) are left out: accumulators are made up. Built by cutlass2_on_cpu.sh, since it needs CUTLASS.
#include "uc_host_shim.h"
// Before all headers of CUTLASS.
#define UC_HOST_HALF
#include <stdio.h>
#include <vector>

#include "uc_gemm2_host.h"

namespace {

int failures = 0;
void expect(bool good, const char* what, long long at) {
  if (good) return;
  if (++failures < 20) printf("wrong: %s at %lld\n", what, at);
}

using RowMajor = cutlass::layout::RowMajor;
template <int M, int N, int K>
using Shape = cutlass::gemm::GemmShape<M, N, K>;
using TensorOp = cutlass::arch::OpClassTensorOp;
using Simt = cutlass::arch::OpClassSimt;

template <class T, class Accumulator, class Unit, class Tile, class Warp, class Instruction, int Stages,
          class Exchanged, int V>
using Base = typename cutlass::gemm::kernel::DefaultGemm<
    T, RowMajor, 1, T, cutlass::layout::ColumnMajor, 1, Exchanged, RowMajor, Accumulator, Unit,
    cutlass::arch::Sm80, Tile, Warp, Instruction,
    cutlass::epilogue::thread::LinearCombination<Exchanged, V, Accumulator, Accumulator>,
    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, Stages, false,
    cutlass::arch::OpMultiplyAdd>::GemmKernel;

constexpr int kRows = 150, kColumns = 136, kBatches = 2, kPitch = 144, kGuard = 64;
constexpr float kCanary = -7777;

// Small integers, so that every sum is exact in f16 too.
float made(int batch, int m, int n) { return float((batch * 7 + m * 3 + n * 5) % 64); }

struct Expression {
  template <class A, class R>
  static void at(A sum, float row, float column, float full, float number, R& out) {
    out = R(float(sum) + row + 2 * column + 4 * full + 8 * number);
  }
};
float expected(int batch, int m, int n, float sum) {
  return sum + float(n % 16) + 2 * float(m % 8) + 4 * float((m + n) % 4) + 8 * float(batch);
}

// What the expression reads and writes: a vector along N, one along M, a matrix, a number a batch; the
// result.
struct Memory {
  std::vector<float> row, column, full, number;
  std::vector<float> out;
  Memory() : row(kColumns), column(kRows), full(size_t(kRows) * kPitch), number(kBatches) {
    out.assign(size_t(kBatches) * kRows * kPitch + 2 * kGuard, kCanary);
    for (int n = 0; n < kColumns; ++n) row[n] = float(n % 16);
    for (int m = 0; m < kRows; ++m) column[m] = float(m % 8);
    for (int m = 0; m < kRows; ++m)
      for (int n = 0; n < kColumns; ++n) full[size_t(m) * kPitch + n] = float((m + n) % 4);
    for (int l = 0; l < kBatches; ++l) number[l] = float(l);
  }
  template <class Params>
  void fill(Params& params) {
    params.view[0] = {row.data(), 0, 0, 1};
    params.view[1] = {column.data(), 0, 1, 0};
    params.view[2] = {full.data(), 0, kPitch, 1};
    params.view[3] = {number.data(), 1, 0, 0};
    params.view[4] = {out.data() + kGuard, int64_t(kRows) * kPitch, kPitch, 1};
    params.rows = kRows;
    params.columns = kColumns;
    params.where = {kRows, kColumns};
  }
  // The result within its extents, and nothing beside them.
  void check(const char* what) const {
    size_t written = 0;
    for (int l = 0; l < kBatches; ++l)
      for (int m = 0; m < kRows; ++m)
        for (int n = 0; n < kPitch; ++n) {
          const size_t at = kGuard + (size_t(l) * kRows + m) * kPitch + n;
          expect(out[at] == (n < kColumns ? expected(l, m, n, made(l, m, n)) : kCanary), what, (long long)at);
          written += out[at] != kCanary;
        }
    size_t all = 0;
    for (const float each : out) all += each != kCanary;
    expect(all == written, what, -1);
  }
};

template <int W>
using Loads = uc2::List<uc2::Load<0, float, uc2::Along::n, W>, uc2::Load<1, float, uc2::Along::m, 1>,
                        uc2::Load<2, float, uc2::Along::both, W>, uc2::Load<3, float, uc2::Along::none, 1>>;
template <int W>
using Stores = uc2::List<uc2::Store<4, float, W>>;

// Every thread of every tile, step by step, as EpilogueWithVisitorCallbacks does it.
template <class Base, int W>
void check_epilogue(const char* what) {
  using Iterator = typename Base::Epilogue::OutputTileIterator;
  using Map = typename Iterator::ThreadMap;
  using Visitor = uc2::Visitor<Iterator, Expression, 5, Loads<W>, Stores<W>>;
  using Kernel = uc2::Gemm<Base, Visitor>;
  using Tile = typename Kernel::Shape;
  using Accumulator = typename Kernel::Mma::FragmentC::Element;
  constexpr int kAccesses =
      Map::Iterations::kColumn * Map::Iterations::kRow * Map::Iterations::kGroup * Map::Iterations::kCluster;
  Memory memory;
  typename Visitor::Params params{};
  memory.fill(params);
  const typename Visitor::SharedStorage shared{};
  for (int l = 0; l < kBatches; ++l)
    for (int tm = 0; tm * Tile::kM < kRows; ++tm)
      for (int tn = 0; tn * Tile::kN < kColumns; ++tn)
        for (int thread = 0; thread < Kernel::kThreads; ++thread) {
          Visitor visitor(params, shared);
          auto callbacks = visitor.get_callbacks({tm, tn, l}, thread, Tile{});
          const typename Iterator::Params nowhere{};
          Iterator at(nowhere, nullptr, {kRows, kColumns}, thread, {tm * Tile::kM, tn * Tile::kN});
          callbacks.begin_epilogue();
          for (int step = 0; step < Iterator::kIterations; ++step, ++at) {
            callbacks.begin_step(step);
            for (int access = 0; access < kAccesses; ++access) {
              const auto offset = Map::iteration_offset(access);
              cutlass::Array<Accumulator, Map::kElementsPerAccess> sums;
              for (int i = 0; i < Map::kElementsPerAccess; ++i)
                sums[i] = Accumulator(made(l, at.thread_start_row() + offset.row(),
                                           at.thread_start_column() + offset.column() + i));
              callbacks.visit(step, 0, 0, access, sums);
            }
            callbacks.end_step(step);
          }
          callbacks.end_epilogue();
        }
  memory.check(what);
}

// Sums of three parts, each a third of what is expected.
void check_reduction() {
  constexpr int kParts = 3;
  using Reduction = uc2::Reduction<float, Expression, 5, Loads<4>, Stores<4>>;
  Memory memory;
  typename Reduction::Params params{};
  memory.fill(params);
  std::vector<float> parts(size_t(kBatches) * kParts * kRows * kColumns);
  for (int l = 0; l < kBatches; ++l)
    for (int k = 0; k < kParts; ++k)
      for (int m = 0; m < kRows; ++m)
        for (int n = 0; n < kColumns; ++n)
          parts[((size_t(l) * kParts + k) * kRows + m) * kColumns + n] = k == 0   ? made(l, m, n) - 30
                                                                         : k == 1 ? 10
                                                                                  : 20;
  params.parts = parts.data();
  params.elements = int64_t(kBatches) * kRows * kColumns;
  params.count = kParts;
  gridDim.x = 5;
  for (unsigned block = 0; block < gridDim.x; ++block)
    for (unsigned thread = 0; thread < unsigned(Reduction::kThreads); ++thread) {
      blockIdx.x = block;
      threadIdx.x = thread;
      Reduction::run(params);
    }
  memory.check("sums of parts");
}

// Every tile once, and neighbours in one band next to each other.
void check_order() {
  for (const bool along_m : {false, true})
    for (int tiles_m = 1; tiles_m <= 7; ++tiles_m)
      for (int tiles_n = 1; tiles_n <= 7; ++tiles_n)
        for (int width = 1; width <= 8; ++width) {
          const uc2::Order order{tiles_m, tiles_n, width, along_m};
          std::vector<int> seen(size_t(tiles_m) * tiles_n);
          for (int i = 0; i < tiles_m * tiles_n; ++i) {
            const auto tile = order.tile(i);
            expect(tile.row() >= 0 && tile.row() < tiles_m && tile.column() >= 0 && tile.column() < tiles_n,
                   "a tile outside", i);
            ++seen[size_t(tile.row()) * tiles_n + tile.column()];
            const int side = along_m ? tile.column() : tile.row();
            expect(side / width == i / ((along_m ? tiles_m : tiles_n) * width), "a tile of another band", i);
          }
          for (const int times : seen) expect(times == 1, "a tile twice or never", times);
        }
}

using Half = Base<cutlass::half_t, float, TensorOp, Shape<128, 128, 32>, Shape<64, 64, 32>, Shape<16, 8, 16>,
                  2, cutlass::half_t, 8>;
using Single =
    Base<float, float, TensorOp, Shape<64, 64, 16>, Shape<32, 32, 16>, Shape<16, 8, 8>, 3, float, 4>;
using Odd = Base<float, float, TensorOp, Shape<64, 128, 16>, Shape<32, 64, 16>, Shape<16, 8, 8>, 3, float, 1>;
using Double =
    Base<double, double, TensorOp, Shape<64, 64, 16>, Shape<32, 32, 16>, Shape<8, 8, 4>, 3, double, 2>;
using Units = Base<float, float, Simt, Shape<128, 64, 8>, Shape<64, 32, 8>, Shape<1, 1, 1>, 4, float, 1>;

// K = 1000 in 5 parts of tiles of 16: 63 steps, so 13 a part, 208 elements. D transposed: M and N change
// places.
void check_preparation() {
  using Visitor = uc2::Visitor<typename Single::Epilogue::OutputTileIterator, uc2::Sum<float>, 1, uc2::List<>,
                               uc2::List<uc2::Store<0, float, 4>>>;
  using Kernel = uc2::Gemm<Single, Visitor>;
  uck_gemm x{};
  x.l = 3;
  x.m = 100;
  x.n = 200;
  x.k = 1000;
  x.split = 5;
  x.swizzle = 4;
  x.a.stride[0] = 100000;
  x.a.stride[1] = 1000;
  x.a.stride[2] = 1;
  x.b.stride[1] = 1000;
  x.b.stride[2] = 1;
  float scratch = 0;
  x.scratch = &scratch;
  uck_geometry geometry{};
  alignas(64) char memory[8192];
  const int refused = uc2::prepare_gemm<Kernel, true, true>(&x, memory, &geometry);
  const auto& params = *reinterpret_cast<typename Kernel::Params*>(memory);
  expect(refused == 0, "prepared", refused);
  expect(params.m == 200 && params.n == 100 && params.k == 1000, "exchanged extents", params.m);
  expect(params.batch_a == 0 && params.batch_b == 100000, "exchanged batches", params.batch_a);
  expect(params.parts == 5 && params.part == 208, "parts", params.part);
  expect(params.order.tiles_m == 4 && params.order.tiles_n == 2 && params.order.along_m, "tiles", 0);
  expect(geometry.grid[0] == 4 * 2 * 3 * 5, "blocks", geometry.grid[0]);
  expect(geometry.smem == 3 * (64 + 64) * 16 * 4, "shared memory", geometry.smem);
  expect(params.epilogue.view[0].l == 20000 && params.epilogue.view[0].m == 100, "planes", 0);
  expect(uc2::scratch_bytes<float>(&x) == 3 * 5 * 100 * 200 * 4, "scratch", 0);
}

}  // namespace

int main() {
  check_epilogue<Half, 8>("f16, eight at once");
  check_epilogue<Half, 2>("f16, two at once");
  check_epilogue<Single, 4>("f32, four at once");
  check_epilogue<Odd, 1>("f32, single elements");
  check_epilogue<Double, 2>("f64, two at once");
  check_epilogue<Units, 1>("FMA units");
  check_reduction();
  check_order();
  check_preparation();
  printf(failures == 0 ? "all right\n" : "%d are wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
