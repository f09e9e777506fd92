#pragma once
// Why: rules on contractions ask the same few questions: which tile, how many threads, which operand, what
// would fit.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "catalog/rule_spec.h"
#include "check/slices.h"
#include "ir/operand.h"
#include "plan/conv_product.h"
#include "plan/epilogue_leaves.h"
#include "plan/smem_model.h"

// A whole program of one gemm, for the examples of rules.
#define UC_GEMM_PROGRAM(type, knobs)                                                              \
  "target sm_90a\ninput a: " type "[512, 512]\ninput b: " type "[512, 512]\nc = gemm(a, b)" knobs \
  "\nreturn c\n"

namespace uc::rules {

using Schedule = ContractionConfig::Schedule;

/// A contraction with its config, as rules see it.
struct Gemm {
  const RuleContext& context;
  const Contraction& kernel;
  const ContractionConfig& config;
  std::shared_ptr<const Product> made = nullptr;  ///< of a convolution, whose product it is

  bool has_tile() const { return config.tile_m != 0; }
  bool has_cluster() const { return config.cluster_m != 0; }
  bool has_schedule() const { return config.schedule != Schedule::automatic; }
  bool cooperative() const { return config.schedule == Schedule::cooperative; }
  /// Units of work are parts of K.
  bool splits_k() const {
    return config.scheduler == ContractionConfig::Scheduler::stream_k ||
           config.scheduler == ContractionConfig::Scheduler::split_k;
  }
  /// Blocks add up in each other's accumulators: slices of K do not, whose sums a device function adds.
  bool shares_tiles() const {
    const bool sliced = made == nullptr && in_slices(kernel, config);
    return splits_k() && !sliced;
  }
  /// The epilogue combines elements of several tiles.
  bool reduces() const {
    return std::ranges::any_of(kernel.epilogue.effects,
                               [](const Effect& effect) { return effect.combine != Combine::none; });
  }
  bool sixteen_bits() const { return size_bytes(kernel.a.dtype) == 2; }  ///< f16 or bf16

  /// Elements of K that one wgmma takes: 32 bytes (16 for 16-bit types, 8 for TF32).
  int64_t k_step() const { return std::max<int64_t>(1, 32 / size_bytes(kernel.a.dtype)); }

  /// Columns that tile N is made of: see UC2103 and UC2120.
  int64_t n_step() const { return kernel.math == Math::tf32 ? 32 : 16; }

  static constexpr int64_t kLargestTile = 256;  ///< elements; see UC2109

  /// The tile by itself is one that instructions and TMA boxes can make up: rules on its consequences apply.
  bool sound_tile() const {
    return has_tile() && config.tile_m % 64 == 0 && config.tile_n % n_step() == 0 &&
           config.tile_k % k_step() == 0 && config.tile_m <= kLargestTile && config.tile_n <= kLargestTile &&
           config.tile_k <= kLargestTile;
  }
  /// The tile also suits the schedule.
  bool sound_schedule() const {
    return sound_tile() && has_schedule() && (!cooperative() || config.tile_m % 128 == 0);
  }

  /// Accumulators a thread: 32-bit registers. Sums of f8 are held twice, by the tensor core and added up.
  int64_t accumulators(int64_t tile_m, int64_t tile_n, bool by_two_groups) const {
    const bool twice = kernel.math == Math::f8 && !config.fast_accumulate;
    return tile_m * tile_n / (by_two_groups ? 256 : 128) * (twice ? 2 : 1);
  }
  int64_t accumulators() const { return accumulators(config.tile_m, config.tile_n, cooperative()); }

  /// The kernel's operand as the program gives it: 0 is A, 1 is B.
  const Value& operand(size_t index) const {
    const Program& program = context.program;
    const size_t given = kernel.transposed ? 1 - index : index;
    return program[program[program[context.launch.step].main].in[given]];
  }
  std::string operand_name(size_t index) const {
    const std::string& name = operand(index).name;
    return name.empty() ? (index == 0 ? "operand A" : "operand B") : "`" + name + "`";
  }
};

inline std::optional<Gemm> gemm(const RuleContext& context) {
  const Contraction* kernel = context.contraction();
  const ContractionConfig* config = context.config();
  if (config == nullptr) return std::nullopt;
  if (kernel != nullptr) return Gemm{context, *kernel, *config};
  // Of convolutions those that CUTLASS 3 has kernels for.
  const auto* conv = std::get_if<Convolution>(&context.launch.kernel);
  if (conv == nullptr || config->backend != "cutlass3" || conv->groups != 1) return std::nullopt;
  auto product = std::make_shared<const Product>(conv3_product(*conv));
  return Gemm{context, **product, *config, product};
}

inline std::string tile_text(int64_t m, int64_t n, int64_t k) { return fmt::format("{}x{}x{}", m, n, k); }

/// The tile N nearest to `n` that one wide instruction divides.
inline int64_t nearest_tile_n(int64_t n) {
  int64_t best = 32;
  for (const int64_t candidate : {64, 96, 128, 192, 256}) {
    if (std::abs(candidate - n) < std::abs(best - n)) best = candidate;
  }
  return best;
}

inline int64_t round_to_multiple(int64_t value, int64_t of) {
  return std::max(of, (value + of / 2) / of * of);
}
inline int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

}  // namespace uc::rules
