// The instructions that attention is made of: products of tensor cores, matrices from shared memory into their fragments, and
// copies into shared memory that threads do not wait for. Each has a meaning on the CPU too, for tests that run a thread a
// fiber: `from_lane` is then the exchange of the one who runs them.
#ifndef UC_ATTENTION_MMA_CUH
#define UC_ATTENTION_MMA_CUH
#include <string.h>

#include "uc_round.cuh"

namespace uc_attention {

UC_FN float as_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
UC_FN uint32_t as_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// f32 with the ten bits of tf32, to nearest, ties away from zero.
UC_FN uint32_t to_tf32(uint32_t x) {
#if defined(__CUDA_ARCH__)
  uint32_t y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(as_float(x)));
  return y;
#else
  return (x & 0x7f800000u) == 0x7f800000u ? x : (x + 0x1000u) & ~0x1fffu;
#endif
}

// ---- between lanes

#if defined(__CUDACC__)
template <class T> __device__ __forceinline__ T from_lane(T x, int lane) { return __shfl_sync(~0u, x, lane); }
__device__ __forceinline__ float from_lane_xor(float x, int mask) { return __shfl_xor_sync(~0u, x, mask); }
#elif defined(UC_EMULATE)
inline float from_lane_xor(float x, int mask) { return from_lane(x, int(threadIdx.x % 32) ^ mask); }
#endif

#if defined(__CUDACC__)
#define UC_DEVICE __device__ __forceinline__
#else
#define UC_DEVICE inline
#endif
// A product of one warp on the CPU: D[16, 8] += A[16, K] B[K, 8], where a register holds N elements.
#if defined(UC_EMULATE)
template <int N, class Convert> inline void multiply_slowly(float (&d)[4], uint32_t const* a, uint32_t const* b, Convert convert) {
  const int lane = int(threadIdx.x % 32), group = lane / 4, quad = lane % 4;
  float sum[4] = {};
  for (int k = 0; k < 8; ++k) {  // registers along K: lane k % 4, the first or the second
    const int from = k % 4, half = k / 4;
    uint32_t rows[2], columns[2];
    for (int r = 0; r < 2; ++r) rows[r] = from_lane(a[half * 2 + r], group * 4 + from);
    for (int c = 0; c < 2; ++c) columns[c] = from_lane(b[half], (quad * 2 + c) * 4 + from);
    for (int i = 0; i < N; ++i)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) sum[r * 2 + c] += convert(rows[r], i) * convert(columns[c], i);
  }
  for (int i = 0; i < 4; ++i) d[i] += sum[i];
}
#endif

// ---- products of tensor cores, a warp: D[16, 8] += A[16, K] B[K, 8]

struct F16 {
  using Element = __half;
  static constexpr int kStep = 16;  // of K
  static constexpr int kTerms = 1;
  static UC_DEVICE uint32_t pack(float low, float high) {
    const __half2 x = __floats2half2_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
  }
  static UC_DEVICE void mma(float (&d)[4], uint32_t const* a, uint32_t const* b) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif defined(UC_EMULATE)
    multiply_slowly<2>(d, a, b, [](uint32_t bits, int i) {
      const uint16_t half = uint16_t(bits >> (16 * i));
      __half x;
      memcpy(&x, &half, sizeof x);
      return __half2float(x);
    });
#endif
  }
};

struct BF16 {
  using Element = __nv_bfloat16;
  static constexpr int kStep = 16;
  static constexpr int kTerms = 1;
  static UC_DEVICE uint32_t pack(float low, float high) {
    const __nv_bfloat162 x = __floats2bfloat162_rn(low, high);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
  }
  static UC_DEVICE void mma(float (&d)[4], uint32_t const* a, uint32_t const* b) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif defined(UC_EMULATE)
    multiply_slowly<2>(d, a, b, [](uint32_t bits, int i) { return as_float(i == 0 ? bits << 16 : bits & 0xffff0000u); });
#endif
  }
};

// f32 numbers in one product, or in three of which the small ones come first.
template <int Terms> struct Tf32Products {
  using Element = float;
  static constexpr int kStep = 8;
  static constexpr int kTerms = Terms;
  static UC_DEVICE void mma(float (&d)[4], uint32_t const* a, uint32_t const* b) {
#if defined(__CUDA_ARCH__)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#elif defined(UC_EMULATE)
    multiply_slowly<1>(d, a, b, [](uint32_t bits, int) { return as_float(bits); });
#endif
  }
};
using TF32 = Tf32Products<1>;
using TF32x3 = Tf32Products<3>;

// What a warp multiplies, as its products take it: N registers, and of three products what the first leaves.
template <class Mma, int N> struct Fragment {
  uint32_t part[Mma::kTerms == 3 ? 2 : 1][N];
  UC_DEVICE void set(int i, uint32_t bits) {
    if constexpr (sizeof(typename Mma::Element) == 2) {
      part[0][i] = bits;
    } else {
      part[0][i] = to_tf32(bits);
      if constexpr (Mma::kTerms == 3) part[1][i] = to_tf32(as_bits(as_float(bits) - as_float(part[0][i])));
    }
  }
};

template <class Mma> UC_DEVICE void multiply(float (&d)[4], Fragment<Mma, 4> const& a, Fragment<Mma, 2> const& b) {
  if constexpr (Mma::kTerms == 3) {
    Mma::mma(d, a.part[1], b.part[0]);
    Mma::mma(d, a.part[0], b.part[1]);
  }
  Mma::mma(d, a.part[0], b.part[0]);
}

// ---- shared memory

#if defined(__CUDACC__)
UC_DEVICE uint32_t shared_address(void const* x) { return uint32_t(__cvta_generic_to_shared(x)); }
#endif

// Four matrices of 8 rows of 16 bytes; lane l gives the address of row l % 8 of matrix l / 8, and gets four bytes of row
// l / 4 of each; `transposed`: column l / 4 of rows l % 4 * 2 and the next, of 16-bit elements.
template <bool Transposed> UC_DEVICE void load_matrices(uint32_t (&out)[4], void const* row) {
#if defined(__CUDA_ARCH__)
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared_address(row)));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared_address(row)));
  }
#elif defined(UC_EMULATE)
  const int lane = int(threadIdx.x % 32), group = lane / 4, quad = lane % 4;
  const uint64_t mine = reinterpret_cast<uint64_t>(row);
  for (int matrix = 0; matrix < 4; ++matrix) {
    if (Transposed) {
      uint16_t both[2];
      for (int i = 0; i < 2; ++i)
        both[i] = reinterpret_cast<uint16_t const*>(from_lane(mine, matrix * 8 + quad * 2 + i))[group];
      memcpy(&out[matrix], both, 4);
    } else {
      out[matrix] = reinterpret_cast<uint32_t const*>(from_lane(mine, matrix * 8 + group))[quad];
    }
  }
#endif
}

// Bytes from global to shared memory, zeros where there is nothing to copy.
template <int Bytes> UC_DEVICE void copy_async(void* to, void const* from, bool there) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "what cp.async copies");
#if defined(__CUDA_ARCH__)
  const int size = there ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(size) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes), "r"(size)
                 : "memory");
  }
#else
  if (there) {
    memcpy(to, from, Bytes);
  } else {
    memset(to, 0, Bytes);
  }
#endif
}
UC_DEVICE void copies_end_here() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// All groups of copies but the last ones have arrived.
template <int Last> UC_DEVICE void wait_for_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(Last) : "memory");
#endif
}

}  // namespace uc_attention
#endif
