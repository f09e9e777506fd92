#pragma once
// Why: the host's twins of the device's perturbation and digest, bit for bit, for the host backend.
#include <cstdint>
#include <cstring>

#include "timing.h"

namespace uct {

inline uint32_t mix(uint64_t index, uint32_t seed) {
  uint32_t h =
      static_cast<uint32_t>(index) * 0x9E3779B1U + static_cast<uint32_t>(index >> 32) * 0x85EBCA6BU + seed;
  h ^= h >> 16;
  h *= 0x85EBCA6BU;
  h ^= h >> 13;
  h *= 0xC2B2AE35U;
  return h ^ (h >> 16);
}

/// Which bits of a 32-bit word an element type lets flip: the top mantissa bit, and signs where the kind
/// allows it; neither when the exponent is all zeros or all ones.
struct FlipBits {
  uint32_t low, high, low_exponent, high_exponent;
  uint32_t signs, odd_only;
};

inline FlipBits flip_bits(uint32_t kind) {
  const uint32_t with_signs = kind & (UCT_SIGNS | UCT_SIGNS_ONLY) ? 0xFFFFFFFFU : 0;
  if (kind & UCT_SIGNS_ONLY) {
    FlipBits bits = flip_bits(kind ^ (UCT_SIGNS | UCT_SIGNS_ONLY));
    bits.low = bits.high = 0;
    return bits;
  }
  switch (kind & 0xFFU) {
    case UCT_F32: return {1U << 22, 0, 0x7F800000U, 0, with_signs & 0x80000000U, 0};
    case UCT_F16: return {1U << 9, 1U << 25, 0x7C00U, 0x7C000000U, with_signs & 0x80008000U, 0};
    case UCT_BF16: return {1U << 6, 1U << 22, 0x7F80U, 0x7F800000U, with_signs & 0x80008000U, 0};
    case UCT_F64: return {1U << 19, 0, 0x7FF00000U, 0, with_signs & 0x80000000U, 1};
    default: return {};
  }
}

inline uint32_t flips(uint64_t index, uint32_t seed, const FlipBits& bits) {
  if (seed == 0) return 0;
  const uint32_t h = mix(index, seed);
  return ((h & 3U) == 0 ? bits.low : 0) | ((h & 12U) == 0 ? bits.high : 0) | (seed >> 31 ? bits.signs : 0);
}

inline void perturb_words(void* data, uint64_t words, const FlipBits& bits, uint32_t before, uint32_t after) {
  auto* bytes = static_cast<unsigned char*>(data);
  const uint32_t low_bits = bits.low | (bits.high_exponent ? bits.signs & 0x8000U : bits.signs);
  const uint32_t high_bits = bits.high | (bits.signs & 0x80000000U);
  for (uint64_t i = 0; i < words; ++i) {
    if (bits.odd_only && (i & 1) == 0) continue;
    const uint32_t flip = flips(i, before, bits) ^ flips(i, after, bits);
    uint32_t word;
    std::memcpy(&word, bytes + 4 * i, 4);
    const uint32_t e0 = word & bits.low_exponent, e1 = word & bits.high_exponent;
    uint32_t apply = 0;
    if (e0 != 0 && e0 != bits.low_exponent) apply |= flip & low_bits;
    if (e1 != 0 && e1 != bits.high_exponent) apply |= flip & high_bits;
    word ^= apply;
    std::memcpy(bytes + 4 * i, &word, 4);
  }
}

inline void perturb_host(void* data, uint64_t words, uint32_t kind, uint32_t before, uint32_t after) {
  perturb_words(data, words, flip_bits(kind), before, after);
}

/// What a buffer holds: the wrapping sum of its mixed words, and 1 when any is not poison (all bits one).
struct Digest {
  uint32_t sum, written;
};

inline Digest digest_words(const void* data, uint64_t words) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  Digest result{0, 0};
  for (uint64_t i = 0; i < words; ++i) {
    uint32_t word;
    std::memcpy(&word, bytes + 4 * i, 4);
    result.sum += mix(i, word);
    if (word != 0xFFFFFFFFU) result.written = 1;
  }
  return result;
}

}  // namespace uct
