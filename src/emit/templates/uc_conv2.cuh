// A convolution as a product of matrices that are never made (implicit GEMM), on CUTLASS 2's main loops and accumulator
// exchange. Rows of the one operand are elements of the result's images, rows of the other its channels; K runs over the
// taps of the filter and, within each, over channels. What CUTLASS's loops read from memory comes through iterators of
// our own, so that one to three dimensions, groups, any strides of memory, any number of channels and transposed
// convolutions (as stride^rank ordinary ones, each with its taps) are one kernel.
#ifndef UC_CONV2_CUH
#define UC_CONV2_CUH
#include <type_traits>

#include "uc_conv2_iterators.cuh"
#include "uc_gemm2.cuh"

namespace uc2 {

// CUTLASS's main loop with other iterators. What is not valid becomes zero: it may lie in the middle of K.
template <class Mma, template <class, int> class A, template <class, int> class B>
struct Rebound;
template <class Shape, class IteratorA, class SmemA, cutlass::arch::CacheOperation::Kind CacheA, class IteratorB,
          class SmemB, cutlass::arch::CacheOperation::Kind CacheB, class C, class LayoutC, class Policy, int Stages,
          cutlass::gemm::SharedMemoryClearOption Clear, class Enable, template <class, int> class A,
          template <class, int> class B>
struct Rebound<cutlass::gemm::threadblock::MmaMultistage<Shape, IteratorA, SmemA, CacheA, IteratorB, SmemB, CacheB, C,
                                                         LayoutC, Policy, Stages, Clear, Enable>,
               A, B> {
  using type = cutlass::gemm::threadblock::MmaMultistage<
      Shape, A<IteratorA, Shape::kK>, SmemA, CacheA, B<IteratorB, Shape::kK>, SmemB, CacheB, C, LayoutC, Policy, Stages,
      cutlass::gemm::SharedMemoryClearOption::kZfill, Enable>;
};
template <class Shape, class IteratorA, class SmemA, class IteratorB, class SmemB, class C, class LayoutC, class Policy,
          class TransformA, class TransformB, class Enable, template <class, int> class A,
          template <class, int> class B>
struct Rebound<cutlass::gemm::threadblock::MmaPipelined<Shape, IteratorA, SmemA, IteratorB, SmemB, C, LayoutC, Policy,
                                                        TransformA, TransformB, Enable>,
               A, B> {
  using type = cutlass::gemm::threadblock::MmaPipelined<Shape, TileIterator<A<IteratorA, Shape::kK>>, SmemA,
                                                        TileIterator<B<IteratorB, Shape::kK>>, SmemB, C, LayoutC,
                                                        Policy, TransformA, TransformB, Enable>;
};

// A tensor of the epilogue; strides in elements.
template <int Rank>
struct PixelView {
  void* data;
  int64_t group, image, at[Rank], channel;
};

// Where elements of the result lie when its pixels are not one behind another. Batches are groups, and of each its
// classes. `Exchanged`: pixels are the columns.
template <int Rank, bool Transposed, bool Exchanged>
struct Pixelwise {
  using View = PixelView<Rank>;
  Pixels<Rank> pixels;
  int channels;                      // of a group
  uc_divider classes, first[Rank];   // of all; of each dimension
  int extent[Rank];                  // of the result

  struct Point {
    int64_t group;
    int image, at[Rank], channel;
  };
  CUTLASS_DEVICE Point point(int batch, int m, int n) const {
    const auto pixel = pixels.at(Exchanged ? n : m);
    Point out;
    out.image = pixel.image;
    out.channel = Exchanged ? m : n;
    out.group = Transposed ? classes.divide(batch) : batch;
    int rest = Transposed ? batch - int(out.group) * classes.divisor : 0;
    CUTLASS_PRAGMA_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      out.at[d] = pixel.at[d];
      if (Transposed) {
        const int next = first[d].divide(rest);
        out.at[d] = pixel.at[d] * first[d].divisor + rest - next * first[d].divisor;
        rest = next;
      }
    }
    return out;
  }
  CUTLASS_DEVICE bool inside(int batch, int m, int n) const {
    const Point x = point(batch, m, n);
    bool out = x.image < pixels.images && x.channel < channels;
    if (Transposed) {
      CUTLASS_PRAGMA_UNROLL
      for (int d = 0; d < Rank; ++d) out = out && x.at[d] < extent[d];
    }
    return out;
  }
  template <class T>
  CUTLASS_DEVICE T* at(View const& view, int batch, int m, int n) const {
    const Point x = point(batch, m, n);
    int64_t offset = x.group * view.group + x.image * view.image + x.channel * view.channel;
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) offset += x.at[d] * view.at[d];
    return static_cast<T*>(view.data) + offset;
  }
};

// Base: cutlass::gemm::kernel::DefaultGemm<...>::GemmKernel of the product, both operands with K contiguous. Exchanged:
// filters are its A.
template <class Base, class Visitor, int Rank_, bool Transposed_, bool Exchanged_, bool InParts_>
struct Conv {
  static constexpr int Rank = Rank_;
  static constexpr bool Transposed = Transposed_, Exchanged = Exchanged_, InParts = InParts_;
  template <class Replaced, int Tile>
  using Input = AccessIterator<Replaced, Tile, Rank, InputRows>;
  template <class Replaced, int Tile>
  using Filter = AccessIterator<Replaced, Tile, Rank, FilterRows>;
  template <class Replaced, int Tile>
  using First = std::conditional_t<Exchanged, Filter<Replaced, Tile>, Input<Replaced, Tile>>;
  template <class Replaced, int Tile>
  using Second = std::conditional_t<Exchanged, Input<Replaced, Tile>, Filter<Replaced, Tile>>;
  using Mma = typename Rebound<typename Base::Mma, First, Second>::type;
  using Shape = typename Mma::Shape;
  using Epilogue =
      cutlass::epilogue::threadblock::EpilogueWithVisitorCallbacks<typename Base::Epilogue, Visitor, 1>;
  using Element = typename Mma::IteratorA::Element;
  static constexpr int kThreads = Base::kThreadCount;

