#pragma once
// Why: what a step becomes. Operators are an open set; kernel kinds are this closed one, so a switch over
// kinds is allowed (std::visit), a switch over operators is not. Kernels hold sizes; generated code takes
// sizes at run time.
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "ir/program.h"
#include "ir/scalar.h"

namespace uc {

/// How the multiplier treats its operands.
enum class Math : uint8_t { automatic, f32, tf32, tf32x3, f16x3, f16, bf16, f8, i8, f64 };
std::string_view name(Math math);
std::optional<Math> parse_math(std::string_view text);

/// What structure promises of a matrix: row i holds zeros but from column i on, or but up to column i.
struct Band {
  bool from_diagonal = false;
  bool to_diagonal = false;
  bool any() const { return from_diagonal || to_diagonal; }
  Band transposed() const { return {to_diagonal, from_diagonal}; }
};

/// D[l, m, n] = epilogue(sum_k A[l, m, k] * B[l, n, k]). Views are normalised: a is [L, M, K], b is [L, N,
/// K], every view of the epilogue [L, M, N]; L is 1 without batch, its stride 0 where broadcast. Accumulates
/// in f32 (f64 for f64).
struct Contraction {
  View a;
  View b;
  Math math = Math::automatic;
  DType accumulate = DType::f32;
  Scalar epilogue;  ///< Node::running is the accumulator
  /// Consecutive columns that meet in the epilogue's nodes `across`, counted from column 0: a row, or a group
  /// of it. 0: there are none.
  int64_t meet = 0;
  /// Computes the transpose of what the program writes, because that is how the result lies in memory: `a` is
  /// the program's second operand, M its columns.
  bool transposed = false;
  Band a_band;  ///< of A as [M, K]
  Band b_band;  ///< of B as [N, K]
  Band d_band;  ///< of [M, N]: the epilogue uses no sum outside of it
  /// Of a grouped product, int [G]: rows from ends[g - 1] (0 before the first) up to ends[g] meet matrix g of
  /// b, which is [G, N, K] beside a of [1, M, K]. Rows of no group have sums of 0.
  std::optional<View> ends;
  /// Factors of f8 operands, [L or 1, M / rows, K / columns] of blocks of rows x columns elements of A, and
  /// so of B. After lowering only those that differ along K, of both operands or none: others are in the
  /// epilogue.
  std::optional<View> a_scale = {}, b_scale = {};
  int64_t batch() const { return a.shape[0]; }
  int64_t groups() const { return ends ? b.shape[0] : 0; }
  int64_t m() const { return a.shape[1]; }
  int64_t n() const { return b.shape[1]; }
  int64_t k() const { return a.shape[2]; }
};

/// Independent elementwise bodies in one launch: `a, b = to(x, y, f16)` has two. Each body's views share its
/// domain.
struct Map {
  struct Body {
    Shape domain;
    Scalar scalar;
  };
  std::vector<Body> bodies;
};

/// Elements of `domain` that differ only in the dimensions `meet` are a row. `body` may combine what meets
/// (Node::Kind::across), once or again of what was combined: a reduction, a normalisation, a loss. Views have
/// the domain's shape; an effect whose view has stride 0 along all that meets is stored once a row, and its
/// node is the same along the row.
struct Rows {
  Shape domain;
  std::vector<size_t> meet;  ///< ascending; may be all dimensions
  Scalar body;
  int64_t length() const;  ///< elements of a row
  int64_t count() const;   ///< rows
};

/// D[n, y..., k] = epilogue(sum over a window and the channels of a group of X * W): x is [N, spatial..., C],
/// w [K, filter..., C / groups] (transposed: [C, filter..., K / groups]), every view of the epilogue [N,
/// out..., K], whatever their strides. One to three spatial dimensions; lists have one number each.
struct Convolution {
  View x;
  View w;
  std::vector<int64_t> stride, padding, dilation;
  std::vector<int64_t> output_padding;  ///< of a transposed one, else zeros
  int64_t groups = 1;
  bool transposed = false;
  Math math = Math::automatic;
  DType accumulate = DType::f32;
  Scalar epilogue;  ///< Node::running is the accumulator
  Shape out;        ///< [N, out..., K]
};

/// O[b, h, i, e] = epilogue(sum over keys j of w[b, h, i, j] * V[b, h', j, e]), where w comes of the products
/// s[b, h, i, j] = scale * sum_e Q[b, h, i, e] * K[b, h', j, e] and h' = h / (heads of q / heads of k and v):
/// `weight` with s as the running value, then softmax over the keys that are seen, or zero where they are
/// not. Views are [batch, heads, positions, features]. Accumulates in f32.
struct Attention {
  View q, k, v;
  Math math = Math::automatic;
  double scale = 1;
  bool causal = false;  ///< query i sees keys 0 to i
  bool softmax = true;  ///< false: weights are the scores
  Scalar score;         ///< over [batch, heads, queries, keys]; Node::running is s; stores nothing
  NodeId weight;        ///< of `score`
  NodeId seen;          ///< of `score`, not zero where a query sees a key; none: everywhere
  Scalar epilogue;      ///< over [batch, heads, queries, features of v]
  bool bshd = false;    ///< coordinates of the epilogue count positions before heads
  int64_t batch() const { return q.shape[0]; }
  int64_t heads() const { return q.shape[1]; }
  int64_t kv_heads() const { return k.shape[1]; }
  int64_t queries() const { return q.shape[2]; }
  int64_t keys() const { return k.shape[2]; }
  int64_t head_dim() const { return q.shape[3]; }
  int64_t value_dim() const { return v.shape[3]; }
};

using Kernel = std::variant<Contraction, Map, Rows, Convolution, Attention>;

/// The index of a kind among those of Kernel: what BackendSpec::kind says.
template <class Kind>
constexpr size_t kernel_kind() {
  return []<class... All>(const std::variant<All...>*) {
    size_t at = 0;
    bool found = false;
    ((found = found || std::is_same_v<All, Kind>, at += found ? 0 : 1), ...);
    return at;
  }(static_cast<const Kernel*>(nullptr));
}

/// Every view that a kernel reads or writes, its operands first.
std::vector<const View*> views_of(const Kernel& kernel);

/// Knobs of a contraction or convolution, resolved. Zero or automatic: not chosen yet.
struct ContractionConfig {
  enum class Schedule : uint8_t { automatic, pingpong, cooperative, warp_specialized, multistage };
  enum class Raster : uint8_t { automatic, along_m, along_n };
  enum class Scheduler : uint8_t { automatic, persistent, stream_k, split_k };
  enum class Algorithm : uint8_t { automatic, implicit_gemm, direct };
  std::string backend = "auto";                ///< BackendSpec::id's first part: "cutlass3"
  int64_t tile_m = 0, tile_n = 0, tile_k = 0;  ///< elements
  int64_t cluster_m = 0, cluster_n = 0;        ///< blocks
  int64_t stages = 0;                          ///< 0: as many as fit
  Schedule schedule = Schedule::automatic;
  Raster raster = Raster::automatic;
  int64_t swizzle = 0;  ///< most tiles grouped in raster order: 1, 2, 4, 8; 0 automatic
  Scheduler scheduler = Scheduler::automatic;  ///< how tiles, or parts of K, are given to blocks
  int64_t split = 0;                           ///< parts of K, for split_k; 0 automatic
  int64_t epilogue_m = 0, epilogue_n = 0;  ///< elements of D that the epilogue handles at once; 0 automatic
  int64_t align = 0;  ///< bytes that A, B, C and D are aligned to; 0: as much as sizes and strides allow
  bool skip_zeros = false;  ///< tiles of K that are zero by an operand's structure are left out
  bool overlap = false;     ///< may start before the launch before it ends (programmatic dependent launch)
  /// f8: sums stay in the tensor core for all of K, with fewer bits than f32, instead of being added up in
  /// registers every few instructions.
  bool fast_accumulate = false;
  Algorithm algorithm = Algorithm::automatic;  ///< of a convolution
  friend bool operator==(const ContractionConfig&, const ContractionConfig&) = default;
};
std::string_view name(ContractionConfig::Schedule schedule);
std::string_view name(ContractionConfig::Raster raster);
std::string_view name(ContractionConfig::Scheduler scheduler);
std::string_view name(ContractionConfig::Algorithm algorithm);

/// Knobs of a pointwise launch, resolved.
struct MapConfig {
  int64_t vector = 0;   ///< elements a thread handles at once along the fastest dimension; 0 automatic
  int64_t threads = 0;  ///< a block; 0 automatic
  friend bool operator==(const MapConfig&, const MapConfig&) = default;
};

/// Knobs of a launch over rows, resolved. Zero: not chosen yet.
struct RowsConfig {
  int64_t passes = 0;          ///< times that the input is read; 1: the row stays on the chip
  int64_t threads = 0;         ///< a block
  int64_t rows_per_block = 0;  ///< rows that a block handles
  int64_t split = 0;           ///< blocks that a row is split over, which meet in memory
  int64_t vector = 0;          ///< elements that a thread reads at once along the fastest dimension
  int64_t cluster = 0;         ///< blocks that share a row through distributed shared memory
  friend bool operator==(const RowsConfig&, const RowsConfig&) = default;
};

/// Knobs of attention, resolved. Zero: not chosen yet.
struct AttentionConfig {
  int64_t tile_m = 0;  ///< queries of a block
  int64_t tile_n = 0;  ///< keys that it goes over at once
  int64_t stages = 0;  ///< tiles of keys, and of values, in shared memory
  /// `multistage`: warps multiply and copy; `warp_specialized`: warpgroups multiply, and one copies for them.
  ContractionConfig::Schedule schedule = ContractionConfig::Schedule::automatic;
  friend bool operator==(const AttentionConfig&, const AttentionConfig&) = default;
};

using Config = std::variant<ContractionConfig, MapConfig, RowsConfig, AttentionConfig>;

/// A kernel of a step with the knobs that the program gave. A step has one; views-only steps have none.
struct Launch {
  StepId step;
  Phase phase = Phase::run;
  Kernel kernel;
  Config config;
  int64_t columns = 0;  ///< of the result that its epilogue needs in one cluster; 0: any will do, -1: more
                        ///< than any cluster holds
  bool emitted = true;  ///< false: the rules and the model see it, and no back end makes all of it yet
};

}  // namespace uc
