#include "plan/model_parts.h"

#include <algorithm>

#include "plan/epilogue_leaves.h"

namespace uc {

double seen_bandwidth(const DeviceSpec& device) {
  return device.calibrated_dram_tbps > 0 ? device.calibrated_dram_tbps * 1e12
                                         : device.dram_bytes_per_second();
}

double epilogue_bytes(const Contraction& kernel) {
  double bytes = 0;
  for (const View& view : kernel.epilogue.views) {
    const LeafKind kind = leaf_kind(view);
    if (kind == LeafKind::full || kind == LeafKind::other) bytes += real(size_bytes(view.dtype));
  }
  return bytes;
}

double efficiency(const Contraction& kernel, Math math, double us, const DeviceSpec& device) {
  const double flops = 2.0 * real(kernel.batch() * kernel.m() * kernel.n()) * real(kernel.k());
  const double best = device.calibrated_flops(math);
  return best > 0 ? std::min(1.0, flops / best * 1e6 / us) : 0;
}

}  // namespace uc
