// Attention for SM90: two warpgroups multiply, 64 queries each, and a third one copies keys and values into shared memory. A
// warpgroup computes the scores of the next keys while the weights of these are multiplied with their values, and the softmax
// of one runs beside the products of the other. Blocks stay: while the results of some queries are stored, the next ones are
// copied. What is computed, and in which order, is that of uc_attention.cuh.
#ifndef UC_ATTENTION_GROUPS_CUH
#define UC_ATTENTION_GROUPS_CUH
#include "uc_attention.cuh"

namespace uc_attention {

constexpr int kProducers = 128, kConsumerWarps = 8;
constexpr bool kTurns = true;

#if defined(__CUDACC__) || defined(UC_EMULATE)
// ---- barriers in shared memory: a phase is over when `count` have arrived

struct Barrier {
  uint64_t bits;
};
UC_DEVICE void begin(Barrier* x, unsigned count) {
#if defined(__CUDA_ARCH__)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(x)), "r"(count) : "memory");
#elif defined(UC_EMULATE)
  x->bits = uint64_t(count) << 40 | uint64_t(count) << 16;
#endif
}
UC_DEVICE void arrive(Barrier* x) {
#if defined(__CUDA_ARCH__)
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(x)) : "memory");
#elif defined(UC_EMULATE)
  x->bits -= 1ull << 16;  // those that are missing; the phase below, their whole number above
  if ((x->bits >> 16 & 0xffffffu) == 0) x->bits = (x->bits + 1) | (x->bits >> 40) << 16;
#endif
}
// Until the phase of this parity is over.
UC_DEVICE void wait(Barrier* x, unsigned parity) {
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra over;\nbra again;\nover:\n}" ::"r"(
          shared_address(x)),
      "r"(parity)
      : "memory");
#elif defined(UC_EMULATE)
  while ((x->bits & 1u) == parity) uc_emulate::give_way();
#endif
}
// As soon as all copies that this thread has asked for have arrived.
UC_DEVICE void arrive_after_copies(Barrier* x) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(x)) : "memory");
#elif defined(UC_EMULATE)
  arrive(x);
#endif
}
// What was copied to shared memory is seen by products, which read it another way.
UC_DEVICE void see_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
UC_DEVICE void wait_for_copies_of_others(Barrier* x, unsigned parity) {
  wait(x, parity);
  see_copies();
}

// ---- products of warpgroups

UC_DEVICE void products_begin() {
#if defined(__CUDA_ARCH__)
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
UC_DEVICE void products_end_here() {
#if defined(__CUDA_ARCH__)
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <int Last> UC_DEVICE void wait_for_products() {
#if defined(__CUDA_ARCH__)
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Last) : "memory");
#endif
}
// Warpgroups take turns at giving the tensor cores work: then the softmax of one runs while the other's products do.
UC_DEVICE void take_turn(int group) {
#if defined(__CUDA_ARCH__)
  asm volatile("bar.sync %0, 256;" ::"r"(group + 1) : "memory");
#endif
}
UC_DEVICE void give_turn(int group) {
#if defined(__CUDA_ARCH__)
  asm volatile("bar.arrive %0, 256;" ::"r"(group + 1) : "memory");
#endif
}

// The compiler moves no access to these registers over this place.
UC_DEVICE void hold(float& x) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+f"(x)::"memory");
#endif
}
UC_DEVICE void hold(uint32_t& x) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(x)::"memory");
#endif
}
template <class X, int N> UC_DEVICE void hold(X (&x)[N]) {
#pragma unroll
  for (int n = 0; n < N; ++n) hold(x[n]);
}

// What comes behind this place waits for a number, which is put where nobody reads it: without it, ptxas moves a softmax behind
// the wait for the products that it shall run beside.
UC_DEVICE void after(float x, void* unread) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(shared_address(unread)), "f"(x) : "memory");
#endif
}

// A matrix in shared memory: rows of 128 bytes, of which eight in turn have their 16-byte parts exchanged. `beside`: bytes to the
// next 64 elements of a row.
UC_DEVICE uint64_t matrix(char const* x, int beside) {
#if defined(__CUDA_ARCH__)
  return uint64_t((shared_address(x) & 0x3ffffu) >> 4) | uint64_t(beside >> 4) << 16 | uint64_t(1024 >> 4) << 32 | 1ull << 62;
#else
  return uint64_t(x - uc_emulate::shared(uc_emulate::rank())) | uint64_t(beside) << 32;
#endif
}
// The matrix that begins so many bytes further; the upper half of its description stays.
UC_DEVICE uint64_t further(uint64_t matrix, int bytes) {
#if defined(__CUDA_ARCH__)
  bytes >>= 4;
#endif
  return (matrix & 0xffffffff00000000u) | (uint32_t(matrix) + uint32_t(bytes));
}

