#pragma once
// Why: how much shared memory an SM90 CUTLASS kernel takes and how many stages fit is known in closed form,
// so that a setting that would fail at launch, or fail to compile, is rejected in microseconds.
#include <cstdint>

#include "ir/kernel.h"

namespace uc {

/// What the epilogue keeps in shared memory.
struct EpilogueShape {
  int64_t c_bytes = 0;             ///< an element of the tensor loaded as C; 0: none
  int64_t d_bytes = 4;             ///< an element of the result
  int64_t fusion_bytes = 1;        ///< the visitor tree's own storage: the row broadcasts' tiles; at least 1
  int64_t tile_m = 0, tile_n = 0;  ///< epilogue tile; 0: the automatic one
  int64_t meeting_bytes = 0;       ///< in which blocks that share rows meet: beside the pipeline's barriers
};

/// Storage of a TMA epilogue with row-major C and D.
struct EpilogueStorage {
  int64_t tile_m = 0;  ///< epilogue tile, elements
  int64_t tile_n = 0;
  int64_t stages_c = 0;
  int64_t stages_d = 0;
  bool reuse_c = false;        ///< D is written over C's buffers
  int64_t alignment = 0;       ///< bytes
  int64_t tensor_bytes = 0;    ///< CollectiveEpilogue::TensorStorage
  int64_t pipeline_bytes = 0;  ///< CollectiveEpilogue::PipelineStorage
  int64_t shared_bytes =
      0;  ///< CollectiveEpilogue::SharedStorage: the carve-out of the automatic stage count
};

/// The parts of a contraction's tile that decide its shared memory.
struct MainloopShape {
  int64_t tile_m = 0, tile_n = 0, tile_k = 0;
  int64_t a_bytes = 2, b_bytes = 2;  ///< an element
  bool cooperative = true;
  bool persistent = true;  ///< false: one tile a block, whose epilogue uses the operands' memory
  int64_t a_factors = 0, b_factors = 0;  ///< f32 scales of blocks of A and B in a stage
};

/// Source: epilogue/collective/builders/sm90_builder.inl:64-87 (stages, reuse), :115-134 (tile);
/// epilogue/collective/sm90_epilogue_tma_warpspecialized.hpp:180-232 (storage). CUTLASS 4.2.
EpilogueStorage epilogue_storage(const MainloopShape& tile, const EpilogueShape& epilogue);

/// Operands, factors and barriers of one stage.
int64_t stage_bytes(const MainloopShape& tile);

/// Most stages beside the epilogue; may be 0 or 1, which no kernel can use.
/// Source: gemm/collective/builders/sm90_gmma_builder.inl:69-87.
int64_t stages_that_fit(const MainloopShape& tile, const EpilogueStorage& epilogue, int64_t capacity);

/// Kernel::SharedStorageSize with that many stages.
/// Source: gemm/kernel/sm90_gemm_tma_warpspecialized{,_pingpong,_cooperative}.hpp, SharedStorage.
int64_t kernel_shared_bytes(const MainloopShape& tile, const EpilogueStorage& epilogue, int64_t stages);

/// The same from a launch's kernel and its (complete) tile and schedule.
MainloopShape mainloop_shape(const Contraction& kernel, const ContractionConfig& config);
EpilogueShape epilogue_shape(const Contraction& kernel, const ContractionConfig& config);
int64_t stages_that_fit(const Contraction& kernel, const ContractionConfig& config, int64_t capacity);
int64_t kernel_shared_bytes(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
