#pragma once
// Why: ranks configurations of a contraction before anything is compiled. Modelled times, never shown as
// measured.
#include <vector>

#include "catalog/backend_spec.h"

namespace uc {

/// Candidates for a contraction on SM90: tiles of 64 to 256, small clusters, both schedules, as many stages
/// as fit, and for each the order of tiles that reads least. Knobs already set are kept as they are. Legality
/// is the rules' business.
std::vector<Config> gemm_configs(const Launch& launch, const DeviceSpec& device);

/// Where the time of one launch goes, microseconds.
struct GemmTime {
  double rounds = 0;       ///< tiles that the busiest SM computes one after the other
  double step_us = 0;      ///< one tile K: the slowest of the four below
  double tensor_us = 0;    ///< multiplying
  double smem_us = 0;      ///< operands through shared memory
  double l2_us = 0;        ///< operands from L2, less what clusters share
  double latency_us = 0;   ///< loads in flight, limited by the stages
  double epilogue_us = 0;  ///< one tile: arithmetic, tensors read and written
  double rows_us = 0;      ///< of that: what meets in rows, gathered and made anew
  double meeting_us = 0;   ///< one tile: blocks that share rows wait for what they send each other
  double dram_us = 0;      ///< whole launch
  double addition_us = 0;  ///< the function that adds slices of K, and what passes before it
  double total_us = 0;
};

/// Requires tile, cluster and schedule. Fitted to measurements on an H200: gemm_model_test.cpp says how well.
GemmTime gemm_time(const Contraction& kernel, const ContractionConfig& config, const DeviceSpec& device);

/// A convolution of CUTLASS 3: its product, whose operands take no more of memory than images and filters do.
/// Fitted to layers measured on an H200: conv_layers_test.cpp says how well.
GemmTime conv3_time(const Convolution& kernel, const ContractionConfig& config, const DeviceSpec& device);

/// What adding slices of K takes after they are multiplied: templates/uc_slices.cuh. Assumed, not fitted.
double addition_us(const Contraction& kernel, int64_t slices, const DeviceSpec& device);

/// The same as the back end's estimate.
Estimate gemm_model(const Launch& launch, const DeviceSpec& device);
Estimate conv3_model(const Launch& launch, const DeviceSpec& device);

}  // namespace uc
