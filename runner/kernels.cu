// The kernels that surround a timed run. kernels.ptx is made from this file by regenerate.sh and is what is
// built in: neither building nor running the runner needs nvcc.
#include <stdint.h>

// Same as mix() in perturb.h: murmur3's finaliser over the word's index and a seed.
__device__ static inline uint32_t mix(uint64_t index, uint32_t seed) {
  uint32_t h = (uint32_t)index * 0x9E3779B1u + (uint32_t)(index >> 32) * 0x85EBCA6Bu + seed;
  h ^= h >> 16;
  h *= 0x85EBCA6Bu;
  h ^= h >> 13;
  h *= 0xC2B2AE35u;
  return h ^ (h >> 16);
}

// Bits to flip in word `index` under `seed`: the top mantissa bit of a quarter of the elements; the sign bits
// of all when the seed's top bit is set (the masks are 0 where signs must stay).
__device__ static inline uint32_t flips(uint64_t index, uint32_t seed, uint32_t low, uint32_t high,
                                        uint32_t signs) {
  if (seed == 0) return 0;
  const uint32_t h = mix(index, seed);
  return ((h & 3u) == 0 ? low : 0) | ((h & 12u) == 0 ? high : 0) | ((seed >> 31) ? signs : 0);
}

// Takes words from perturbation `before` to `after`. low/high: the mantissa bit of the element in the
// low/high half of the word; low_exp/high_exp: its exponent bits; elements whose exponent is all zeros or all
// ones stay as they are. signs: the sign bits of both. odd_only: only the odd words hold an exponent (f64).
extern "C" __global__ void uct_perturb(uint32_t* words, uint64_t count, uint32_t before, uint32_t after,
                                       uint32_t low, uint32_t high, uint32_t low_exp, uint32_t high_exp,
                                       uint32_t signs, uint32_t odd_only) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  const uint32_t low_bits = high_exp ? low | (signs & 0x8000u) : low | signs,
                 high_bits = high | (signs & 0x80000000u);
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    if (odd_only && (i & 1) == 0) continue;
    const uint32_t flip = flips(i, before, low, high, signs) ^ flips(i, after, low, high, signs);
    if (flip == 0) continue;
    const uint32_t word = words[i];
    uint32_t apply = 0;
    const uint32_t e0 = word & low_exp, e1 = word & high_exp;
    if (e0 != 0 && e0 != low_exp) apply |= flip & low_bits;
    if (e1 != 0 && e1 != high_exp) apply |= flip & high_bits;
    if (apply) words[i] = word ^ apply;
  }
}

// Reads the whole buffer, so that L2 holds nothing else and no dirty line. `sink` is never written: the sum
// of zeros is 0.
extern "C" __global__ void uct_flush(const uint4* data, uint64_t count, uint32_t* sink) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  uint32_t sum = 0;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(data + i));
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum) *sink = sum;
}

// Same as digest_words() in perturb.h, into out[0] (which is 0 before) and out[1]. Read from L2: what counts
// is what any stream has written by now.
extern "C" __global__ void uct_digest(const uint32_t* words, uint64_t count, uint32_t* out) {
  const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
  uint32_t sum = 0, written = 0;
  for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(words + i));
    sum += mix(i, word);
    if (word != 0xFFFFFFFFu) written = 1;
  }
  for (int lane = 16; lane; lane /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lane);
    written |= __shfl_xor_sync(0xFFFFFFFFu, written, lane);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out, sum);
    if (written) out[1] = 1;
  }
}

// Holds the stream until settle_ns after the host has enqueued what follows (flag reaches target), or for at
// most limit_ns. Counts the holds that ran out.
extern "C" __global__ void uct_hold(const volatile uint32_t* flag, uint32_t target, uint64_t limit_ns,
                                    uint64_t settle_ns, uint32_t* expired) {
  uint64_t begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while ((int32_t)(*flag - target) < 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > limit_ns) {
      atomicAdd(expired, 1u);
      return;
    }
  }
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < settle_ns);
}