#if defined(UC_EMULATE)
template <class Element> float element_of(uint64_t matrix, int row, int column) {
  const uint64_t at = (matrix & 0xffffffffu) + column / 64 * (matrix >> 32) + row * 128 + column % 64 * 2;
  const uint64_t base = reinterpret_cast<uint64_t>(uc_emulate::shared(uc_emulate::rank()));
  const uint64_t address = base + at;
  return uc_load(*reinterpret_cast<Element const*>(address ^ (address >> 7 & 7) << 4));
}
// D[64, N] = A[64, 16] B[N, 16]^T (+ D), of this thread.
template <class Element, int N> void scores_slowly(float (&d)[N / 8][4], uint64_t a, uint64_t b, bool add) {
  const int lane = int(threadIdx.x % 32), warp = int(threadIdx.x / 32 % 4);
  for (int n = 0; n < N / 8; ++n)
    for (int i = 0; i < 4; ++i) {
      float sum = add ? d[n][i] : 0.0f;
      for (int k = 0; k < 16; ++k)
        sum += element_of<Element>(a, warp * 16 + lane / 4 + i / 2 * 8, k) *
               element_of<Element>(b, n * 8 + lane % 4 * 2 + i % 2, k);
      d[n][i] = sum;
    }
}
// D[64, N] += A[64, 16] B[16, N], of this thread.
template <class Element, int N> void values_slowly(float (&d)[N / 8][4], uint32_t const (&a)[4], uint64_t b) {
  const int lane = int(threadIdx.x % 32);
  float row[2][16];
  for (int from = 0; from < 4; ++from)
    for (int r = 0; r < 4; ++r) {
      const uint32_t two = from_lane(a[r], lane / 4 * 4 + from);
      for (int i = 0; i < 2; ++i) {
        const uint16_t half = uint16_t(two >> (16 * i));
        Element x;
        memcpy(&x, &half, 2);
        row[r % 2][r / 2 * 8 + from * 2 + i] = uc_load(x);
      }
    }
  for (int n = 0; n < N / 8; ++n)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 16; ++k) d[n][i] += row[i / 2][k] * element_of<Element>(b, k, n * 8 + lane % 4 * 2 + i % 2);
}
#endif
#endif

