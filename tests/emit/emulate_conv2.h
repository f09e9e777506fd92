#pragma once
// Why: one block of a convolution on CUTLASS 2, on the CPU, with all that is ours: which elements each thread
// reads for each tile of K, and what its epilogue does with every sum. Products are added up here, in the
// place of CUTLASS's instructions. Compiled after uc_host_shim.h.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "cutlass/array.h"

namespace emulate {

// A device stops at an access that is not aligned to its width.
inline void stop_unless_aligned(const void* at, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(at) % bytes == 0) return;
  fprintf(stderr, "an access of %zu bytes is not aligned\n", bytes);
  abort();
}

// As tensor cores are given f32 that is multiplied as TF32; others, and without UC_EMULATE_TF32, as it is.
template <class T>
double multiplied(T value) {
  return double(float(value));
}
inline double multiplied(double value) { return value; }
inline double multiplied(float value) {
#ifdef UC_EMULATE_TF32
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = (bits + 0x1000u) & ~0x1fffu;
  memcpy(&value, &bits, sizeof bits);
#endif
  return value;
}

// What iterators give of one tile of an operand, as rows of K.
template <class Iterator, int Rows, int K>
void gather(std::vector<Iterator>& threads, std::vector<double>& tile) {
  using Map = typename Iterator::ThreadMap;
  constexpr int kWidth = Iterator::AccessType::kElements;
  tile.assign(Rows * K, -1e6);
  for (size_t thread = 0; thread < threads.size(); ++thread) {
    Iterator it = threads[thread];
    const auto start = Map::initial_offset(int(thread));
    int index = 0;
    for (int s = 0; s < Map::Iterations::kStrided; ++s)
      for (int c = 0; c < Map::Iterations::kContiguous; ++c)
        for (int v = 0; v < Iterator::kAccessesPerVector; ++v) {
          it.set_iteration_index(index++);
          const int row = start.strided() + s * Map::Delta::kStrided;
          const int k = start.contiguous() + c * Map::Delta::kContiguous + v * kWidth;
          const bool valid = it.valid();
          const auto* from = reinterpret_cast<const typename Iterator::Element*>(it.get());
          if (valid) stop_unless_aligned(from, sizeof(typename Iterator::Element) * kWidth);
          for (int i = 0; i < kWidth; ++i) tile[row * K + k + i] = valid ? multiplied(from[i]) : 0.0;
        }
  }
  for (Iterator& it : threads) it.advance();
}

template <class Kernel, class Visitor, class Iterator>
void compute(const typename Kernel::Params& x, int block) {
  using Tile = typename Kernel::Shape;
  const auto part = Kernel::part_of(x, block);
  const auto sweep = Kernel::Transposed || Kernel::InParts ? Kernel::sweep_of(x, part) : x.sweep;
  std::vector<double> sums(Tile::kM * Tile::kN, 0.0), a, b;
  std::vector<typename Kernel::Mma::IteratorA> as;
  std::vector<typename Kernel::Mma::IteratorB> bs;
  for (int t = 0; t < Kernel::kThreads; ++t) {
    as.push_back(Kernel::first(x, sweep, part, t));
    bs.push_back(Kernel::second(x, sweep, part, t));
  }
  for (int k = part.begin; k < sweep.walk.end; k += Tile::kK) {
    gather<typename Kernel::Mma::IteratorA, Tile::kM, Tile::kK>(as, a);
    gather<typename Kernel::Mma::IteratorB, Tile::kN, Tile::kK>(bs, b);
    for (int m = 0; m < Tile::kM; ++m)
      for (int n = 0; n < Tile::kN; ++n)
        for (int i = 0; i < Tile::kK; ++i)
          sums[m * Tile::kN + n] += a[m * Tile::kK + i] * b[n * Tile::kK + i];
  }
  using Map = typename Iterator::ThreadMap;
  constexpr int kAccesses =
      Map::Iterations::kColumn * Map::Iterations::kRow * Map::Iterations::kGroup * Map::Iterations::kCluster;
  const typename Visitor::SharedStorage shared{};
  for (int thread = 0; thread < Kernel::kThreads; ++thread) {
    Visitor visitor(x.epilogue, shared);
    auto callbacks = visitor.get_callbacks({part.tile.row(), part.tile.column(), part.slice}, thread, Tile{});
    const typename Iterator::Params nowhere{};
    Iterator at(nowhere, nullptr, {1 << 20, 1 << 20}, thread, {0, 0});
    callbacks.begin_epilogue();
    for (int step = 0; step < Iterator::kIterations; ++step, ++at) {
      callbacks.begin_step(step);
      for (int access = 0; access < kAccesses; ++access) {
        const auto offset = Map::iteration_offset(access);
        cutlass::Array<typename Kernel::Mma::FragmentC::Element, Map::kElementsPerAccess> values;
        for (int i = 0; i < Map::kElementsPerAccess; ++i)
          values[i] = typename Kernel::Mma::FragmentC::Element(
              sums[(at.thread_start_row() + offset.row()) * Tile::kN + at.thread_start_column() +
                   offset.column() + i]);
        callbacks.visit(step, 0, 0, access, values);
      }
      callbacks.end_step(step);
    }
  }
}

}  // namespace emulate
