// One scalar expression at elements of a contraction's result, for kernels of our own whose sums are in registers: tensors
// are read and written through strides of their own, up to four neighbours in a row at once.
#ifndef UC_ELEMENT_CUH
#define UC_ELEMENT_CUH
#include "uc_round.cuh"

namespace uc_element {

constexpr int kColumns = 4;  // neighbours along N that a thread handles at once, at most

// A tensor of shape [L, M, N]; strides in elements.
struct View {
  void* data;
  int64_t l, m, n;
  template <class T> UC_FN T* at(int64_t batch, int64_t row, int64_t column) const {
    return static_cast<T*>(data) + batch * l + row * m + column * n;
  }
};

// An element of the result, and where that ends.
struct Place {
  int64_t batch;
  int32_t m, n, rows, columns;
  // Rows are counted on from matrix to matrix: those of the result, and those of its transpose.
  UC_FN int64_t row() const { return batch * rows + m; }
  UC_FN int64_t transposed_row() const { return batch * columns + n; }
};

template <class... T> struct List {};

// A tensor that the expression reads, W neighbours at once; W is 0 where all columns have one element.
template <int Index_, class T, int W> struct Load {
  static constexpr int Index = Index_;
  struct Held {
    decltype(uc_load(T())) value[kColumns] = {};
    UC_FN void read(View const& view, Place const& place) {
      if constexpr (W == 0) {
        value[0] = uc_load(*view.at<T const>(place.batch, place.m, 0));
      } else {
        for (int i = 0; i < kColumns; i += W) {
          if (place.n + i >= place.columns) continue;
          const auto pack =
              *reinterpret_cast<uc_pack<T, W> const*>(view.at<T const>(place.batch, place.m, place.n + i));
          for (int k = 0; k < W; ++k) value[i + k] = uc_load(pack.at[k]);
        }
      }
    }
    UC_FN auto get(int i) const { return value[W == 0 ? 0 : i]; }
  };
  static UC_FN auto one(View const& view, Place const& place) {
    return uc_load(*view.at<T const>(place.batch, place.m, place.n));
  }
};

// A tensor that is written, W neighbours at once.
template <int Index_, class T, int W> struct Store {
  static constexpr int Index = Index_;
  struct Held {
    T value[kColumns] = {};
    UC_FN void write(View const& view, Place const& place) const {
      for (int i = 0; i < kColumns; i += W) {
        if (place.n + i >= place.columns) continue;
        uc_pack<T, W> pack;
        for (int k = 0; k < W; ++k) pack.at[k] = value[i + k];
        *reinterpret_cast<uc_pack<T, W>*>(view.at<T>(place.batch, place.m, place.n + i)) = pack;
      }
    }
  };
  static UC_FN T& one(View const& view, Place const& place) {
    return *view.at<T>(place.batch, place.m, place.n);
  }
};

// How elements that meet are combined, and what changes nothing.
struct Plus {
  static UC_FN float none() { return 0.0f; }
  static UC_FN float of(float a, float b) { return a + b; }
};
struct Largest {
  static UC_FN float none() { return -INFINITY; }
  static UC_FN float of(float a, float b) { return uc_maximum(a, b); }
};
struct Least {
  static UC_FN float none() { return INFINITY; }
  static UC_FN float of(float a, float b) { return uc_minimum(a, b); }
};

// A vector that what meets is combined into: along N it collects rows, else columns; of all batches or of each.
template <int Index_, class T, class How_, bool AlongN_, bool AllBatches_> struct Combined {
  static constexpr int Index = Index_;
  static constexpr bool AlongN = AlongN_, AllBatches = AllBatches_;
  using How = How_;
  using Element = T;
  struct Held {
    float value[kColumns] = {};    // of the element at hand
    float gathered[kColumns];      // along N: of all rows so far
    UC_FN Held() {
      for (int i = 0; i < kColumns; ++i) gathered[i] = How::none();
    }
    UC_FN void gather(int columns) {
      for (int i = 0; i < columns; ++i) gathered[i] = How::of(gathered[i], value[i]);
    }
    UC_FN float across(int columns) const {
      float out = How::none();
      for (int i = 0; i < columns; ++i) out = How::of(out, value[i]);
      return out;
    }
  };
};

template <class Node> struct Leaf {
  typename Node::Held held;
};
template <class... Nodes> struct Leaves : Leaf<Nodes>... {};

// A launch that may start before the one before it has ended waits here until that one's memory can be read.
UC_FN void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace uc_element
#endif
