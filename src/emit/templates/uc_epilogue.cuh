// Nodes of epilogue visitor trees beside CUTLASS's own: one functor that makes all that an epilogue stores, and
// what hands its parts to CUTLASS's stores and reductions.
#ifndef UC_EPILOGUE_CUH
#define UC_EPILOGUE_CUH
#include "uc_round.cuh"

namespace uc_epilogue {

namespace fusion = cutlass::epilogue::fusion;

// What Functor::of makes of the children's fragments, whatever its type.
template <class Functor> struct Compute : fusion::Sm90VisitorImpl<> {
  using fusion::Sm90VisitorImpl<>::Sm90VisitorImpl;

  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    template <class Accumulator, int N, class... Fragments>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int, int, int,
                              Fragments const&... fragments) {
      return Functor::of(fragments...);
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const&) {
    return Callbacks{};
  }
};

// Element At of what the child makes: the fragment that becomes D. ElementAux is D's type where D is void.
template <int At, class Element> struct Result : fusion::Sm90VisitorImpl<> {
  using fusion::Sm90VisitorImpl<>::Sm90VisitorImpl;
  using ElementAux = Element;

  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    template <class Accumulator, int N, class Parts>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int, int, int, Parts const& parts) {
      return cute::get<At>(parts);
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const&) {
    return Callbacks{};
  }
};

// Nothing is stored as D: all results are reductions.
template <class Element> struct Discard : fusion::Sm90VisitorImpl<> {
  using fusion::Sm90VisitorImpl<>::Sm90VisitorImpl;
  using ElementAux = Element;

  struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    template <class Accumulator, int N, class Parts>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int, int, int, Parts const&) {
      cutlass::Array<Element, N> nothing;
      nothing.clear();
      return nothing;
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const&) {
    return Callbacks{};
  }
};

// A store or reduction of CUTLASS that takes element At of what its child makes, and passes all of it on.
template <int At, class Node> struct Tap : Node {
  using Node::Node;

  template <class Inner> struct Callbacks : Inner {
    CUTLASS_DEVICE explicit Callbacks(Inner&& inner) : Inner(cute::move(inner)) {}

    template <class Accumulator, int N, class Parts>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const& accumulators, int epi_v, int epi_m, int epi_n,
                              Parts const& parts) {
      Inner::visit(accumulators, epi_v, epi_m, epi_n, cute::get<At>(parts));
      return parts;
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    auto inner = Node::template get_consumer_store_callbacks<ReferenceSrc>(args);
    return Callbacks<decltype(inner)>(cute::move(inner));
  }
};

// Where an element lies in the result as the program writes it; rows of all matrices of a batch are counted on.
struct Place {
  int64_t row;
  int32_t column;
};

// The place of every element. Transposed: the kernel's M are the program's columns.
template <bool Transposed> struct Places : fusion::Sm90VisitorImpl<> {
  using fusion::Sm90VisitorImpl<>::Sm90VisitorImpl;

  template <class Coordinates> struct Callbacks : fusion::EmptyConsumerStoreCallbacks {
    Coordinates relative;
    int m, n;
    int64_t first_row;

    CUTLASS_DEVICE Callbacks(Coordinates coordinates, int m0, int n0, int64_t row0)
        : relative(coordinates), m(m0), n(n0), first_row(row0) {}

    template <class Accumulator, int N>
    CUTLASS_DEVICE auto visit(cutlass::Array<Accumulator, N> const&, int epi_v, int epi_m, int epi_n) {
      cutlass::Array<Place, N> out;
      auto tile = relative(cute::_, cute::_, cute::_, epi_m, epi_n);
      CUTLASS_PRAGMA_UNROLL
      for (int i = 0; i < N; ++i) {
        const auto at = tile(epi_v * N + i);
        const int at_m = m + int(cute::get<0>(at));
        const int at_n = n + int(cute::get<1>(at));
        out[i] = Transposed ? Place{first_row + at_n, at_m} : Place{first_row + at_m, at_n};
      }
      return out;
    }
  };

  template <bool ReferenceSrc, class... Args>
  CUTLASS_DEVICE auto get_consumer_store_callbacks(fusion::ConsumerStoreArgs<Args...> const& args) {
    const int m = int(cute::get<0>(args.problem_shape_mnkl)) - int(cute::get<0>(args.residue_tCcD));
    const int n = int(cute::get<1>(args.problem_shape_mnkl)) - int(cute::get<1>(args.residue_tCcD));
    const int64_t rows = cute::get<Transposed ? 1 : 0>(args.problem_shape_mnkl);
    return Callbacks<decltype(args.tCcD)>(args.tCcD, m, n, rows * int(cute::get<3>(args.tile_coord_mnkl)));
  }
};

// A fragment of f32 rounded to what is stored.
template <class To, int N> CUTLASS_HOST_DEVICE cutlass::Array<To, N> rounded(cutlass::Array<float, N> const& x) {
  if constexpr (cute::is_same_v<To, cutlass::float_e4m3_t> || cute::is_same_v<To, cutlass::float_e5m2_t>) {
    cutlass::Array<To, N> out;
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < N; ++i) {
      out[i] = To::bitcast(cute::is_same_v<To, cutlass::float_e4m3_t> ? uc_e4m3_bits(x[i]) : uc_e5m2_bits(x[i]));
    }
    return out;
  } else {
    return cutlass::NumericArrayConverter<To, float, N, cutlass::FloatRoundStyle::round_to_nearest>{}(x);
  }
}

}  // namespace uc_epilogue
#endif