// T: as for Kernel, with kRows 128, kRowTiles 1, and `Products` whose `scores` and `values` are the instructions.
template <class T> struct GroupsKernel {
  using Base = Kernel<T>;
  using Mma = typename T::Mma;
  using Element = typename Mma::Element;
  using Parameters = typename Base::Parameters;
  static_assert(sizeof(Element) == 2 && T::kRows == 128 && T::kRowTiles == 1 && T::kStages == 2, "what is written here");
  static constexpr int kThreads = kProducers + 32 * kConsumerWarps;
  static constexpr bool kStays = true;
  // Where later queries see more keys, two pieces in turn have nearly as many as any other two.
  static constexpr int kTogether = T::kCausal ? 2 : 1;
  static constexpr int kDim = Base::kDim, kValue = Base::kValue, kKeys = T::kKeys;
  static constexpr int kDimParts = (kDim + 63) / 64, kValueParts = (kValue + 63) / 64;  // of 64 features: 128 bytes a row
  static constexpr int kQ = kDimParts * T::kRows * 128, kK = kDimParts * kKeys * 128, kV = kValueParts * kKeys * 128;
  static constexpr int kBarriers = 128;
  static constexpr int kShared = 1024 + kQ + 2 * (kK + kV) + kBarriers;

#if defined(__CUDACC__) || defined(UC_EMULATE)
  struct Memory {
    char *q, *k, *v;
    Barrier* barriers;
    UC_DEVICE Barrier* loaded(int what) const { return barriers + what; }  // 0, 1: stages of keys; 2, 3: of values; 4: queries
    UC_DEVICE Barrier* free(int what) const { return barriers + kWaits + what; }
  };
  static constexpr int kWaits = 5, kQueries = 4;

  // Some queries of one head, and a slice of the values.
  struct Piece {
    Place place;
    int slice, tiles;  // of keys
  };
  static UC_DEVICE Piece piece_of(Parameters const& x, int number) {
    const int at = number / T::kSlices, one = at % x.tiles, head = at / x.tiles;
    const int block = !T::kCausal ? one : one % 2 == 0 ? x.tiles - 1 - one / 2 : one / 2;
    Piece out{{head / x.heads, head % x.heads, block * T::kRows, 0}, number % T::kSlices, 0};
    int keys = x.keys;
    if (T::kCausal && out.place.row + T::kRows < keys) keys = int(out.place.row) + T::kRows;
    out.tiles = (keys + kKeys - 1) / kKeys;
    return out;
  }
  // The pieces of this block.
  template <class Do> static UC_DEVICE void for_pieces(Parameters const& x, Do const& one) {
    for (int first = int(blockIdx.x) * kTogether; first < x.pieces; first += int(gridDim.x) * kTogether)
      for (int i = 0; i < kTogether && first + i < x.pieces; ++i) one(piece_of(x, first + i));
  }

  static UC_DEVICE void run(Parameters const& x) {
    UC_DYNAMIC_SHARED(raw);
    char* const shared = raw + (1024 - reinterpret_cast<uint64_t>(raw) % 1024) % 1024;
    const Memory memory{shared, shared + kQ, shared + kQ + 2 * kK, reinterpret_cast<Barrier*>(shared + kQ + 2 * (kK + kV))};
    if (threadIdx.x == 0) {
      for (int i = 0; i < kWaits; ++i) {
        begin(memory.loaded(i), kProducers);
        begin(memory.free(i), kConsumerWarps);
      }
#if defined(__CUDA_ARCH__)
      asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (int(threadIdx.x) >= 32 * kConsumerWarps) {
#if defined(__CUDA_ARCH__)
      asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#endif
      int before = 0, turn = 0;
      for_pieces(x, [&](Piece const& piece) {
        copy(x, memory, piece, before, turn++);
        before += piece.tiles;
      });
      copies_end_here();
      wait_for_copies<0>();
    } else {
#if defined(__CUDA_ARCH__)
      asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
#endif
      int before = 0, turn = 0;
      if (kTurns && threadIdx.x / 128 == 1) give_turn(0);
      for_pieces(x, [&](Piece const& piece) {
        multiply(x, memory, piece, before, turn++);
        before += piece.tiles;
      });
    }
  }

  // Positions `first` on, in parts of 64 features; what is not there is zero. A thread copies one part of 16 bytes of every
  // kPass-th row, so that its addresses step.
  template <int Rows, int Dim, int Padded> static UC_DEVICE void load(char* to, Operand const& from, int first, int end) {
    constexpr int kChunks = Padded / 8, kFit = kProducers / kChunks, kPass = kFit >= 16 ? 16 : kFit >= 8 ? 8 : kFit >= 4 ? 4 : 2;
    static_assert(kFit >= 2 && Rows % kPass == 0, "a pass of the producers is whole rows");
    const int thread = int(threadIdx.x) - 32 * kConsumerWarps;
    const int row = thread / kChunks, chunk = thread % kChunks;
    if (row >= kPass) return;
    const bool feature = chunk < Dim / 8;
    char* const line = to + (chunk / 8 * Rows + row) * 128;
    const int part = (chunk % 8) ^ (row % 8);
    Element const* source = static_cast<Element const*>(from.data) + (first + row) * from.position + (feature ? chunk * 8 : 0);
    if (feature && first + Rows <= end) {
#pragma unroll
      for (int pass = 0; pass < Rows / kPass; ++pass, source += kPass * from.position)
        copy_async<16>(line + pass * kPass * 128 + (part ^ pass * kPass % 8) * 16, source, true);
      return;
    }
#pragma unroll
    for (int pass = 0; pass < Rows / kPass; ++pass, source += kPass * from.position) {
      const bool there = feature && first + row + pass * kPass < end;
      copy_async<16>(line + pass * kPass * 128 + (part ^ pass * kPass % 8) * 16,
                     there ? source : static_cast<Element const*>(from.data), there);
    }
  }

  // `before`: tiles of keys that the block has had; `turn`: pieces.
  static UC_DEVICE void copy(Parameters const& x, Memory const& memory, Piece const& piece, int before, int turn) {
    Place const& place = piece.place;
    const int64_t kv_head = place.head / x.group;
    Operand query = x.q, key = x.k, value = x.v;
    query.data = static_cast<Element const*>(x.q.data) + place.batch * x.q.batch + place.head * x.q.head;
    key.data = static_cast<Element const*>(x.k.data) + place.batch * x.k.batch + kv_head * x.k.head;
    value.data = static_cast<Element const*>(x.v.data) + place.batch * x.v.batch + kv_head * x.v.head +
                 piece.slice * T::kValueDim * x.v.feature;
    for (int tile = 0; tile < piece.tiles; ++tile) {
      const int stage = (before + tile) & 1;
      const unsigned parity = unsigned((before + tile) / 2 + 1) & 1u;
      wait(memory.free(stage), parity);
      load<kKeys, T::kHeadDim, kDim>(memory.k + stage * kK, key, tile * kKeys, x.keys);
      arrive_after_copies(memory.loaded(stage));
      if (tile == 0) {  // behind the keys: the queries before are multiplied longer
        wait(memory.free(kQueries), unsigned(turn + 1) & 1u);
        load<T::kRows, T::kHeadDim, kDim>(memory.q, query, int(place.row), x.queries);
        arrive_after_copies(memory.loaded(kQueries));
      }
      wait(memory.free(2 + stage), parity);
      load<kKeys, T::kValueDim, kValue>(memory.v + stage * kV, value, tile * kKeys, x.keys);
      arrive_after_copies(memory.loaded(2 + stage));
    }
  }

  using Scores = float[kKeys / 8][4];
  using Weights = uint32_t[kKeys / 16][4];

  static UC_DEVICE void begin_scores(Scores& scores, uint64_t q, uint64_t k) {
    products_begin();
#pragma unroll
    for (int step = 0; step < kDim / 16; ++step)
      T::Products::scores(scores, further(q, step / 4 * T::kRows * 128 + step % 4 * 32),
                          further(k, step / 4 * kKeys * 128 + step % 4 * 32), step != 0);
    products_end_here();
  }

  static UC_DEVICE void begin_values(typename Base::State& state, Weights& weights, uint64_t v) {
    products_begin();
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) T::Products::values(state.sum[0], weights[step], further(v, step * 16 * 128));
    products_end_here();
  }

  static UC_DEVICE void pack(Weights& weights, Scores const& scores) {
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float const* const two = &scores[step * 2 + i / 2][i % 2 * 2];
        weights[step][i] = Mma::pack(two[0], two[1]);
      }
  }

  static UC_DEVICE void leave(Barrier* x) {
    if (threadIdx.x % 32 == 0) arrive(x);
  }

  static UC_DEVICE void multiply(Parameters const& x, Memory const& memory, Piece const& piece, int before, int turn) {
    typename Base::State state;
    Base::begin(state);
    Place place = piece.place;
    place.row += int(threadIdx.x) / 32 * 16;
    float scores[1][kKeys / 8][4];
    Weights weights;
    float again[1][2];
    const int group = int(threadIdx.x) / 128, tiles = piece.tiles;
    const uint64_t q = matrix(memory.q + group * 64 * 128, 0), k = matrix(memory.k, 0), v = matrix(memory.v, kKeys * 128);
    if (tiles > 0) {
      const int stage = before & 1;
      wait_for_copies_of_others(memory.loaded(kQueries), unsigned(turn) & 1u);
      wait_for_copies_of_others(memory.loaded(stage), unsigned(before / 2) & 1u);
      begin_scores(scores[0], q, further(k, stage * kK));
      wait_for_products<0>();
      hold(scores);
      leave(memory.free(stage));
      Base::weigh(x, place, scores);
      if (T::kSoftmax) Base::soften(state, scores, again);
      pack(weights, scores[0]);
    }
    for (int tile = 1; tile < tiles; ++tile) {
      const int stage = (before + tile) & 1, last = stage ^ 1;
      wait_for_copies_of_others(memory.loaded(stage), unsigned((before + tile) / 2) & 1u);
      if (kTurns) take_turn(group);
      hold(scores);
      begin_scores(scores[0], q, further(k, stage * kK));
      wait_for_copies_of_others(memory.loaded(2 + last), unsigned((before + tile - 1) / 2) & 1u);
      hold(state.sum);
      hold(weights);
      begin_values(state, weights, further(v, last * kV));
      if (kTurns) give_turn(group ^ 1);
      wait_for_products<1>();
      hold(scores);
      leave(memory.free(stage));
      place.column = tile * kKeys;
      Base::weigh(x, place, scores);
      if (T::kSoftmax) {
        Base::soften(state, scores, again);
        after(state.total[0][0] + state.total[0][1], memory.barriers + 2 * kWaits);
      }
      wait_for_products<0>();
      hold(state.sum);
      hold(weights);
      leave(memory.free(2 + last));
      if (T::kSoftmax) Base::rescale(state, again);
      pack(weights, scores[0]);
    }
    if (tiles > 0) {
      leave(memory.free(kQueries));
      const int last = (before + tiles - 1) & 1;
      wait_for_copies_of_others(memory.loaded(2 + last), unsigned((before + tiles - 1) / 2) & 1u);
      hold(state.sum);
      hold(weights);
      begin_values(state, weights, further(v, last * kV));
      wait_for_products<0>();
      hold(state.sum);
      leave(memory.free(2 + last));
    }
    Base::store(x, place, piece.slice * T::kValueDim, state);
  }
#endif
};

}  // namespace uc_attention
#endif
