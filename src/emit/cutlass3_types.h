#pragma once
// Why: what the types, layouts and knobs of a contraction are called in CUTLASS 3, in one place: the
// mainloop, the epilogue and the host half say the same.
#include <cstdint>
#include <string>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"

namespace uc::cutlass3 {

/// The C++ type of an element in memory. f32 operands stay f32 in tf32 math: the tensor memory accelerator
/// rounds them on the way in, where tfloat32_t would make the tensor core truncate.
std::string element(DType type);

/// Elements of 16 bytes: what tensor memory access and vector accesses are aligned to.
int64_t alignment(DType type);

/// `Shape<_128, _256, _64>`.
cpp::Type shape(int64_t m, int64_t n, int64_t k);

/// The type that the tensor core adds up in.
std::string accumulator(const Contraction& kernel);

bool cooperative(const ContractionConfig& config);
/// Units of work are parts of K, so sums of several blocks meet in scratch memory.
bool splits_k(const ContractionConfig& config);

std::string mainloop_schedule(const Contraction& kernel, const ContractionConfig& config);
std::string epilogue_schedule(const ContractionConfig& config);
/// The tag of the tile scheduler; `void` for the schedule of one tile a block.
std::string tile_scheduler(const Contraction& kernel, const ContractionConfig& config);
cpp::Type epilogue_tile(const ContractionConfig& config);
/// Every knob that is part of the kernel: "f16 gemm 128x256x64 cluster 2x1 cooperative stages 4".
std::string summary(const Contraction& kernel, const ContractionConfig& config);

/// The layouts of factors of blocks, as names that `mainloop` uses. Requires such factors.
std::vector<cpp::Decl> scale_layouts(const Contraction& kernel);

/// `CollectiveBuilder<...>::CollectiveOp` of the mainloop; refers to `Epilogue`, `TileShape`, `ClusterShape`.
cpp::Type mainloop(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc::cutlass3
