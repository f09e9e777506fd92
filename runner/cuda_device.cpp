#include "cuda_device.h"

#include <cstdio>
#include <string>

namespace uct {

int failed(const Driver& d, uct_message* m, const char* where, CUresult code) {
  const char *name = nullptr, *text = nullptr;
  d.error_name(code, &name);
  d.error_string(code, &text);
  return report(m, code, where, std::string(name ? name : "unknown error") + ": " + (text ? text : ""));
}

int describe(const Driver& d_, int ordinal, uct_info* out, uct_message* m) {
  *out = {};
  CUdevice device = 0;
  UCT_TRY(device_get, &device, ordinal);
  UCT_TRY(device_name, out->name, static_cast<int>(sizeof out->name), device);
  CUuuid uuid{};
  UCT_TRY(device_uuid, &uuid, device);
  char* to = out->uuid + std::snprintf(out->uuid, sizeof out->uuid, "GPU-");
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
    to += std::snprintf(to, 3, "%02x", uuid.bytes[i]);
  }
  size_t memory = 0;
  UCT_TRY(device_memory, &memory, device);
  out->memory_bytes = memory;
  int l2 = 0, major = 0, minor = 0;
  UCT_TRY(device_attribute, &l2, kAttrL2, device);
  UCT_TRY(device_attribute, &out->sm_count, kAttrSmCount, device);
  UCT_TRY(device_attribute, &major, kAttrMajor, device);
  UCT_TRY(device_attribute, &minor, kAttrMinor, device);
  UCT_TRY(driver_version, &out->driver);
  out->l2_bytes = static_cast<uint64_t>(l2);
  out->compute = major * 10 + minor;
  out->ordinal = ordinal;
  return 0;
}

const Driver* driver_or(uct_message* m) {
  const char* why = nullptr;
  int code = 0;
  const Driver* driver = load_driver(&why, &code);
  if (!driver) report(m, code, "driver", why);
  return driver;
}

int identify_cuda(int ordinal, uct_info* out, uct_message* m) {
  const Driver* driver = driver_or(m);
  return driver ? describe(*driver, ordinal, out, m) : -1;
}

}  // namespace uct
