// Convolutions of one to three dimensions: strided, dilated, transposed, grouped, depthwise, pointwise.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L1/50. x[256, 3, 224, 224], W[96, 3, 11, 11], stride 4, padding 2: (224 + 4 - 11) / 4 + 1 = 55 results
    // a side, 3 x 121 MACs each. Stride 4 cuts the taps of a side into 4 sequences: 16 of 121 products. The
    // last window ends at 54 x 4 - 2 + 11 = 225 > 224: every input is read. 7.137 GFLOP / 535.265 TFLOP/s =
    // 13.33 us; (154.2 MB + 234.5 MB) / 4.916736 TB/s = 79.05 us.
    {.level = 1,
     .id = 50,
     .dense = 2.0 * 256 * 96 * 55 * 55 * 3 * 121,
     .minimum = 2.0 * 256 * 96 * 55 * 55 * 3 * 16,
     .read = 4.0 * 256 * 3 * 224 * 224 + kWeight * (96 * 3 * 121 + 96),
     .written = 4.0 * 256 * 96 * 55 * 55,
     .by = "memory",
     .us = 79.05218},
    // L1/54. x[16, 3, 64, 64, 64], W[64, 3, 3, 3, 3]: 62 results a side, 3 x 27 MACs each, of which fast ones
    // take 3. 1.464 GFLOP / 535.265 TFLOP/s = 2.736 us; (50.34 MB + 913.3 MB) / 4.916736 TB/s = 196 us.
    {.level = 1,
     .id = 54,
     .dense = 2.0 * 16 * 64 * 62 * 62 * 62 * 3 * 27,
     .minimum = 2.0 * 16 * 64 * 62 * 62 * 62 * 3,
     .read = 4.0 * 16 * 3 * 64 * 64 * 64 + kWeight * 64 * 3 * 27,
     .written = 4.0 * 16 * 64 * 62 * 62 * 62,
     .by = "memory",
     .us = 195.9879},
    // L1/57. Transposed: x[8, 64, 1024, 1024], W[64, 64, 3, 3]: every input meets 64 x 9 weights, and no
    // inserted zero. Fast: 64. Results are 1024 + 2 a side. 68.72 GFLOP / 535.265 TFLOP/s = 128.4 us; (2.148
    // GB + 2.093 GB) / 4.916736 TB/s = 862.5 us.
    {.level = 1,
     .id = 57,
     .dense = 2.0 * 8 * 64 * 1024 * 1024 * 64 * 9,
     .minimum = 2.0 * 8 * 64 * 1024 * 1024 * 64,
     .read = 4.0 * 8 * 64 * 1024 * 1024 + kWeight * 64 * 64 * 9,
     .written = 4.0 * 8 * 64 * 1026 * 1026,
     .by = "memory",
     .us = 862.47},
    // L1/61. Transposed: x[8, 48, 64, 64, 64], W[48, 48, 3, 3, 3]: 48 x 27 MACs an input, fast ones 48; 66
    // results a side. 9.664 GFLOP / 535.265 TFLOP/s = 18.05 us; (402.8 MB + 378.7 MB) / 4.916736 TB/s = 158.9
    // us.
    {.level = 1,
     .id = 61,
     .dense = 2.0 * 8 * 48 * 64 * 64 * 64 * 48 * 27,
     .minimum = 2.0 * 8 * 48 * 64 * 64 * 64 * 48,
     .read = 4.0 * 8 * 48 * 64 * 64 * 64 + kWeight * 48 * 48 * 27,
     .written = 4.0 * 8 * 48 * 66 * 66 * 66,
     .by = "memory",
     .us = 158.9429},
    // L1/63. x[16, 16, 1024, 1024], W[128, 16, 3, 3]: 1022 results a side, 16 x 9 MACs each, fast ones 16.
    // 68.45 GFLOP / 535.265 TFLOP/s = 127.9 us; (1.074 GB + 8.493 GB) / 4.916736 TB/s = 1946 us.
    {.level = 1,
     .id = 63,
     .dense = 2.0 * 16 * 128 * 1022 * 1022 * 16 * 9,
     .minimum = 2.0 * 16 * 128 * 1022 * 1022 * 16,
     .read = 4.0 * 16 * 16 * 1024 * 1024 + kWeight * 128 * 16 * 9,
     .written = 4.0 * 16 * 128 * 1022 * 1022,
     .by = "memory",
     .us = 1945.861},
    // L1/64. Transposed: x[64, 128, 65536], W[128, 128, 3]: 128 x 3 MACs an input, fast ones 128; 65538
    // results. 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; (2.148 GB + 2.085 GB) / 4.916736 TB/s = 860.8 us.
    {.level = 1,
     .id = 64,
     .dense = 2.0 * 64 * 128 * 65536 * 128 * 3,
     .minimum = 2.0 * 64 * 128 * 65536 * 128,
     .read = 4.0 * 64 * 128 * 65536 + kWeight * 128 * 128 * 3,
     .written = 4.0 * 64 * 128 * 65538,
     .by = "memory",
     .us = 860.7814},
    // L1/67. x[32, 64, 131072], W[128, 64, 3]: 131070 results, 64 x 3 MACs each, fast ones 64. 68.72 GFLOP /
    // 535.265 TFLOP/s = 128.4 us; (1.074 GB + 2.085 GB) / 4.916736 TB/s = 642.4 us.
    {.level = 1,
     .id = 67,
     .dense = 2.0 * 32 * 128 * 131070 * 64 * 3,
     .minimum = 2.0 * 32 * 128 * 131070 * 64,
     .read = 4.0 * 32 * 64 * 131072 + kWeight * 128 * 64 * 3,
     .written = 4.0 * 32 * 128 * 131070,
     .by = "memory",
     .us = 642.3645},
    // L1/72. Transposed, 4 groups: x[8, 32, 12, 24, 48], W[32, 8, 3, 5, 7]: an input meets 8 x 105 weights.
    // Stride 2: two sequences a side, so 8 of 105 products. Results: 11 x 2 - 2 + 3 + 1 = 24, 23 x 2 - 4 + 5
    // + 1 = 48, 47 x 2 - 6 + 7 + 1 = 96. 453 MFLOP / 535.265 TFLOP/s = 0.8463 us; (14.22 MB + 50.33 MB) /
    // 4.916736 TB/s = 13.13 us.
    {.level = 1,
     .id = 72,
     .dense = 2.0 * 8 * 32 * 12 * 24 * 48 * 8 * 105,
     .minimum = 2.0 * 8 * 32 * 12 * 24 * 48 * 8 * 8,
     .read = 4.0 * 8 * 32 * 12 * 24 * 48 + kWeight * 32 * 8 * 105,
     .written = 4.0 * 8 * 32 * 24 * 48 * 96,
     .by = "memory",
     .us = 13.12889},
    // L1/73. Called grouped, but the problem hands its 4 to output_padding, which it ignores: one group.
    // Transposed: x[4, 32, 32, 64, 128], W[32, 32, 3, 3, 3]: 32 x 27 MACs an input; stride 2: 8 of 27.
    // Results: 31 x 2 - 2 + 3 = 63, 127, 255. 17.18 GFLOP / 535.265 TFLOP/s = 32.1 us; (134.3 MB + 981.7 MB)
    // / 4.916736 TB/s = 227 us.
    {.level = 1,
     .id = 73,
     .dense = 2.0 * 4 * 32 * 32 * 64 * 128 * 32 * 27,
     .minimum = 2.0 * 4 * 32 * 32 * 64 * 128 * 32 * 8,
     .read = 4.0 * 4 * 32 * 32 * 64 * 128 + kWeight * 32 * 32 * 27,
     .written = 4.0 * 4 * 32 * 63 * 127 * 255,
     .by = "memory",
     .us = 226.9757},
    // L1/75. Transposed, 4 groups: x[16, 32, 128, 256], W[32, 16, 3, 5], stride (2, 3), dilation (2, 1): 16 x
    // 15 MACs an input. Rows are 2 apart and so are their taps: one sequence of 3; columns are 3 apart: 3
    // sequences of 5 taps: 3 of 15 products. Results: 127 x 2 - 2 + 5 = 257, 255 x 3 - 4 + 5 = 766. 1.611
    // GFLOP / 535.265 TFLOP/s = 3.009 us; (67.13 MB + 743.4 MB) / 4.916736 TB/s = 164.9 us.
    {.level = 1,
     .id = 75,
     .dense = 2.0 * 16 * 32 * 128 * 256 * 16 * 15,
     .minimum = 2.0 * 16 * 32 * 128 * 256 * 16 * 3,
     .read = 4.0 * 16 * 32 * 128 * 256 + kWeight * 32 * 16 * 15,
     .written = 4.0 * 16 * 64 * 257 * 766,
     .by = "memory",
     .us = 164.8572},
    // L1/76. x[64, 64, 524280], W[128, 64, 3], stride 3, dilation 4: span 9, so 524271 / 3 + 1 = 174758
    // results. Taps 0, 4, 8 of stride 3 fall on different remainders of 3: nothing is shared, and 3 x 174758
    // of 524280 inputs are read. 549.7 GFLOP / 535.265 TFLOP/s = 1027 us; (8.59 GB + 5.664 GB) / 4.916736
    // TB/s = 2899 us.
    {.level = 1,
     .id = 76,
     .dense = 2.0 * 64 * 128 * 174758 * 64 * 3,
     .read = 4.0 * 64 * 64 * 3 * 174758 + kWeight * 128 * 64 * 3,
     .written = 4.0 * 64 * 128 * 174758,
     .by = "memory",
     .us = 2898.939},
    // L1/77. Transposed: x[16, 32, 16, 32, 32], W[32, 64, 3, 3, 3], stride 2 and dilation 2: 64 x 27 MACs an
    // input; rows and taps are both 2 apart, one sequence: 1 of 27. Results: 15 x 2 - 2 + 5 = 33, 65, 65.
    // 1.074 GFLOP / 535.265 TFLOP/s = 2.006 us; (33.69 MB + 508.2 MB) / 4.916736 TB/s = 110.2 us.
    {.level = 1,
     .id = 77,
     .dense = 2.0 * 16 * 32 * 16 * 32 * 32 * 64 * 27,
     .minimum = 2.0 * 16 * 32 * 16 * 32 * 32 * 64,
     .read = 4.0 * 16 * 32 * 16 * 32 * 32 + kWeight * 32 * 64 * 27,
     .written = 4.0 * 16 * 64 * 33 * 65 * 65,
     .by = "memory",
     .us = 110.2064},
    // L1/82. Depthwise: x[16, 64, 512, 512], W[64, 1, 3, 3]: 510 results a side, 9 MACs each of one channel,
    // fast ones 1. 532.7 MFLOP / 535.265 TFLOP/s = 0.9952 us; (1.074 GB + 1.002 GB) / 4.916736 TB/s = 422.3
    // us.
    {.level = 1,
     .id = 82,
     .dense = 2.0 * 16 * 64 * 510 * 510 * 9,
     .minimum = 2.0 * 16 * 64 * 510 * 510,
     .read = 4.0 * 16 * 64 * 512 * 512 + kWeight * 64 * 9,
     .written = 4.0 * 16 * 64 * 510 * 510,
     .by = "memory",
     .us = 422.2717},
    // L1/86. Depthwise with padding 1, x[16, 64, 512, 512], W[64, 1, 3, 3]: 9 MACs a result, then 64 channels
    // to 128: 64 MACs for each of 128. As one dense 3 x 3 convolution, made fast, a MAC of each of 64
    // channels for each of 128. What lies between is not moved. 68.72 GFLOP / 535.265 TFLOP/s = 128.4 us;
    // (1.074 GB + 2.085 GB) / 4.916736 TB/s = 642.4 us.
    {.level = 1,
     .id = 86,
     .dense = 2.0 * 16 * 64 * 512 * 512 * 9 + 2.0 * 16 * 512 * 512 * 64 * 128,
     .minimum = 2.0 * 16 * 512 * 512 * 64 * 128,
     .read = 4.0 * 16 * 64 * 512 * 512 + kWeight * (64 * 9 + 128 * 64),
     .written = 4.0 * 16 * 128 * 512 * 512,
     .by = "memory",
     .us = 642.3635},
    // L1/87. Pointwise: x[16, 64, 1024, 1024] to 128 channels: a product of 16777216 rows, 64 MACs for each
    // of 128. 274.9 GFLOP / 535.265 TFLOP/s = 513.5 us; (4.295 GB + 8.527 GB) / 4.916736 TB/s = 2608 us.
    {.level = 1,
     .id = 87,
     .dense = 2.0 * 16 * 1024 * 1024 * 64 * 128,
     .read = 4.0 * 16 * 64 * 1024 * 1024 + kWeight * 128 * 64,
     .written = 4.0 * 16 * 128 * 1024 * 1024,
     .by = "memory",
     .us = 2607.829},
};

TEST(SolReference, Convolutions) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
