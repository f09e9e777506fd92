// A contraction on CUTLASS 2: its main loop and accumulator exchange, with batches, parts of K and order of
// tiles of our own, so that any of them go together.
#ifndef UC_GEMM2_CUH
#define UC_GEMM2_CUH
#include "cutlass/cutlass.h"

#include "cutlass/epilogue/thread/linear_combination.h"
#include "cutlass/gemm/kernel/default_gemm.h"
#include "cutlass/gemm/threadblock/threadblock_swizzle.h"

// These two do not include what they need.
#include "cutlass/epilogue/threadblock/epilogue_base_streamk.h"

#include "cutlass/epilogue/threadblock/epilogue_with_visitor_callbacks.h"

#include "uc_epilogue2.cuh"
#include "uc_kernel_args.h"

namespace uc2 {

// How blocks are numbered: bands `width` tiles wide, within which numbers go across first.
struct Order {
  int tiles_m, tiles_n, width;
  bool along_m;
  CUTLASS_DEVICE cutlass::MatrixCoord tile(int number) const {
    const int length = along_m ? tiles_m : tiles_n, across = along_m ? tiles_n : tiles_m;
    const int band = number / (length * width), in_band = number - band * length * width;
    const int first = band * width, here = across - first < width ? across - first : width;
    const int along = in_band / here, side = first + in_band - along * here;
    return along_m ? cutlass::MatrixCoord{along, side} : cutlass::MatrixCoord{side, along};
  }
};

// Base: cutlass::gemm::kernel::DefaultGemm<...>::GemmKernel, of which the main loop and the default epilogue's
// iterators are used. Visitor: uc2::Visitor.
template <class Base, class Visitor>
struct Gemm {
  using Mma = typename Base::Mma;
  using Shape = typename Mma::Shape;
  using Epilogue =
      cutlass::epilogue::threadblock::EpilogueWithVisitorCallbacks<typename Base::Epilogue, Visitor, 1>;
  using ElementA = typename Mma::IteratorA::Element;
  using ElementB = typename Mma::IteratorB::Element;
  static constexpr int kThreads = Base::kThreadCount;

  struct Params {
    typename Mma::IteratorA::Params iterator_a;
    typename Mma::IteratorB::Params iterator_b;
    typename Visitor::Params epilogue;
    ElementA* a;
    ElementB* b;
    int64_t batch_a, batch_b;  // elements from one matrix to the next
    int m, n, k;
    int parts, part;  // of K: how many, and elements of one (a multiple of the tile's)
    Order order;
  };
  union SharedStorage {
    typename Mma::SharedStorage main_loop;
    typename Epilogue::SharedStorage epilogue;
  };

  static CUTLASS_DEVICE void run(Params const& x, SharedStorage& shared) {
    const int tiles = x.order.tiles_m * x.order.tiles_n;
    const int slice = int(blockIdx.x) / tiles;  // batches, and of each its parts
    const cutlass::MatrixCoord tile = x.order.tile(int(blockIdx.x) - slice * tiles);
    const int batch = slice / x.parts;
    const int begin = (slice - batch * x.parts) * x.part;
    const int end = x.k - begin < x.part ? x.k : begin + x.part;
    const int thread = threadIdx.x;
    const int warp = cutlass::canonical_warp_idx_sync();
    const int lane = thread % 32;

    typename Mma::FragmentC accumulators;
    accumulators.clear();
    if (begin < end) {
      typename Mma::IteratorA a(x.iterator_a, x.a + batch * x.batch_a, {x.m, end}, thread,
                                {tile.row() * Shape::kM, begin});
      typename Mma::IteratorB b(x.iterator_b, x.b + batch * x.batch_b, {end, x.n}, thread,
                                {begin, tile.column() * Shape::kN});
      Mma mma(shared.main_loop, thread, warp, lane);
      mma((end - begin + Shape::kK - 1) / Shape::kK, accumulators, a, b, accumulators);
    }
    Epilogue epilogue(x.epilogue, shared.epilogue, thread, warp, lane);
    // A partial sum is written to the slice's own plane, a result to its batch's.
    epilogue(accumulators, {tile.row(), tile.column(), slice}, Shape{}, thread);
  }
};

}  // namespace uc2
#endif
