// Host half of CUTLASS 2 contractions: sizes, strides and memory of one launch as parameters of its kernels.
#ifndef UC_GEMM2_HOST_H
#define UC_GEMM2_HOST_H
#include <new>
#include <string.h>
#include <type_traits>

#include "uc_gemm2.cuh"
#include "uc_kernel_args.h"

namespace uc2 {

constexpr int64_t kMostBlocks = 0x7fffffff;

inline int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t parts_of(const uck_gemm* x) { return x->split > 1 ? x->split : 1; }

// The sum over K in parts: one plane [M, N] a batch and part.
template <class Accumulator>
int64_t scratch_bytes(const uck_gemm* x) {
  return x->l * parts_of(x) * x->m * x->n * int64_t(sizeof(Accumulator));
}

inline void set_geometry(uck_geometry* geometry, int64_t blocks, int threads, size_t shared) {
  *geometry = {{uint32_t(blocks), 1, 1}, {uint32_t(threads), 1, 1}, {1, 1, 1}, uint32_t(shared), 0};
}
template <class Kernel>
void gemm_shape(uck_geometry* geometry) {
  set_geometry(geometry, 1, Kernel::kThreads, sizeof(typename Kernel::SharedStorage));
}
template <class Reduction>
void reduction_shape(uck_geometry* geometry) {
  set_geometry(geometry, 1, Reduction::kThreads, 0);
}

// The problem as the kernel computes it: with A and B, M and N exchanged when it makes the transpose.
template <bool Transposed>
struct Problem {
  const uck_gemm* x;
  const uck_view& a() const { return Transposed ? x->b : x->a; }
  const uck_view& b() const { return Transposed ? x->a : x->b; }
  int64_t m() const { return Transposed ? x->n : x->m; }
  int64_t n() const { return Transposed ? x->m : x->n; }
  bool along_m(int64_t tiles_m, int64_t tiles_n) const {
    if (x->raster == 0) return tiles_m >= tiles_n;
    return (x->raster == 1) != Transposed;
  }
  View view(int index) const {
    const uck_view& from = x->view[index];
    return {from.data, from.stride[0], from.stride[Transposed ? 2 : 1], from.stride[Transposed ? 1 : 2]};
  }
};

template <int N, class Problem>
void fill_views(View (&into)[N], const Problem& problem) {
  for (int i = 0; i < N; ++i) into[i] = problem.view(i);
}

// `InParts`: the kernel writes sums over parts of K to scratch, as [L, parts, M, N].
template <class Kernel, bool Transposed, bool InParts>
int prepare_gemm(const uck_gemm* x, void* params, uck_geometry* geometry) {
  using Mma = typename Kernel::Mma;
  using Shape = typename Mma::Shape;
  using LayoutA = typename Mma::IteratorA::Layout;
  using LayoutB = typename Mma::IteratorB::Layout;
  const Problem<Transposed> problem{x};
  const uck_view &a = problem.a(), &b = problem.b();
  const int64_t leading_a = a.stride[std::is_same<LayoutA, cutlass::layout::RowMajor>::value ? 1 : 2];
  const int64_t leading_b = b.stride[std::is_same<LayoutB, cutlass::layout::ColumnMajor>::value ? 1 : 2];
  const int64_t tiles_m = up(problem.m(), Shape::kM), tiles_n = up(problem.n(), Shape::kN);
  const int64_t parts = InParts ? parts_of(x) : 1;
  const int64_t blocks = tiles_m * tiles_n * x->l * parts;
  if (blocks > kMostBlocks) return 1;

  auto& p = *new (params) typename Kernel::Params{};
  p.iterator_a = typename Mma::IteratorA::Params(LayoutA(typename LayoutA::Index(leading_a)));
  p.iterator_b = typename Mma::IteratorB::Params(LayoutB(typename LayoutB::Index(leading_b)));
  p.a = static_cast<typename Kernel::ElementA*>(a.data);
  p.b = static_cast<typename Kernel::ElementB*>(b.data);
  p.batch_a = a.stride[0];
  p.batch_b = b.stride[0];
  p.m = int(problem.m());
  p.n = int(problem.n());
  p.k = int(x->k);
  p.parts = int(parts);
  p.part = int(up(up(x->k, Shape::kK), parts) * Shape::kK);
  p.order = {int(tiles_m), int(tiles_n), x->swizzle > 0 ? x->swizzle : 1, problem.along_m(tiles_m, tiles_n)};
  p.epilogue.rows = p.m;
  p.epilogue.columns = p.n;
  p.epilogue.where = {p.m, p.n};
  if (InParts) {
    p.epilogue.view[0] = {x->scratch, x->m * x->n, problem.n(), 1};
  } else {
    fill_views(p.epilogue.view, problem);
  }
  set_geometry(geometry, blocks, Kernel::kThreads, sizeof(typename Kernel::SharedStorage));
  return 0;
}

template <class Reduction, bool Transposed>
int prepare_reduction(const uck_gemm* x, void* params, uck_geometry* geometry) {
  const Problem<Transposed> problem{x};
  auto& p = *new (params) typename Reduction::Params{};
  fill_views(p.view, problem);
  p.parts = static_cast<decltype(p.parts)>(x->scratch);
  p.elements = x->l * x->m * x->n;
  p.rows = int(problem.m());
  p.columns = int(problem.n());
  p.where = {p.rows, p.columns};
  p.count = int(parts_of(x));
  const int64_t blocks = up(p.elements, Reduction::kThreads), most = int64_t(x->sms) * 32;
  set_geometry(geometry, blocks < most ? blocks : most, Reduction::kThreads, 0);
  return 0;
}

}  // namespace uc2
#endif
