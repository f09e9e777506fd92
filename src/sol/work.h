#pragma once
// Why: what each operator has to compute, by unit. Contractions ask their row; pointwise operators are
// counted from the scalar expression that also gives their code.
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "ir/kernel.h"
#include "ir/program.h"
#include "sol/sol.h"

namespace uc::sol {

struct OpWork {
  OpId op;
  bool contracts = false;
  double dense_flops = 0;
  double minimum_flops = 0;
  double fma_ops = 0;
  double special_ops = 0;
  bool covered = true;    ///< false: only its bytes are counted
  std::string structure;  ///< what reduced its FLOPs; may be empty
};

OpWork work_of(const Catalog& catalog, const Program& program, OpId id);

/// How a contraction multiplies when data that was given as f32 is multiplied as `f32_math`; other data as it
/// is.
Math math_of(const Program& program, OpId id, Math f32_math);

/// The fastest way to multiply f32 data under a precision; under strict the fastest faithful one.
Math fastest_math(Precision precision);

}  // namespace uc::sol
