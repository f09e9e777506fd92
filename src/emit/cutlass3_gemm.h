#pragma once
// Why: a contraction as a CUTLASS 3 kernel for SM90: collective builders, an epilogue visitor tree made from
// the scalar DAG (one functor a segment), and the host half that turns sizes into the kernel's parameters.
#include <string>
#include <vector>

#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc {

/// Empty when emit_cutlass3_gemm can emit the contraction, else one line on why not. Of the knobs only the
/// scheduler matters, since what adds slices of K has the epilogue.
std::string cutlass3_gemm_refuses(const Contraction& kernel, const ContractionConfig& config);

/// How an epilogue finds elements that do not lie as TMA would want them: by pixels (templates/uc_pixels.cuh)
/// or in groups of rows (templates/uc_groups.cuh).
struct PixelPlaces {
  std::string arguments;    ///< of its templates, "rank, transposed"; empty: matrices, which is the rule
  std::vector<bool> pairs;  ///< by view: two channels are one aligned word
  std::string space = "uc_pixels";   ///< that its templates are in
  std::string beside = ", x->conv";  ///< arguments of its nodes after their view
  bool rows = false;                 ///< vectors along rows are found so too
};

/// How another emitter makes the kernel a part of its own.
struct GemmPart {
  std::string symbol;                 ///< of its device function
  std::string host;                   ///< before the names of its host functions; empty: the symbol
  std::vector<std::string> includes;  ///< after CUTLASS's
  std::string mainloop;               ///< a template around the collective mainloop; empty: none
  PixelPlaces pixels;
  std::vector<std::string> arguments;  ///< statements after the mainloop's arguments `a.mainloop`
};

/// Both sources, not named yet: the host half includes `kKernelSymbol`.cu. Requires that nothing is refused
/// but the math, and that every knob is resolved.
EmittedKernel emit_gemm_part(const Contraction& kernel, const ContractionConfig& config,
                             const GemmPart& part);

/// Why the epilogue cannot be a tree of this back end; empty when it can.
std::string cutlass3_epilogue_refuses(const Contraction& kernel);

/// Requires that nothing is refused and that every knob is resolved (stages 0 means as many as fit).
EmittedKernel emit_cutlass3_gemm(const Contraction& kernel, const ContractionConfig& config);

}  // namespace uc
