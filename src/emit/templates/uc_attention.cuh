// Attention in one pass over the keys: a block holds some queries of one head and the sums of their results in registers, and
// goes over tiles of keys and values, which are copied into shared memory while the tile before is multiplied. The softmax is
// online: sums are rescaled when a larger score is met. The order of all sums depends on sizes alone.
#ifndef UC_ATTENTION_CUH
#define UC_ATTENTION_CUH
#include "uc_attention_mma.cuh"

#if defined(UC_EMULATE)
#define UC_DYNAMIC_SHARED(name) char* name = uc_emulate::shared(uc_emulate::rank())
#else
#define UC_DYNAMIC_SHARED(name) extern __shared__ __align__(128) char name[]
#endif

namespace uc_attention {

// q, k or v: [batch, heads, positions, features]; strides in elements.
struct Operand {
  void const* data;
  int64_t batch, head, position, feature;
};

// An element of the scores (`column` a key) or of the result (a feature).
struct Place {
  int64_t batch, head, row, column;
};

// What score and epilogue read and write: [batch, heads, queries, keys or features]. `Along`: bit d is set where elements
// differ along dimension d.
struct View {
  void* data;
  int64_t stride[4];
  template <class T, int Along> UC_FN T* at(Place const& x) const {
    int64_t offset = 0;
    if (Along & 1) offset += x.batch * stride[0];
    if (Along & 2) offset += x.head * stride[1];
    if (Along & 4) offset += x.row * stride[2];
    if (Along & 8) offset += x.column * stride[3];
    return static_cast<T*>(data) + offset;
  }
};

template <int Views> struct Params {
  Operand q, k, v;
  View view[Views];
  int heads, group;  // query heads, and how many share keys and values
  int queries, keys, tiles;  // tiles of queries
  int pieces;                // of all heads and slices
};

constexpr float kLog2e = 1.44269504088896340736f;
constexpr int kPad = 16;  // bytes behind each row in shared memory: rows are odd multiples of 16 bytes, so that eight meet no bank twice

// T: what is multiplied (Mma), features of heads (kHeadDim), of values that a block has (kValueDim) of kSlices, the tile (kRows queries, kKeys keys),
// kRowTiles of 16 queries a warp, kStages, bytes of a copy of q, k and v (kQBytes...; 0: element by element), kCausal,
// kSoftmax, kScale, kPlain (the score is the scaled product, and the scale positive), kMasked, kViews, and the expressions
// score, seen and store.
template <class T> struct Kernel {
  using Mma = typename T::Mma;
  using Element = typename Mma::Element;
  static constexpr int kSize = sizeof(Element);
  static constexpr int kDim = (T::kHeadDim + 15) / 16 * 16, kValue = (T::kValueDim + 15) / 16 * 16;
  static constexpr int kPitchK = kDim * kSize + kPad, kPitchV = kValue * kSize + kPad;
  static constexpr int kRowTiles = T::kRowTiles, kStages = T::kStages;
  static constexpr int kWarps = T::kRows / (16 * kRowTiles), kThreads = 32 * kWarps;
  static constexpr int kTogether = 1;       // pieces in turn
  static constexpr bool kStays = false;     // a block has one piece, however many there are
  static constexpr int kQ = T::kRows * kPitchK, kK = T::kKeys * kPitchK, kV = T::kKeys * kPitchV;
  static constexpr int kShared = kQ + kStages * (kK + kV);
  static constexpr int kScoreTiles = T::kKeys / 8, kValueTiles = kValue / 8;
  using Parameters = Params<T::kViews>;

#if defined(__CUDACC__) || defined(UC_EMULATE)
  struct State {
    float sum[kRowTiles][kValueTiles][4];
    float most[kRowTiles][2], total[kRowTiles][2];
  };
  using Scores = float[kRowTiles][kScoreTiles][4];

  static UC_DEVICE void run(Parameters const& x) {
    UC_DYNAMIC_SHARED(shared);
    const int slice = T::kSlices == 1 ? 0 : int(blockIdx.x) % T::kSlices;
    const int number = int(blockIdx.x) / T::kSlices;
    const int block = number % x.tiles, at = number / x.tiles;
    Place place{at / x.heads, at % x.heads, 0, 0};
    // Blocks with most keys begin first.
    const int first = (T::kCausal ? x.tiles - 1 - block : block) * T::kRows;
    int keys = x.keys;
    if (T::kCausal && first + T::kRows < keys) keys = first + T::kRows;
    char* const q = shared;
    char* const k = q + kQ;
    char* const v = k + kStages * kK;
    const int64_t kv_head = place.head / x.group;
    Operand key = x.k, value = x.v;
    key.data = static_cast<Element const*>(x.k.data) + place.batch * x.k.batch + kv_head * x.k.head;
    value.data = static_cast<Element const*>(x.v.data) + place.batch * x.v.batch + kv_head * x.v.head + slice * T::kValueDim * x.v.feature;
    Operand query = x.q;
    query.data = static_cast<Element const*>(x.q.data) + place.batch * x.q.batch + place.head * x.q.head;

    clear_pad<T::kRows, T::kHeadDim, kDim, kPitchK>(q);
    clear_pad<kStages * T::kKeys, T::kHeadDim, kDim, kPitchK>(k);
    load<T::kRows, T::kHeadDim, kPitchK, T::kQBytes>(q, query, first, x.queries);
    load<T::kKeys, T::kHeadDim, kPitchK, T::kKBytes>(k, key, 0, x.keys);
    copies_end_here();
    load<T::kKeys, T::kValueDim, kPitchV, T::kVBytes>(v, value, 0, x.keys);
    copies_end_here();

    State state;
    begin(state);
    const int warp_row = int(threadIdx.x) / 32 * 16 * kRowTiles;
    const int tiles = (keys + T::kKeys - 1) / T::kKeys;
    for (int tile = 0; tile < tiles; ++tile) {
      const int next = (tile + 1) * T::kKeys;
      const int stage = kStages == 2 ? tile & 1 : 0, other = kStages == 2 ? stage ^ 1 : 0;
      wait_for_copies<1>();
      __syncthreads();
      if (kStages == 2) {
        if (tile + 1 < tiles) load<T::kKeys, T::kHeadDim, kPitchK, T::kKBytes>(k + other * kK, key, next, x.keys);
        copies_end_here();
      }
      Scores scores;
      multiply_keys(scores, q + warp_row * kPitchK, k + stage * kK);
      if (kStages == 1) {
        __syncthreads();
        if (tile + 1 < tiles) load<T::kKeys, T::kHeadDim, kPitchK, T::kKBytes>(k, key, next, x.keys);
        copies_end_here();
      }
      place.row = first + warp_row;
      place.column = tile * T::kKeys;
      weigh(x, place, scores);
      float again[kRowTiles][2];
      if (T::kSoftmax) {
        soften(state, scores, again);
        rescale(state, again);
      }
      wait_for_copies<1>();
      __syncthreads();
      if (kStages == 2) {
        if (tile + 1 < tiles) load<T::kKeys, T::kValueDim, kPitchV, T::kVBytes>(v + other * kV, value, next, x.keys);
        copies_end_here();
      }
      multiply_values(state, scores, v + stage * kV);
      if (kStages == 1) {
        __syncthreads();
        if (tile + 1 < tiles) load<T::kKeys, T::kValueDim, kPitchV, T::kVBytes>(v, value, next, x.keys);
        copies_end_here();
      }
    }
    wait_for_copies<0>();
    place.row = first + warp_row;
    store(x, place, slice * T::kValueDim, state);
  }

  // Features that heads do not have are zero; nothing is ever copied there.
  template <int Rows, int Dim, int Padded, int Pitch> static UC_DEVICE void clear_pad(char* to) {
    if constexpr (Padded != Dim) {
      constexpr int kMore = Padded - Dim;
      for (int i = int(threadIdx.x); i < Rows * kMore; i += kThreads)
        reinterpret_cast<Element*>(to + i / kMore * Pitch)[Dim + i % kMore] = Element(0.0f);
    }
  }

  // Positions `first` on; those from `end` on are zero.
  template <int Rows, int Dim, int Pitch, int Bytes>
  static UC_DEVICE void load(char* to, Operand const& from, int first, int end) {
    const Element* const data = static_cast<Element const*>(from.data);
    if constexpr (Bytes == 0) {
      for (int i = int(threadIdx.x); i < Rows * Dim; i += kThreads) {
        const int row = i / Dim, column = i % Dim;
        const bool there = first + row < end;
        reinterpret_cast<Element*>(to + row * Pitch)[column] =
            there ? data[(first + row) * from.position + column * from.feature] : Element(0.0f);
      }
    } else {
      constexpr int kChunks = Dim * kSize / Bytes, kAll = Rows * kChunks;
      if constexpr (kChunks <= kThreads) {  // a thread copies the same part of every few rows
        constexpr int kStep = kThreads / kChunks;
        const int row = int(threadIdx.x) / kChunks, chunk = int(threadIdx.x) % kChunks;
        if (kThreads % kChunks != 0 && row >= kStep) return;
        const Element* at = data + (first + row) * from.position + chunk * (Bytes / kSize);
        char* into = to + row * Pitch + chunk * Bytes;
        const int64_t step = kStep * from.position;
        const int left = end - first - row;
#pragma unroll
        for (int i = 0; i < (Rows + kStep - 1) / kStep; ++i) {
          if (Rows % kStep != 0 && row + i * kStep >= Rows) break;
          copy_async<Bytes>(into + i * kStep * Pitch, at, i * kStep < left);
          at += step;
        }
        return;
      }
#pragma unroll
      for (int i = 0; i < (kAll + kThreads - 1) / kThreads; ++i) {
        const int at = i * kThreads + int(threadIdx.x);
        if (kAll % kThreads != 0 && at >= kAll) break;
        const int row = at / kChunks, chunk = at % kChunks;
        const bool there = first + row < end;
        const int64_t position = there ? first + row : 0;
        copy_async<Bytes>(to + row * Pitch + chunk * Bytes,
                          data + position * from.position + chunk * (Bytes / kSize), there);
      }
    }
  }

  static UC_DEVICE void begin(State& state) {
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int n = 0; n < kValueTiles; ++n)
        for (int i = 0; i < 4; ++i) state.sum[m][n][i] = 0.0f;
      for (int i = 0; i < 2; ++i) {
        state.most[m][i] = -INFINITY;
        state.total[m][i] = 0.0f;
      }
    }
  }

  // Products of the warp's queries with the tile's keys.
  static UC_DEVICE void multiply_keys(Scores& scores, char const* q, char const* k) {
    const int lane = int(threadIdx.x) % 32;
    char const* const rows = q + (lane & 15) * kPitchK + (lane >> 4) * 16;
    char const* const columns = k + ((lane & 7) + (lane >> 4) * 8) * kPitchK + ((lane >> 3) & 1) * 16;
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m)
#pragma unroll
      for (int n = 0; n < kScoreTiles; ++n)
        for (int i = 0; i < 4; ++i) scores[m][n][i] = 0.0f;
