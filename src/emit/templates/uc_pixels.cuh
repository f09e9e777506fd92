// Nodes of epilogue visitor trees that find elements pixel by pixel: results and what is read beside them have their
// channels first, or are classes of a transposed convolution.
#ifndef UC_PIXELS_CUH
#define UC_PIXELS_CUH
#include "uc_im2col_shape.h"

namespace uc_pixels {

namespace fusion = cutlass::epilogue::fusion;

// A tensor of the epilogue.
template <class Element, int Rank, bool Transposed>
struct Tensor {
  Element* data;
  int64_t image, stride[Rank], channel;
  uc_pixel_walk<Rank, Transposed> walk;

  static Tensor of(uck_view const& view, uck_conv const& conv) {
    Tensor out{static_cast<Element*>(view.data), view.stride[0], {}, view.stride[4],
               uc_pixel_walk<Rank, Transposed>::of(conv)};
    for (int d = 0; d < Rank; ++d) out.stride[d] = view.stride[4 - Rank + d];
    return out;
  }
  // The first channel of a pixel; null: it lies outside.
  CUTLASS_DEVICE Element* at(int batch, int pixel) const {
    const auto place = walk.at(batch, pixel);
    int64_t offset = place.image * image;
    CUTLASS_PRAGMA_UNROLL
    for (int d = 0; d < Rank; ++d) offset += place.at[d] * stride[d];
    return place.inside ? data + offset : nullptr;
  }
};

// Where a thread's elements lie: rows are pixels, columns channels.
template <class Coordinates>
struct Places {
  Coordinates relative;
  int m, n, batch, columns;

  template <class... Args>
  static CUTLASS_DEVICE Places of(fusion::ConsumerStoreArgs<Args...> const& args) {
    const int rows = int(cute::get<0>(args.problem_shape_mnkl)), columns = int(cute::get<1>(args.problem_shape_mnkl));
    return {args.tCcD, rows - int(cute::get<0>(args.residue_tCcD)), columns - int(cute::get<1>(args.residue_tCcD)),
            int(cute::get<3>(args.tile_coord_mnkl)), columns};
  }
};

// The first channels of a thread's two rows: neighbouring accumulators lie in pairs in one row and in the other.
template <class Tensor>
struct Rows {
  decltype(Tensor::data) row[2] = {nullptr, nullptr};
  int held[2] = {-1, -1};
  CUTLASS_DEVICE decltype(Tensor::data) at(Tensor const& tensor, int batch, int i, int m) {
    const int slot = i / 2 % 2;
    if (held[slot] != m) {
      held[slot] = m;
      row[slot] = tensor.at(batch, m);
    }
    return row[slot];
  }
};

template <class Element, int Rank, bool Transposed>
struct Node {
  using Where = Tensor<Element, Rank, Transposed>;
  struct SharedStorage {};
  struct Arguments {
    uck_view view;
    uck_conv const* conv;
  };
  using Params = Where;

  template <class Problem>
  static Params to_underlying_arguments(Problem const&, Arguments const& args, void*) {
    return Where::of(args.view, *args.conv);
  }
  template <class Problem>
  static bool can_implement(Problem const&, Arguments const&) {
    return true;
  }
  template <class Problem>
  static size_t get_workspace_size(Problem const&, Arguments const&) {
    return 0;
  }
  template <class Problem>
  static cutlass::Status initialize_workspace(Problem const&, Arguments const&, void*, cudaStream_t,
                                              cutlass::CudaHostAdapter* = nullptr) {
    return cutlass::Status::kSuccess;
  }

  CUTLASS_HOST_DEVICE Node() {}
  CUTLASS_HOST_DEVICE Node(Params const& given, SharedStorage const&) : params(&given) {}
  Params const* params = nullptr;

  CUTLASS_DEVICE bool is_producer_load_needed() const { return false; }
  CUTLASS_DEVICE bool is_C_load_needed() const { return false; }
  template <class... Args>
  CUTLASS_DEVICE auto get_producer_load_callbacks(fusion::ProducerLoadArgs<Args...> const&) {
    return fusion::EmptyProducerLoadCallbacks{};
  }
};

// Pairs: two channels of a pixel are one aligned word.
template <class Element, int Rank, bool Transposed, bool Pairs>
struct Store : Node<Element, Rank, Transposed> {
  using Base = Node<Element, Rank, Transposed>;
  using Base::Base;
  using ElementAux = Element;

  template <class Coordinates>
  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    typename Base::Params const* params;
    Places<Coordinates> places;
    CUTLASS_DEVICE Callbacks(typename Base::Params const* given, Places<Coordinates> where)
        : params(given), places(where) {}

    template <class Accumulator, int N>
    CUTLASS_DEVICE void visit(cutlass::Array<Accumulator, N> const&, int epi_v, int epi_m, int epi_n,
                              cutlass::Array<Element, N> const& value) {
      auto tile = places.relative(cute::_, cute::_, cute::_, epi_m, epi_n);
      Rows<typename Base::Params> rows;
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < N; i += 2) {
        const auto first = tile(epi_v * N + i), second = tile(epi_v * N + i + 1);
        const int m[2] = {int(cute::get<0>(first)), int(cute::get<0>(second))};
        const int n[2] = {int(cute::get<1>(first)), int(cute::get<1>(second))};
        Element* row = rows.at(*params, places.batch, i, places.m + m[0]);
        if (Pairs && m[0] == m[1] && n[0] + 1 == n[1]) {
          if (row == nullptr || places.n + n[0] >= places.columns) continue;
          using Word = cutlass::AlignedArray<Element, 2>;
          Word word;
          word[0] = value[i];
          word[1] = value[i + 1];
          *reinterpret_cast<Word*>(row + places.n + n[0]) = word;
        } else {
          if (row != nullptr && places.n + n[0] < places.columns)
            row[(places.n + n[0]) * params->channel] = value[i];
          row = rows.at(*params, places.batch, i, places.m + m[1]);
          if (row != nullptr && places.n + n[1] < places.columns)
            row[(places.n + n[1]) * params->channel] = value[i + 1];
        }
      }
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    using Coordinates = decltype(args.tCcD);
    return Callbacks<Coordinates>(this->params, Places<Coordinates>::of(args));
  }
};

template <class Element, int Rank, bool Transposed>
struct Load : Node<Element, Rank, Transposed> {
  using Base = Node<Element, Rank, Transposed>;
  using Base::Base;

  template <class Coordinates>
  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    typename Base::Params const* params;
    Places<Coordinates> places;
    CUTLASS_DEVICE Callbacks(typename Base::Params const* given, Places<Coordinates> where)
        : params(given), places(where) {}

    template <class Accumulator, int N>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int epi_v, int epi_m, int epi_n) {
      auto tile = places.relative(cute::_, cute::_, cute::_, epi_m, epi_n);
      Rows<typename Base::Params> rows;
      cutlass::Array<Element, N> out;
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < N; ++i) {
        const auto at = tile(epi_v * N + i);
        const int n = places.n + int(cute::get<1>(at));
        Element const* row = rows.at(*params, places.batch, i, places.m + int(cute::get<0>(at)));
        out[i] = row != nullptr && n < places.columns ? row[n * params->channel] : Element(0);
      }
      return out;
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    using Coordinates = decltype(args.tCcD);
    return Callbacks<Coordinates>(this->params, Places<Coordinates>::of(args));
  }
};

}  // namespace uc_pixels
#endif
