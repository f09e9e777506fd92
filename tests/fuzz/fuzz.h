#pragma once
// Why: targets say what must hold of any bytes; a broken claim ends the process, which the fuzzer records and
// the replay shows.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace uc::fuzz {

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process with `claim` when it does not hold.
inline void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", claim);
  std::abort();
}

}  // namespace uc::fuzz
