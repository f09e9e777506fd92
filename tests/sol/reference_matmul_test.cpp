// Products of matrices and vectors: dense, batched, diagonal, symmetric, triangular.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L1/1. A[4096, 4096] B[4096, 4096]: 4096 MACs for each of 4096 x 4096 results; two matrices in, one out.
    // 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; (134.2 MB + 4.194 MB) / 4.916736 TB/s = 28.15 us.
    {.level = 1,
     .id = 1,
     .dense = 2.0 * 4096 * 4096 * 4096,
     .read = 2 * 4.0 * 4096 * 4096,
     .written = 4.0 * 4096 * 4096,
     .by = "tensor",
     .us = 256.7679},
    // L1/2. A[2048, 8192] B[8192, 4096]: 8192 MACs for each of 2048 x 4096 results. 137.4 GFLOP / 535.265
    // TFLOP/s = 256.8 us; 201.3 MB / 4.916736 TB/s = 40.95 us.
    {.level = 1,
     .id = 2,
     .dense = 2.0 * 2048 * 4096 * 8192,
     .read = 4.0 * 2048 * 8192 + 4.0 * 8192 * 4096,
     .written = 4.0 * 2048 * 4096,
     .by = "tensor",
     .us = 256.7679},
    // L1/3. 128 products A[512, 1024] B[1024, 2048], every one of its own matrices. 274.9 GFLOP / 535.265
    // TFLOP/s = 513.5 us; (1.342 GB + 474 MB) / 4.916736 TB/s = 369.4 us.
    {.level = 1,
     .id = 3,
     .dense = 2.0 * 128 * 512 * 2048 * 1024,
     .read = 4.0 * 128 * 512 * 1024 + 4.0 * 128 * 1024 * 2048,
     .written = 4.0 * 128 * 512 * 2048,
     .by = "tensor",
     .us = 513.5358},
    // L1/4. A[2048, 1048576] times a vector: one MAC for each element of A, which is read once: 8.6 GB for
    // 4.3 GFLOP. 4.295 GFLOP / 535.265 TFLOP/s = 8.024 us; 8.594 GB / 4.916736 TB/s = 1748 us.
    {.level = 1,
     .id = 4,
     .dense = 2.0 * 2048 * 1048576,
     .read = 4.0 * 2048 * 1048576 + 4.0 * 1048576,
     .written = 4.0 * 2048,
     .by = "memory",
     .us = 1747.934},
    // L1/6. A[256, 524288] B[524288, 256]: two flat matrices of 537 MB for 256 x 256 results of 524288 MACs.
    // 68.72 GFLOP / 535.265 TFLOP/s = 128.4 us; 1.074 GB / 4.916736 TB/s = 218.4 us.
    {.level = 1,
     .id = 6,
     .dense = 2.0 * 256 * 256 * 524288,
     .read = 2 * 4.0 * 256 * 524288,
     .written = 4.0 * 256 * 256,
     .by = "memory",
     .us = 218.3851},
    // L1/7. A[32768, 64] B[64, 32768]: 64 MACs an element of a result of 4.3 GB, so the write is what takes
    // time. 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; (16.78 MB + 4.232 GB) / 4.916736 TB/s = 864.2 us.
    {.level = 1,
     .id = 7,
     .dense = 2.0 * 32768 * 32768 * 64,
     .read = 2 * 4.0 * 32768 * 64,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 864.1566},
    // L1/8. A[8205, 2949] B[2949, 5921]: nothing is rounded up to a tile. 286.5 GFLOP / 535.265 TFLOP/s =
    // 535.3 us; (166.6 MB + 131.4 MB) / 4.916736 TB/s = 60.62 us.
    {.level = 1,
     .id = 8,
     .dense = 2.0 * 8205 * 5921 * 2949,
     .read = 4.0 * 8205 * 2949 + 4.0 * 2949 * 5921,
     .written = 4.0 * 8205 * 5921,
     .by = "tensor",
     .us = 535.3149},
    // L1/9. A[32768, 32] B[32, 32768]: an outer product of rank 32. 68.72 GFLOP / 535.265 TFLOP/s = 128.4 us;
    // (8.389 MB + 4.232 GB) / 4.916736 TB/s = 862.5 us.
    {.level = 1,
     .id = 9,
     .dense = 2.0 * 32768 * 32768 * 32,
     .read = 2 * 4.0 * 32768 * 32,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 862.4505},
    // L1/10. A[16, 1024, 2048] B[2048, 768]: B has no batch, so it is read once, and the 16 x 1024 rows are
    // one matrix. 51.54 GFLOP / 535.265 TFLOP/s = 96.29 us; 140.5 MB / 4.916736 TB/s = 28.58 us.
    {.level = 1,
     .id = 10,
     .dense = 2.0 * 16 * 1024 * 768 * 2048,
     .read = 4.0 * 16 * 1024 * 2048 + 4.0 * 2048 * 768,
     .written = 4.0 * 16 * 1024 * 768,
     .by = "tensor",
     .us = 96.28797},
    // L1/11. einsum bijl,lk->bijk of A[8, 256, 512, 256] and B[256, 768]: 8 x 256 x 512 rows of 256 MACs for
    // 768 columns. 412.3 GFLOP / 535.265 TFLOP/s = 770.3 us; (1.075 GB + 3.158 GB) / 4.916736 TB/s = 860.9
    // us.
    {.level = 1,
     .id = 11,
     .dense = 2.0 * 8 * 256 * 512 * 768 * 256,
     .read = 4.0 * 8 * 256 * 512 * 256 + 4.0 * 256 * 768,
     .written = 4.0 * 8 * 256 * 512 * 768,
     .by = "memory",
     .us = 860.9043},
    // L1/12. diag(a) B is written as a[4096, 1] * B[4096, 4096]: a multiplication an element and no product
    // of matrices. (67.13 MB + 4.194 MB) / 4.916736 TB/s = 14.51 us.
    {.level = 1,
     .id = 12,
     .read = 4.0 * 4096 + 4.0 * 4096 * 4096,
     .written = 4.0 * 4096 * 4096,
     .by = "memory",
     .us = 14.50547},
    // L1/13. Symmetric A and B of 4096: the product of two such is not symmetric, and takes all its MACs.
    // What is below the diagonal stands above it too: of each matrix n (n + 1) / 2 elements carry something.
    // 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; (67.13 MB + 4.194 MB) / 4.916736 TB/s = 14.51 us.
    {.level = 1,
     .id = 13,
     .dense = 2.0 * 4096 * 4096 * 4096,
     .read = 2 * 4.0 * 4096 * 4097 / 2,
     .written = 4.0 * 4096 * 4096,
     .by = "tensor",
     .us = 256.7679},
    // L1/14. triu(A B) of upper triangular A and B of 4096: element (i, j), i <= j, sums k from i to j, and
    // the sum over all of j - i + 1 is n (n + 1) (n + 2) / 6 MACs. Half of each input is read; all of the
    // result is written, zeros too. That the inputs are triangular is in their data only: of any, triu leaves
    // n (n + 1) / 2 results of n MACs. 22.92 GFLOP / 535.265 TFLOP/s = 42.83 us; (67.13 MB + 4.194 MB) /
    // 4.916736 TB/s = 14.51 us.
    {.level = 1,
     .id = 14,
     .dense = 2.0 * 4096 * 4096 * 4096,
     .minimum = 2.0 * 4096 * 4097 * 4098 / 6,
     .read = 2 * 4.0 * 4096 * 4097 / 2,
     .written = 4.0 * 4096 * 4096,
     .by = "tensor",
     .us = 42.826,
     .any_inputs_us = 128.4153},
    // L1/15. tril(A B) of lower triangular A and B: the transpose of the above. 22.92 GFLOP / 535.265 TFLOP/s
    // = 42.83 us; (67.13 MB + 4.194 MB) / 4.916736 TB/s = 14.51 us.
    {.level = 1,
     .id = 15,
     .dense = 2.0 * 4096 * 4096 * 4096,
     .minimum = 2.0 * 4096 * 4097 * 4098 / 6,
     .read = 2 * 4.0 * 4096 * 4097 / 2,
     .written = 4.0 * 4096 * 4096,
     .by = "tensor",
     .us = 42.826,
     .any_inputs_us = 128.4153},
    // L1/18. A[8192, 2048]' B[4096, 8192]': transposes are views, so the same as A[2048, 8192] B[8192, 4096].
    // 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; 201.3 MB / 4.916736 TB/s = 40.95 us.
    {.level = 1,
     .id = 18,
     .dense = 2.0 * 2048 * 4096 * 8192,
     .read = 4.0 * 8192 * 2048 + 4.0 * 4096 * 8192,
     .written = 4.0 * 2048 * 4096,
     .by = "tensor",
     .us = 256.7679},
};

TEST(SolReference, Products) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
