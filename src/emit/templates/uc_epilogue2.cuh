// The epilogue of CUTLASS 2 contractions: one scalar expression on each accumulator, tensors read and written
// through strides of their own, as wide as their alignment allows. CUTLASS only exchanges the accumulators.
#ifndef UC_EPILOGUE2_CUH
#define UC_EPILOGUE2_CUH
#include "cutlass/array.h"
#include "cutlass/cutlass.h"
#include "cutlass/gemm_coord.h"
#include "cutlass/matrix_coord.h"
#include "uc_math.cuh"
#include "uc_round.cuh"

namespace uc2 {

// A tensor of shape [L, M, N]; strides in elements.
struct View {
  void* data;
  int64_t l, m, n;
};

// Where elements of a matrix lie in its tensors, and where it ends. Kernels whose rows or columns stand for several
// dimensions have another one of these.
struct Matrix {
  using View = uc2::View;
  int rows, columns;
  CUTLASS_DEVICE bool inside(int, int row, int column) const { return row < rows && column < columns; }
  template <class T>
  CUTLASS_DEVICE T* at(View const& view, int64_t batch, int row, int column) const {
    return static_cast<T*>(view.data) + batch * view.l + row * view.m + column * view.n;
  }
};

// Along which dimensions a tensor that is read has elements of its own.
enum class Along { none, n, m, both };

template <class... T>
struct List {};

// The expression of a kernel that writes sums over a part of K.
template <class Accumulator>
struct Sum {
  static CUTLASS_DEVICE void at(Accumulator sum, Accumulator& out) { out = sum; }
};

// Elements of the result that a thread handles in one step: `accesses` of V neighbours in a row each.
template <int V_, int Columns_, int Rows_>
struct Step {
  static constexpr int V = V_, Columns = Columns_, accesses = Columns_ * Rows_, Rows = Rows_;
};

// Where the first element of an access is.
template <class Where>
struct Place {
  Where const* where;
  int batch, m, n;
  CUTLASS_DEVICE bool inside(int row, int column) const { return where->inside(batch, row, column); }
  template <class T>
  CUTLASS_DEVICE T* at(typename Where::View const& view, int row, int column) const {
    return where->template at<T>(view, batch, row, column);
  }
};

template <int W, class T>
CUTLASS_DEVICE void read(uc_pack<T, W>& into, T const* from, bool inside) {
  if (inside) into = *reinterpret_cast<uc_pack<T, W> const*>(from);
}

// A tensor that the expression reads, W elements at once (W > 1: unit stride along N).
template <int Index_, class T, Along A, int W>
struct Load {
  static constexpr int Index = Index_;
  template <class Step>
  struct Held {
    static constexpr int rows = A == Along::m || A == Along::both ? Step::Rows : 1;
    static constexpr int columns = A == Along::n || A == Along::both ? Step::Columns : 1;
    static constexpr int packs = A == Along::n || A == Along::both ? Step::V / W : 1;
    uc_pack<T, W> value[rows * columns * packs];

    // Once a tile: what does not change from row to row.
    template <class View, class Place>
    CUTLASS_DEVICE void begin(View const& view, Place const& place, int column) {
      if constexpr (A == Along::none) read(value[0], place.template at<T const>(view, 0, 0), true);
      if constexpr (A == Along::n) fill(view, place, 0, column);
    }
    template <class View, class Place>
    CUTLASS_DEVICE void step(View const& view, Place const& place, int access) {
      if constexpr (A == Along::m) {
        if (access % Step::Columns == 0)
          read(value[access / Step::Columns], place.template at<T const>(view, place.m, 0),
               place.inside(place.m, 0));
      }
      if constexpr (A == Along::both) fill(view, place, place.m, access);
    }
    template <class View, class Place>
    CUTLASS_DEVICE void fill(View const& view, Place const& place, int m, int access) {
      CUTLASS_PRAGMA_UNROLL
      for (int p = 0; p < packs; ++p) {
        const int n = place.n + p * W;
        read(value[access * packs + p], place.template at<T const>(view, m, n), place.inside(m, n));
      }
    }
    CUTLASS_DEVICE auto get(int access, int i) const {
      const int row = A == Along::m || A == Along::both ? access / Step::Columns : 0;
      const int column = A == Along::n || A == Along::both ? access % Step::Columns : 0;
      const int element = A == Along::n || A == Along::both ? i : 0;
      return uc_load(value[(row * columns + column) * packs + element / W].at[element % W]);
    }
  };
};

template <int Index_, class T, int W>
struct Store {
  static constexpr int Index = Index_;
  template <class Step>
  struct Held {
    uc_pack<T, W> value[Step::V / W];
    CUTLASS_DEVICE T& slot(int i) { return value[i / W].at[i % W]; }
    template <class View, class Place>
    CUTLASS_DEVICE void write(View const& view, Place const& place) const {
      CUTLASS_PRAGMA_UNROLL
      for (int p = 0; p < Step::V / W; ++p) {
        const int n = place.n + p * W;
        if (place.inside(place.m, n))
          *reinterpret_cast<uc_pack<T, W>*>(place.template at<T>(view, place.m, n)) = value[p];
      }
    }
  };
};

template <class Node, class Step>
struct Leaf {
  static constexpr int Index = Node::Index;
  typename Node::template Held<Step> held;
};
template <class Step, class... Nodes>
struct Leaves : Leaf<Nodes, Step>... {};

// What EpilogueWithVisitorCallbacks calls.
template <class OutputIterator, class Expression, int Views, class Loads, class Stores, class Where = Matrix>
class Visitor;
template <class OutputIterator, class Expression, int Views, class... Loads, class... Stores, class Where>
class Visitor<OutputIterator, Expression, Views, List<Loads...>, List<Stores...>, Where> {
  using Map = typename OutputIterator::ThreadMap;
  using Steps = Step<Map::kElementsPerAccess, Map::Iterations::kColumn,
                     Map::Iterations::kRow * Map::Iterations::kGroup * Map::Iterations::kCluster>;

