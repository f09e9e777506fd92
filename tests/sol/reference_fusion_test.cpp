// Products and convolutions with what follows them, some of which makes most of the work needless.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L2/1. x[128, 64, 128, 128], W[128, 64, 3, 3]: 126 results a side, 64 x 9 MACs, fast ones 64; relu
    // between two biases. 33.29 GFLOP / 535.265 TFLOP/s = 62.2 us; (537 MB + 977.5 MB) / 4.916736 TB/s = 308
    // us.
    {.level = 2,
     .id = 1,
     .dense = 2.0 * 128 * 128 * 126 * 126 * 64 * 9,
     .minimum = 2.0 * 128 * 128 * 126 * 126 * 64,
     .read = 4.0 * 128 * 64 * 128 * 128 + kWeight * (128 * 64 * 9 + 2 * 128),
     .written = 4.0 * 128 * 128 * 126 * 126,
     .by = "memory",
     .us = 308.0462},
    // L2/2. Transposed with stride 2: x[128, 64, 128, 128], W[64, 64, 3, 3]: 64 x 9 MACs an input; two
    // sequences a side: 4 of 9. 127 x 2 - 2 + 3 + 1 = 256 results a side; two biases that are one. 68.72
    // GFLOP / 535.265 TFLOP/s = 128.4 us; (537 MB + 2.085 GB) / 4.916736 TB/s = 533.2 us.
    {.level = 2,
     .id = 2,
     .dense = 2.0 * 128 * 64 * 128 * 128 * 64 * 9,
     .minimum = 2.0 * 128 * 64 * 128 * 128 * 64 * 4,
     .read = 4.0 * 128 * 64 * 128 * 128 + kWeight * (64 * 64 * 9 + 64),
     .written = 4.0 * 128 * 64 * 256 * 256,
     .by = "memory",
     .us = 533.1846},
    // L2/9. relu((x W' + b - 2) * 1.5) of x[1024, 8192] in [0, 1): with torch's initial weights no product
    // reaches 2, so all results are 0 and stay in L2. Of any inputs: all products.
    {.level = 2,
     .id = 9,
     .dense = 2.0 * 1024 * 8192 * 8192,
     .minimum = 0,
     .written = 4.0 * 1024 * 8192,
     .any_inputs_us = 256.7679},
    // L2/14. sum((x W') / 2, dim=1) * 1.5 of x[1024, 8192] is x times the sum of W's rows, made at load: a
    // MAC an element of x. 16.78 MFLOP / 535.265 TFLOP/s = 0.03134 us; 33.57 MB / 4.916736 TB/s = 6.828 us.
    {.level = 2,
     .id = 14,
     .dense = 2.0 * 1024 * 8192 * 8192,
     .minimum = 2.0 * 1024 * 8192,
     .read = 4.0 * 1024 * 8192 + kWeight * 8192,
     .written = 4.0 * 1024,
     .by = "memory",
     .us = 6.828491},
    // L2/18. The same; maximum, mean and two logsumexp are over one element, so they are that element. The
    // biases are one sum. 16.78 MFLOP / 535.265 TFLOP/s = 0.03134 us; 33.57 MB / 4.916736 TB/s = 6.828 us.
    {.level = 2,
     .id = 18,
     .dense = 2.0 * 1024 * 8192 * 8192,
     .minimum = 2.0 * 1024 * 8192,
     .read = 4.0 * 1024 * 8192 + kWeight * (8192 + 1),
     .written = 4.0 * 1024,
     .by = "memory",
     .us = 6.828492},
    // L2/20. Transposed with stride 2: x[16, 32, 16, 32, 32], W[32, 64, 3, 3, 3]: 64 x 27 MACs an input; 8 of
    // 27. Results: 15 x 2 - 2 + 3 + 1 = 32, 64, 64; the rest is pointwise, with one more bias. 8.59 GFLOP /
    // 535.265 TFLOP/s = 16.05 us; (33.69 MB + 474 MB) / 4.916736 TB/s = 103.2 us.
    {.level = 2,
     .id = 20,
     .dense = 2.0 * 16 * 32 * 16 * 32 * 32 * 64 * 27,
     .minimum = 2.0 * 16 * 32 * 16 * 32 * 32 * 64 * 8,
     .read = 4.0 * 16 * 32 * 16 * 32 * 32 + kWeight * (32 * 64 * 27 + 2 * 64),
     .written = 4.0 * 16 * 64 * 32 * 64 * 64,
     .by = "memory",
     .us = 103.2478},
    // L2/23. The mean over all of a group norm with equal weights, as torch makes them, is the mean of its 24
    // biases (x[128, 3, 24, 32, 32], W[24, 3, 3, 3, 3]: 22 x 30 x 30 results of 81 MACs). 57 B / 4.916736
    // TB/s = 1.159e-05 us.
    {.level = 2,
     .id = 23,
     .dense = 2.0 * 128 * 24 * 22 * 30 * 30 * 81,
     .minimum = 0,
     .read = kWeight * 24,
     .written = 4.0 * 128,
     .by = "memory",
     .us = 1.159306e-05},
    // L2/44. Transposed with stride 2, then means over space, which are linear: x[16, 64, 128, 128] is
    // summed, for each tap without what it puts outside (127 x 2 - 2 + 3 + 1 = 256). Along a side only tap 0
    // puts something there (at -1), so taps 1 and 2 meet the same sum and are added at load: 2 x 2 sums of 64
    // channels meet 128 columns. 1.049 MFLOP / 535.265 TFLOP/s = 0.001959 us; 67.19 MB / 4.916736 TB/s =
    // 13.66 us.
    {.level = 2,
     .id = 44,
     .dense = 2.0 * 16 * 64 * 128 * 128 * 128 * 9,
     .minimum = 2.0 * 16 * 64 * 128 * 4,
     .read = 4.0 * 16 * 64 * 128 * 128 + kWeight * (64 * 128 * 4 + 128),
     .written = 4.0 * 16 * 128,
     .by = "memory",
     .us = 13.66496},
    // L2/45. x[16384, 2048] to 4096, sigmoid, to 1024, logsumexp of each row. 412.3 GFLOP / 535.265 TFLOP/s =
    // 770.3 us; 164.1 MB / 4.916736 TB/s = 33.38 us.
    {.level = 2,
     .id = 45,
     .dense = 2.0 * 16384 * 2048 * 4096 + 2.0 * 16384 * 4096 * 1024,
     .read = 4.0 * 16384 * 2048 + kWeight * (4096 * 2048 + 4096 + 1024 * 4096 + 1024),
     .written = 4.0 * 16384,
     .by = "tensor",
     .us = 770.3038},
    // L2/51. gelu(mean(x W' + b - s, dim=1)) + x of x[2048, 8192]: x times the mean of W's rows, made at
    // load, as is the mean of b - s. x is read once for both. 33.55 MFLOP / 535.265 TFLOP/s = 0.06269 us;
    // (67.13 MB + 4.194 MB) / 4.916736 TB/s = 14.51 us.
    {.level = 2,
     .id = 51,
     .dense = 2.0 * 2048 * 8192 * 8192,
     .minimum = 2.0 * 2048 * 8192,
     .read = 4.0 * 2048 * 8192 + kWeight * (8192 + 1),
     .written = 4.0 * 2048 * 8192,
     .by = "memory",
     .us = 14.50609},
    // L2/55. x[128, 32768] to 32768, maxima of pairs, sums: W of 32768 x 32768 is longer to read than to
    // multiply. 274.9 GFLOP / 535.265 TFLOP/s = 513.5 us; 2.567 GB / 4.916736 TB/s = 522.1 us.
    {.level = 2,
     .id = 55,
     .dense = 2.0 * 128 * 32768 * 32768,
     .read = 4.0 * 128 * 32768 + kWeight * (32768.0 * 32768 + 32768),
     .written = 4.0 * 128,
     .by = "memory",
     .us = 522.0927},
    // L2/63. relu(x W' + b) / 2 of x[1024, 8192]. 137.4 GFLOP / 535.265 TFLOP/s = 256.8 us; 193 MB / 4.916736
    // TB/s = 39.25 us.
    {.level = 2,
     .id = 63,
     .dense = 2.0 * 1024 * 8192 * 8192,
     .read = 4.0 * 1024 * 8192 + kWeight * (8192 * 8192 + 8192),
     .written = 4.0 * 1024 * 8192,
     .by = "tensor",
     .us = 256.7679},
    // L2/80. One maximum a row less the mean of that one is 0, and so is its GELU.
    {.level = 2, .id = 80, .dense = 2.0 * 1024 * 8192 * 8192, .minimum = 0, .written = 4.0 * 1024},
    // L2/82. x[128, 8, 256, 256], W[64, 8, 3, 3]: 254 results a side; tanh, scale, bias; maxima of 4 x 4: 63
    // a side, of 252 of the 254, which read 254 of the 256 inputs. 8.324 GFLOP 535.265 TFLOP/s = 15.55 us;
    // (264.3 MB + 67.14 MB) / 4.916736 TB/s = 67.4 us.
    {.level = 2,
     .id = 82,
     .dense = 2.0 * 128 * 64 * 254 * 254 * 8 * 9,
     .minimum = 2.0 * 128 * 64 * 252 * 252 * 8,
     .read = 4.0 * 128 * 8 * 254 * 254 + kWeight * (64 * 8 * 9 + 2 * 64),
     .written = 4.0 * 128 * 64 * 63 * 63,
     .by = "memory",
     .us = 67.40456},
    // L2/83. min(y, 0) clamped to [0, 1] is 0, and dropout leaves it (x[128, 3, 16, 64, 64], W[16, 3, 3, 3,
    // 3]: 14 x 62 x 62 results of 81 MACs, 441 MB of zeros to write, less L2). (0 B + 377.9 MB) / 4.916736
    // TB/s = 76.87 us.
    {.level = 2,
     .id = 83,
     .dense = 2.0 * 128 * 16 * 14 * 62 * 62 * 81,
     .minimum = 0,
     .written = 4.0 * 128 * 16 * 14 * 62 * 62,
     .by = "memory",
     .us = 76.86931},
};

TEST(SolReference, Fusions) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
