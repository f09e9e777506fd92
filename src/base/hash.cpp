#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace uc {

std::string content_hash(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string short_hash(std::string_view bytes) { return content_hash(bytes).substr(0, 16); }

}  // namespace uc
