// Any bytes as a .npy file, with and without an expected type: what is read is written and read back alike.
#include <optional>

#include "exec/npy.h"
#include "fuzz.h"

namespace {

using uc::fuzz::require;

void check(std::string_view bytes, std::optional<uc::DType> as) {
  const auto tensor = uc::read_npy(bytes, as);
  if (!tensor) {
    require(!tensor.error().message.empty(), "what fails says why");
    return;
  }
  const auto again = uc::read_npy(uc::write_npy(*tensor), tensor->dtype);
  require(again.has_value(), "what is written can be read");
  require(again->shape == tensor->shape && again->dtype == tensor->dtype, "with its shape and type");
  require(uc::to_bytes(*again) == uc::to_bytes(*tensor), "and its bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = uc::fuzz::text_of(data, size);
  check(bytes, std::nullopt);
  for (const uc::DTypeInfo& row : uc::all_dtypes()) check(bytes, row.type);
  return 0;
}
