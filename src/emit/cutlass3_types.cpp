#include "emit/cutlass3_types.h"

#include <fmt/format.h>

#include "ir/kernel_parts.h"
#include "ir/operand.h"
#include "plan/smem_model.h"

namespace uc::cutlass3 {
namespace {

using Config = ContractionConfig;
using Schedule = Config::Schedule;
using Scheduler = Config::Scheduler;

std::string layout_name(bool row) {
  return row ? "cutlass::layout::RowMajor" : "cutlass::layout::ColumnMajor";
}

constexpr int64_t kSmemBytes = 232448;  // of SM90, as CUTLASS's builders count

std::string stage_count(const Contraction& kernel, const Config& config) {
  // The builder of the main loop with factors takes no number: what it is told to leave makes it that one.
  if (config.stages != 0 && kernel.a_scale) {
    const int64_t left = kSmemBytes - config.stages * stage_bytes(mainloop_shape(kernel, config));
    return fmt::format("cutlass::gemm::collective::StageCountAutoCarveout<{}>", left / 128 * 128);
  }
  if (config.stages != 0) return fmt::format("cutlass::gemm::collective::StageCount<{}>", config.stages);
  // With one tile a block the epilogue uses the operands' memory, once they have been multiplied.
  const std::string_view beside =
      config.schedule == Schedule::warp_specialized ? "PipelineStorage" : "SharedStorage";
  return fmt::format(
      "cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(sizeof(typename Epilogue::{}))>",
      beside);
}

}  // namespace

std::string element(DType type) { return std::string(info(type).cutlass); }

int64_t alignment(DType type) { return 16 / size_bytes(type); }

cpp::Type shape(int64_t m, int64_t n, int64_t k) {
  return cpp::make("Shape", fmt::format("_{}", m), fmt::format("_{}", n), fmt::format("_{}", k));
}

std::string accumulator(const Contraction& kernel) {
  return kernel.accumulate == DType::i32 ? "int32_t" : "float";
}

bool cooperative(const Config& config) { return config.schedule == Schedule::cooperative; }

bool splits_k(const Config& config) {
  return config.scheduler == Scheduler::stream_k || config.scheduler == Scheduler::split_k;
}

std::string mainloop_schedule(const Contraction& kernel, const Config& config) {
  std::string out = "cutlass::gemm::KernelTmaWarpSpecialized";
  if (config.schedule == Schedule::pingpong) out += "Pingpong";
  if (config.schedule == Schedule::cooperative) out += "Cooperative";
  if (kernel.a_scale) return out + "FP8Blockwise";
  if (kernel.math == Math::f8 && config.fast_accumulate) out += "FP8FastAccum";
  return out;
}

std::string epilogue_schedule(const Config& config) {
  return cooperative(config) ? "cutlass::epilogue::TmaWarpSpecializedCooperative"
                             : "cutlass::epilogue::TmaWarpSpecialized";
}

std::string tile_scheduler(const Contraction& kernel, const Config& config) {
  if (kernel.ends) return fmt::format("uc_group_tiles<{}>", element(kernel.ends->dtype));
  if (config.skip_zeros) {
    const auto band = [](const Band& each) {
      return fmt::format("{}, {}", each.from_diagonal, each.to_diagonal);
    };
    return fmt::format("uc_skip_tiles<{}, {}, {}>", band(kernel.a_band), band(kernel.b_band),
                       band(kernel.d_band));
  }
  if (config.schedule == Schedule::warp_specialized) return "void";
  return splits_k(config) ? "cutlass::gemm::StreamKScheduler" : "cutlass::gemm::PersistentScheduler";
}

cpp::Type epilogue_tile(const Config& config) {
  if (config.epilogue_m == 0) return "cutlass::epilogue::collective::EpilogueTileAuto";
  return cpp::make("Shape", fmt::format("_{}", config.epilogue_m), fmt::format("_{}", config.epilogue_n));
}

std::string summary(const Contraction& kernel, const Config& config) {
  std::string out =
      fmt::format("{} gemm {}x{}x{} cluster {}x{} {} stages {}", name(kernel.math), config.tile_m,
                  config.tile_n, config.tile_k, config.cluster_m, config.cluster_n, name(config.schedule),
                  config.stages == 0 ? "auto" : std::to_string(config.stages));
  if (splits_k(config)) out += fmt::format(" {}", name(config.scheduler));
  if (config.skip_zeros) out += " without zeros";
  if (kernel.ends) out += " in groups of rows";
  if (config.epilogue_m != 0)
    out += fmt::format(" epilogue tile {}x{}", config.epilogue_m, config.epilogue_n);
  if (kernel.math == Math::f8 && config.fast_accumulate) out += " fast accumulation";
  if (kernel.transposed) out += " transposed";
  if (config.overlap) out += " pdl";
  return out;
}

std::vector<cpp::Decl> scale_layouts(const Contraction& kernel) {
  const ScaleBlocks blocks = *scale_blocks_of(kernel);
  const auto major = [](const View& view) {
    return fmt::format("cute::GMMA::Major::{}", view.stride[2] == 1 ? "K" : "MN");
  };
  std::vector<cpp::Decl> out;
  out.push_back(
      cpp::Alias{"Scales", cpp::make("cutlass::detail::Sm90BlockwiseScaleConfig", std::to_string(blocks.m),
                                     std::to_string(blocks.n), std::to_string(blocks.k),
                                     major(*kernel.a_scale), major(*kernel.b_scale))});
  out.push_back(cpp::Alias{"LayoutSFA", "decltype(Scales::deduce_layoutSFA())"});
  out.push_back(cpp::Alias{"LayoutSFB", "decltype(Scales::deduce_layoutSFB())"});
  return out;
}

cpp::Type mainloop(const Contraction& kernel, const Config& config) {
  const auto with_scale = [&](std::string layout, std::string_view scale) -> cpp::Type {
    if (!kernel.a_scale) return layout;
    return cpp::make("cute::tuple", std::move(layout), std::string(scale));
  };
  cpp::Type builder = cpp::make(
      "cutlass::gemm::collective::CollectiveBuilder", "cutlass::arch::Sm90", "cutlass::arch::OpClassTensorOp",
      element(kernel.a.dtype), with_scale(layout_name(k_major(kernel.a)), "LayoutSFA"),
      std::to_string(alignment(kernel.a.dtype)), element(kernel.b.dtype),
      with_scale(layout_name(!k_major(kernel.b)), "LayoutSFB"), std::to_string(alignment(kernel.b.dtype)),
      accumulator(kernel), "TileShape", "ClusterShape", stage_count(kernel, config),
      mainloop_schedule(kernel, config));
  builder.member = "CollectiveOp";
  return builder;
}

}  // namespace uc::cutlass3
