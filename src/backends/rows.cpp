// Back ends of kernels over rows: CUDA of every target.
#include <array>

#include "catalog/backend_spec.h"
#include "emit/rows_kernel.h"
#include "plan/rows_model.h"

namespace uc::backends {
namespace {

std::string refuses(const Launch& launch, const DeviceSpec&) {
  return rows_refuses(std::get<Rows>(launch.kernel));
}

EmittedKernel emit(const Launch& launch, const DeviceSpec& device) {
  return emit_rows(std::get<Rows>(launch.kernel), std::get<RowsConfig>(launch.config), device.arch);
}

constexpr std::array<BackendSpec, 1> kRows{{
    {.id = "cuda.rows",
     .kind = kernel_kind<Rows>(),
     .archs = "sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a",
     .summary = "plain CUDA: rows in registers, in the shared memory of a cluster, or streamed",
     .refuses = refuses,
     .configs = rows_configs,
     .model = rows_model,
     .emit = emit},
}};

}  // namespace

std::span<const BackendSpec> rows_rows() { return kRows; }

}  // namespace uc::backends