 public:
  struct SharedStorage {};
  struct Params {
    typename Where::View view[Views];
    Where where;
    int rows, columns;  // of the result's tiles
  };
  using Arguments = Params;

  CUTLASS_DEVICE Visitor(Params const& params, SharedStorage const&) : params_(&params) {}

  class Callbacks {
   public:
    // `at` knows where the tiles of a thread are; nothing goes through its pointers.
    CUTLASS_DEVICE Callbacks(Params const* params, int batch, OutputIterator const& at)
        : params_(params), batch_(batch), at_(at) {}

    CUTLASS_DEVICE void begin_epilogue() {
      CUTLASS_PRAGMA_UNROLL
      for (int column = 0; column < Steps::Columns; ++column)
        (loads_.Leaf<Loads, Steps>::held.begin(params_->view[Loads::Index], place(column), column), ...);
    }
    CUTLASS_DEVICE void begin_step(int) {
      CUTLASS_PRAGMA_UNROLL
      for (int access = 0; access < Steps::accesses; ++access)
        (loads_.Leaf<Loads, Steps>::held.step(params_->view[Loads::Index], place(access), access), ...);
    }
    CUTLASS_DEVICE void begin_row(int) {}
    template <class Accumulator>
    CUTLASS_DEVICE void visit(int, int, int, int access,
                              cutlass::Array<Accumulator, Steps::V> const& accumulators) {
      Leaves<Steps, Stores...> stores;
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < Steps::V; ++i)
        Expression::at(accumulators[i], loads_.Leaf<Loads, Steps>::held.get(access, i)...,
                       stores.Leaf<Stores, Steps>::held.slot(i)...);
      const Place<Where> here = place(access);
      (stores.Leaf<Stores, Steps>::held.write(params_->view[Stores::Index], here), ...);
    }
    CUTLASS_DEVICE void end_row(int) {}
    CUTLASS_DEVICE void end_step(int) { ++at_; }
    CUTLASS_DEVICE void end_epilogue() {}

   private:
    CUTLASS_DEVICE Place<Where> place(int access) const {
      const cutlass::MatrixCoord offset = Map::iteration_offset(access);
      return {&params_->where, batch_, at_.thread_start_row() + offset.row(),
              at_.thread_start_column() + offset.column()};
    }

    Params const* params_;
    int batch_;
    OutputIterator at_;
    Leaves<Steps, Loads...> loads_;
  };

  template <class Tile>
  CUTLASS_DEVICE auto get_callbacks(cutlass::gemm::GemmCoord tile, int thread, Tile) const {
    const typename OutputIterator::Params nowhere{};
    return Callbacks(params_, tile.k(),
                     OutputIterator(nowhere, nullptr, {params_->rows, params_->columns}, thread,
                                    {tile.m() * Tile::kM, tile.n() * Tile::kN}));
  }

 private:
  Params const* params_;
};

// The same expression on sums over the parts of K: one element a turn of a thread. `parts` is [L, parts, M, N].
template <class Accumulator, class Expression, int Views, class Loads, class Stores, class Where = Matrix>
struct Reduction;
template <class Accumulator, class Expression, int Views, class... Loads, class... Stores, class Where>
struct Reduction<Accumulator, Expression, Views, List<Loads...>, List<Stores...>, Where> {
  struct Params {
    typename Where::View view[Views];
    Where where;
    Accumulator const* parts;
    int64_t elements;  // of the result, all batches
    int rows, columns, count;
  };
  static constexpr int kThreads = 256;

  static CUTLASS_DEVICE void run(Params const& x) {
    const int64_t plane = int64_t(x.rows) * x.columns;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < x.elements;
         i += int64_t(gridDim.x) * kThreads) {
      const int64_t batch = uc_divide(i, plane), in_plane = i - batch * plane;
      const int row = int(uc_divide(in_plane, x.columns)), column = int(in_plane - int64_t(row) * x.columns);
      Accumulator const* part = x.parts + batch * x.count * plane + in_plane;
      Accumulator sum = *part;
      for (int k = 1; k < x.count; ++k) sum += part[k * plane];
      if (x.where.inside(int(batch), row, column)) element(x, sum, int(batch), row, column);
    }
  }

 private:
  template <int Index, class T>
  static CUTLASS_DEVICE T& at(Params const& x, int batch, int row, int column) {
    return *x.where.template at<T>(x.view[Index], batch, row, column);
  }
  template <int I, class T, Along A, int W>
  static CUTLASS_DEVICE auto get(Load<I, T, A, W>, Params const& x, int batch, int row, int column) {
    return uc_load(at<I, T const>(x, batch, row, column));
  }
  template <int I, class T, int W>
  static CUTLASS_DEVICE T& slot(Store<I, T, W>, Params const& x, int batch, int row, int column) {
    return at<I, T>(x, batch, row, column);
  }
  static CUTLASS_DEVICE void element(Params const& x, Accumulator sum, int batch, int row, int column) {
    Expression::at(sum, get(Loads{}, x, batch, row, column)..., slot(Stores{}, x, batch, row, column)...);
  }
};

}  // namespace uc2
#endif
