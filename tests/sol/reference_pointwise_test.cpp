// Activations, norms, softmax and pools: memory alone.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L1/5. A[65536, 16384] * s: each element in and out. (4.295 GB + 4.232 GB) / 4.916736 TB/s = 1734 us.
    {.level = 1,
     .id = 5,
     .read = 4.0 * 65536 * 16384,
     .written = 4.0 * 65536 * 16384,
     .by = "memory",
     .us = 1734.285},
    // L1/19. relu of x[4096, 393216]. (6.442 GB + 6.38 GB) / 4.916736 TB/s = 2608 us.
    {.level = 1,
     .id = 19,
     .read = 4.0 * 4096 * 393216,
     .written = 4.0 * 4096 * 393216,
     .by = "memory",
     .us = 2607.825},
    // L1/21. sigmoid of x[4096, 393216]: two special functions an element, 3.2e9 / (16 x 132 x 1.98e9) = 770
    // us at most. (6.442 GB + 6.38 GB) / 4.916736 TB/s = 2608 us.
    {.level = 1,
     .id = 21,
     .read = 4.0 * 4096 * 393216,
     .written = 4.0 * 4096 * 393216,
     .by = "memory",
     .us = 2607.825},
    // L1/88. A GELU in eight operators over x[8192, 8192]: one pass. (268.4 MB + 205.5 MB) / 4.916736 TB/s =
    // 96.4 us.
    {.level = 1,
     .id = 88,
     .read = 4.0 * 8192 * 8192,
     .written = 4.0 * 8192 * 8192,
     .by = "memory",
     .us = 96.39654},
    // L1/33. Batch norm that trains, x[64, 64, 512, 512]: statistics and their use as if x stayed in the
    // chip: once in, once out; a weight and a bias a channel. Running statistics are no result. (4.295 GB +
    // 4.232 GB) / 4.916736 TB/s = 1734 us.
    {.level = 1,
     .id = 33,
     .read = 4.0 * 64 * 64 * 512 * 512 + kWeight * 2 * 64,
     .written = 4.0 * 64 * 64 * 512 * 512,
     .by = "memory",
     .us = 1734.285},
    // L1/34. Instance norm of x[112, 64, 512, 512] without weights. (7.516 GB + 7.453 GB) / 4.916736 TB/s =
    // 3045 us.
    {.level = 1,
     .id = 34,
     .read = 4.0 * 112 * 64 * 512 * 512,
     .written = 4.0 * 112 * 64 * 512 * 512,
     .by = "memory",
     .us = 3044.595},
    // L1/35. Group norm of x[112, 64, 512, 512]: a weight and a bias a channel. (7.516 GB + 7.453 GB) /
    // 4.916736 TB/s = 3045 us.
    {.level = 1,
     .id = 35,
     .read = 4.0 * 112 * 64 * 512 * 512 + kWeight * 2 * 64,
     .written = 4.0 * 112 * 64 * 512 * 512,
     .by = "memory",
     .us = 3044.595},
    // L1/36. x / sqrt(mean(x^2) + eps) in five operators over x[112, 64, 512, 512]. (7.516 GB + 7.453 GB) /
    // 4.916736 TB/s = 3045 us.
    {.level = 1,
     .id = 36,
     .read = 4.0 * 112 * 64 * 512 * 512,
     .written = 4.0 * 112 * 64 * 512 * 512,
     .by = "memory",
     .us = 3044.595},
    // L1/37. x / |x| over all of x[112, 64, 512, 512]. (7.516 GB + 7.453 GB) / 4.916736 TB/s = 3045 us.
    {.level = 1,
     .id = 37,
     .read = 4.0 * 112 * 64 * 512 * 512,
     .written = 4.0 * 112 * 64 * 512 * 512,
     .by = "memory",
     .us = 3044.595},
    // L1/40. Layer norm over [64, 256, 256] of x[16, ...]: a weight and a bias for each of 4194304 places.
    // (288.4 MB + 205.5 MB) / 4.916736 TB/s = 100.4 us.
    {.level = 1,
     .id = 40,
     .read = 4.0 * 16 * 64 * 256 * 256 + kWeight * 2 * 64 * 256 * 256,
     .written = 4.0 * 16 * 64 * 256 * 256,
     .by = "memory",
     .us = 100.4486},
    // L1/23. softmax over rows of 393216: x[4096, 393216] once in, once out: 12.9 GB. (6.442 GB + 6.38 GB) /
    // 4.916736 TB/s = 2608 us.
    {.level = 1,
     .id = 23,
     .read = 4.0 * 4096 * 393216,
     .written = 4.0 * 4096 * 393216,
     .by = "memory",
     .us = 2607.825},
    // L1/41. Maxima of 8, 3 apart, padding 4, stride 1, over x[64, 192, 65536]: 65536 + 8 - 22 + 1 = 65523
    // results. (3.221 GB + 3.158 GB) / 4.916736 TB/s = 1297 us.
    {.level = 1,
     .id = 41,
     .read = 4.0 * 64 * 192 * 65536,
     .written = 4.0 * 64 * 192 * 65523,
     .by = "memory",
     .us = 1297.385},
    // L1/42. Maxima of 4 x 4, padding 1, stride 1, over x[32, 64, 512, 512]: 511 results a side. (2.147 GB +
    // 2.076 GB) / 4.916736 TB/s = 859 us.
    {.level = 1,
     .id = 42,
     .read = 4.0 * 32 * 64 * 512 * 512,
     .written = 4.0 * 32 * 64 * 511 * 511,
     .by = "memory",
     .us = 859.0399},
    // L1/43. Maxima of 3, 3 apart, stride 2, padding 1, over sides of 128: (128 + 2 - 7) / 2 + 1 = 62
    // results. They read 2 o - 1, 2 o + 2 and 2 o + 5: the odd 1 to 127 are 64, the even 2 to 124 are 62: 126
    // of 128 a side. (4.097 GB + 425.2 MB) / 4.916736 TB/s = 919.7 us.
    {.level = 1,
     .id = 43,
     .read = 4.0 * 16 * 32 * 126 * 126 * 126,
     .written = 4.0 * 16 * 32 * 62 * 62 * 62,
     .by = "memory",
     .us = 919.7059},
    // L1/44. Means of 8, padding 4, stride 1, over x[64, 128, 65536]: 65537 results. (2.147 GB + 2.085 GB) /
    // 4.916736 TB/s = 860.8 us.
    {.level = 1,
     .id = 44,
     .read = 4.0 * 64 * 128 * 65536,
     .written = 4.0 * 64 * 128 * 65537,
     .by = "memory",
     .us = 860.751},
    // L1/45. Means of 11 x 11 side by side over x[16, 64, 2048, 2048]: 186 results a side, of 2046 of 2048
    // inputs. (17.15 GB + 78.79 MB) / 4.916736 TB/s = 3503 us.
    {.level = 1,
     .id = 45,
     .read = 4.0 * 16 * 64 * 2046 * 2046,
     .written = 4.0 * 16 * 64 * 186 * 186,
     .by = "memory",
     .us = 3503.365},
    // L1/46. Means of 3^3, stride 2, padding 1, over x[16, 32, 128, 128, 256]: 64 x 64 x 128 results. (8.59
    // GB + 1.011 GB) / 4.916736 TB/s = 1953 us.
    {.level = 1,
     .id = 46,
     .read = 4.0 * 16 * 32 * 128 * 128 * 256,
     .written = 4.0 * 16 * 32 * 64 * 64 * 128,
     .by = "memory",
     .us = 1952.67},
};

TEST(SolReference, PointwiseNormsAndPools) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
