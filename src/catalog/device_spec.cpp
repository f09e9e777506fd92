#include "catalog/device_spec.h"

namespace uc {
namespace {
const UnitRate* rate(const DeviceSpec& device, Math math) {
  for (const UnitRate& row : device.rates) {
    if (row.math == math) return &row;
  }
  return nullptr;
}
}  // namespace

double DeviceSpec::peak_flops(Math math) const {
  const UnitRate* row = rate(*this, math);
  return row == nullptr ? 0.0 : row->flops_per_clock_per_sm * sms * boost_mhz * 1e6;
}

double DeviceSpec::calibrated_flops(Math math) const {
  const UnitRate* row = rate(*this, math);
  if (row == nullptr) return 0.0;
  return row->calibrated_tflops > 0 ? row->calibrated_tflops * 1e12 : peak_flops(math);
}

}  // namespace uc
