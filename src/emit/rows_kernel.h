#pragma once
// Why: kernels over rows as plain CUDA: what they compute is a generated `Body`, how they go over rows is
// templates/uc_rows.cuh.
#include <string>
#include <string_view>
#include <vector>

#include "emit/emitted.h"
#include "plan/rows_phases.h"

namespace uc {

/// Empty when emit_rows can emit the kernel, else one line on why not.
std::string rows_refuses(const Rows& rows);

/// `arch`: what it is compiled for, "sm_90a".
EmittedKernel emit_rows(const Rows& rows, const RowsConfig& config, std::string_view arch);

/// One device function as it is launched.
struct RowsFunction {
  size_t phase = 0;
  int64_t parts = 1;  ///< of each row: the grid's second dimension
};

/// The device functions of a kernel in order; as many as EmittedKernel::parts.
std::vector<RowsFunction> rows_functions(const std::vector<RowsPhase>& phases);

}  // namespace uc