#pragma unroll
    for (int step = 0; step < kDim / Mma::kStep; ++step) {
      Fragment<Mma, 4> a[kRowTiles];
#pragma unroll
      for (int m = 0; m < kRowTiles; ++m) {
        uint32_t four[4];
        load_matrices<false>(four, rows + m * 16 * kPitchK + step * 32);
        for (int i = 0; i < 4; ++i) a[m].set(i, four[i]);
      }
#pragma unroll
      for (int n = 0; n < kScoreTiles; n += 2) {
        uint32_t four[4];
        load_matrices<false>(four, columns + n * 8 * kPitchK + step * 32);
        Fragment<Mma, 2> b[2];
        for (int i = 0; i < 4; ++i) b[i / 2].set(i % 2, four[i]);
#pragma unroll
        for (int m = 0; m < kRowTiles; ++m) {
          multiply<Mma>(scores[m][n], a[m], b[0]);
          multiply<Mma>(scores[m][n + 1], a[m], b[1]);
        }
      }
    }
  }

  // The score, and what is hidden: -inf before a softmax, else 0. `place` is the warp's first element.
  static UC_DEVICE void weigh(Parameters const& x, Place const& place, Scores& scores) {
    const bool whole = place.column + T::kKeys <= x.keys && !T::kMasked &&
                       (!T::kCausal || place.column + T::kKeys - 1 <= place.row);
    if (T::kPlain && T::kSoftmax && whole) return;
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int n = 0; n < kScoreTiles; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = int(place.row) + m * 16 + lane / 4 + i / 2 * 8;
          const int column = int(place.column) + n * 8 + lane % 4 * 2 + i % 2;
          // Beyond the ends there is nothing to read: the last one stands for them.
          const Place at{place.batch, place.head, row < x.queries ? row : x.queries - 1,
                         column < x.keys ? column : x.keys - 1};
          float& score = scores[m][n][i];
          if (!(T::kPlain && T::kSoftmax)) score = T::score(x.view, at, score * T::kScale);
          bool seen = column < x.keys;
          if (T::kCausal) seen = seen && column <= row;
          if constexpr (T::kMasked) seen = seen && T::seen(x.view, at);
          score = seen ? score : T::kSoftmax ? -INFINITY : 0.0f;
        }
      }
    }
  }

  // Exponentials of the scores; sums so far are to be rescaled by `again`.
  static UC_DEVICE void soften(State& state, Scores& scores, float (&again)[kRowTiles][2]) {
    constexpr float kFactor = T::kPlain ? T::kScale * kLog2e : kLog2e;
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float most = state.most[m][h];
#pragma unroll
        for (int n = 0; n < kScoreTiles; ++n) most = fmaxf(most, fmaxf(scores[m][n][2 * h], scores[m][n][2 * h + 1]));
        most = fmaxf(most, from_lane_xor(most, 1));
        most = fmaxf(most, from_lane_xor(most, 2));
        const float base = (most == -INFINITY ? 0.0f : most) * kFactor;
        again[m][h] = uc_ex2(state.most[m][h] * kFactor - base);
        state.most[m][h] = most;
        float total = 0.0f;
#pragma unroll
        for (int n = 0; n < kScoreTiles; ++n) {
#pragma unroll
          for (int i = 2 * h; i < 2 * h + 2; ++i) {
            scores[m][n][i] = uc_ex2(fmaf(scores[m][n][i], kFactor, -base));
            total += scores[m][n][i];
          }
        }
        state.total[m][h] = state.total[m][h] * again[m][h] + total;
      }
    }
  }

  static UC_DEVICE void rescale(State& state, float const (&again)[kRowTiles][2]) {
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int n = 0; n < kValueTiles; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) state.sum[m][n][i] *= again[m][i / 2];
      }
    }
  }

  // Sums of products of the weights with the tile's values.
  static UC_DEVICE void multiply_values(State& state, Scores const& scores, char const* v) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int step = 0; step < T::kKeys / Mma::kStep; ++step) {
      Fragment<Mma, 4> a[kRowTiles];
#pragma unroll
      for (int m = 0; m < kRowTiles; ++m) weights(a[m], scores[m], step);
      if constexpr (kSize == 2) {
        char const* const rows = v + (step * 16 + (lane & 15)) * kPitchV + (lane >> 4) * 16;
#pragma unroll
        for (int n = 0; n < kValueTiles; n += 2) {
          uint32_t four[4];
          load_matrices<true>(four, rows + n * 16);
          Fragment<Mma, 2> b[2];
          for (int i = 0; i < 4; ++i) b[i / 2].set(i % 2, four[i]);
#pragma unroll
          for (int m = 0; m < kRowTiles; ++m) {
            multiply<Mma>(state.sum[m][n], a[m], b[0]);
            multiply<Mma>(state.sum[m][n + 1], a[m], b[1]);
          }
        }
      } else {
        // Keys of a step are taken in the order in which a thread has them: 0 2 4 6, then 1 3 5 7.
        char const* const rows = v + (step * 8 + lane % 4 * 2) * kPitchV + lane / 4 * kSize;
#pragma unroll
        for (int n = 0; n < kValueTiles; ++n) {
          Fragment<Mma, 2> b;
          for (int i = 0; i < 2; ++i)
            b.set(i, *reinterpret_cast<uint32_t const*>(rows + i * kPitchV + n * 8 * kSize));
#pragma unroll
          for (int m = 0; m < kRowTiles; ++m) multiply<Mma>(state.sum[m][n], a[m], b);
        }
      }
    }
  }

  static UC_DEVICE void weights(Fragment<Mma, 4>& a, float const (&scores)[kScoreTiles][4], int step) {
    if constexpr (kSize == 2) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float const* const two = &scores[step * 2 + i / 2][i % 2 * 2];
        a.set(i, Mma::pack(two[0], two[1]));
      }
    } else {
      a.set(0, as_bits(scores[step][0]));
      a.set(1, as_bits(scores[step][2]));
      a.set(2, as_bits(scores[step][1]));
      a.set(3, as_bits(scores[step][3]));
    }
  }

  static UC_DEVICE void store(Parameters const& x, Place place, int first_column, State& state) {
    const int lane = int(threadIdx.x) % 32;
    const int64_t first = place.row;
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float factor = 1.0f;
        if (T::kSoftmax) {
          float total = state.total[m][h];
          total += from_lane_xor(total, 1);
          total += from_lane_xor(total, 2);
          factor = total == 0.0f ? 0.0f : 1.0f / total;
        }
        place.row = first + m * 16 + lane / 4 + h * 8;
        if (place.row >= x.queries) continue;
#pragma unroll
        for (int n = 0; n < kValueTiles; ++n) {
          const int column = n * 8 + lane % 4 * 2;
          place.column = first_column + column;
          float const* const two = &state.sum[m][n][2 * h];
          if (column < T::kValueDim)
            T::store(x.view, place, two[0] * factor, two[1] * factor, column + 1 < T::kValueDim);
        }
      }
    }
  }
#endif
};

}  // namespace uc_attention
#endif