  struct Params {
    Sweep<Rank> sweep;  // of the one class, when there is one
    uck_window window[Rank];
    typename Visitor::Params epilogue;
    Element *input, *filter;
    int classes;
    int parts, part;  // of K: how many, and elements of one (a multiple of the tile's)
    Order order;
  };
  union SharedStorage {
    typename Mma::SharedStorage main_loop;
    typename Epilogue::SharedStorage epilogue;
  };

  // What one block computes.
  struct Part {
    cutlass::MatrixCoord tile;
    int slice, batch, group, begin;  // slices: groups, of each its classes, and of each its parts of K
  };
  static CUTLASS_DEVICE Part part_of(Params const& x, int block) {
    const int tiles = x.order.tiles_m * x.order.tiles_n;
    Part out;
    out.slice = block / tiles;
    out.tile = x.order.tile(block - out.slice * tiles);
    out.batch = out.slice / x.parts;
    out.group = Transposed ? out.batch / x.classes : out.batch;
    out.begin = InParts ? (out.slice - out.batch * x.parts) * x.part : 0;
    return out;
  }
  // Of a kernel with classes or parts; of others it is x.sweep.
  static CUTLASS_DEVICE Sweep<Rank> sweep_of(Params const& x, Part const& part) {
    Sweep<Rank> sweep = x.sweep;
    if constexpr (Transposed) set_class(sweep, x.window, part.batch - part.group * x.classes);
    if (InParts && sweep.walk.end - part.begin > x.part) sweep.walk.end = part.begin + x.part;
    return sweep;
  }
  static CUTLASS_DEVICE typename Mma::IteratorA first(Params const& x, Sweep<Rank> const& sweep, Part const& part,
                                                      int thread) {
    return {sweep, Exchanged ? filter(x, sweep, part) : input(x, sweep, part), thread, part.tile.row() * Shape::kM,
            part.begin};
  }
  static CUTLASS_DEVICE typename Mma::IteratorB second(Params const& x, Sweep<Rank> const& sweep, Part const& part,
                                                       int thread) {
    return {sweep, Exchanged ? input(x, sweep, part) : filter(x, sweep, part), thread,
            part.tile.column() * Shape::kN, part.begin};
  }

  static CUTLASS_DEVICE void run(Params const& x, SharedStorage& shared) {
    const Part part = part_of(x, int(blockIdx.x));
    typename Mma::FragmentC accumulators;
    accumulators.clear();
    if constexpr (Transposed || InParts) {
      const Sweep<Rank> sweep = sweep_of(x, part);
      multiply(x, sweep, part, shared, accumulators);
    } else {
      multiply(x, x.sweep, part, shared, accumulators);
    }
    Epilogue epilogue(x.epilogue, shared.epilogue, threadIdx.x, cutlass::canonical_warp_idx_sync(), threadIdx.x % 32);
    epilogue(accumulators, {part.tile.row(), part.tile.column(), part.slice}, Shape{}, threadIdx.x);
  }

 private:
  // What differs from class to class.
  static CUTLASS_DEVICE void set_class(Sweep<Rank>& sweep, uck_window const (&window)[Rank], int number) {
    int taps = 1;
    CUTLASS_PRAGMA_UNROLL
    for (int d = Rank - 1; d >= 0; --d) {
      const int next = number / window[d].stride;
      sweep.stretch[d] = uc_transposed_stretch(window[d], number - next * window[d].stride);
      sweep.walk.taps[d] = uc_divider::of(sweep.stretch[d].taps > 0 ? sweep.stretch[d].taps : 1);
      taps *= sweep.stretch[d].taps;
      number = next;
    }
    sweep.walk.end = taps * sweep.walk.channels.divisor;
  }

  static CUTLASS_DEVICE Element const* input(Params const& x, Sweep<Rank> const& sweep, Part const& part) {
    return x.input + part.group * sweep.input.group;
  }
  static CUTLASS_DEVICE Element const* filter(Params const& x, Sweep<Rank> const& sweep, Part const& part) {
    return x.filter + part.group * sweep.filter.group;
  }
  static CUTLASS_DEVICE void multiply(Params const& x, Sweep<Rank> const& sweep, Part const& part,
                                      SharedStorage& shared, typename Mma::FragmentC& accumulators) {
    if (part.begin >= sweep.walk.end) return;
    typename Mma::IteratorA a = first(x, sweep, part, threadIdx.x);
    typename Mma::IteratorB b = second(x, sweep, part, threadIdx.x);
    Mma mma(shared.main_loop, threadIdx.x, cutlass::canonical_warp_idx_sync(), threadIdx.x % 32);
    mma((sweep.walk.end - part.begin + Shape::kK - 1) / Shape::kK, accumulators, a, b, accumulators);
  }
};

}  // namespace uc2
#endif
