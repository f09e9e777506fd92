// Reductions, running sums and losses: memory alone, and next to nothing is written.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L1/47. Sums over dimension 1 of x[128, 4096, 4095]; the results stay in L2. 8.588 GB / 4.916736 TB/s =
    // 1747 us.
    {.level = 1,
     .id = 47,
     .read = 4.0 * 128 * 4096 * 4095,
     .written = 4.0 * 128 * 4095,
     .by = "memory",
     .us = 1746.654},
    // L1/48. Means over dimension 1 of x[128, 4096, 4095]. 8.588 GB / 4.916736 TB/s = 1747 us.
    {.level = 1,
     .id = 48,
     .read = 4.0 * 128 * 4096 * 4095,
     .written = 4.0 * 128 * 4095,
     .by = "memory",
     .us = 1746.654},
    // L1/49. Maxima over dimension 1 of x[128, 4096, 4095]; their places, which nobody asks for, are not
    // written. 8.588 GB / 4.916736 TB/s = 1747 us.
    {.level = 1,
     .id = 49,
     .read = 4.0 * 128 * 4096 * 4095,
     .written = 4.0 * 128 * 4095,
     .by = "memory",
     .us = 1746.654},
    // L1/51. Places of maxima over dimension 1 of x[128, 4096, 4095]: results of 8 bytes. 8.588 GB / 4.916736
    // TB/s = 1747 us.
    {.level = 1,
     .id = 51,
     .read = 4.0 * 128 * 4096 * 4095,
     .written = 8.0 * 128 * 4095,
     .by = "memory",
     .us = 1746.654},
    // L1/89. Running sums along rows of x[32768, 32768]. (4.295 GB + 4.232 GB) / 4.916736 TB/s = 1734 us.
    {.level = 1,
     .id = 89,
     .read = 4.0 * 32768 * 32768,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 1734.285},
    // L1/91. The same from the right: two flips that move nothing. (4.295 GB + 4.232 GB) / 4.916736 TB/s =
    // 1734 us.
    {.level = 1,
     .id = 91,
     .read = 4.0 * 32768 * 32768,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 1734.285},
    // L1/92. Running sums of all but the last column, behind a column of zeros: 32767 columns in, 32768 out.
    // (4.295 GB + 4.232 GB) / 4.916736 TB/s = 1734 us.
    {.level = 1,
     .id = 92,
     .read = 4.0 * 32768 * 32767,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 1734.258},
    // L1/93. Running sums of x[32768, 32768] under a mask of one byte an element. (5.369 GB + 4.232 GB) /
    // 4.916736 TB/s = 1953 us.
    {.level = 1,
     .id = 93,
     .read = 4.0 * 32768 * 32768 + 1.0 * 32768 * 32768,
     .written = 4.0 * 32768 * 32768,
     .by = "memory",
     .us = 1952.67},
    // L1/94. Mean of squared differences of two [32768, 32768]: one number. 8.59 GB / 4.916736 TB/s = 1747
    // us.
    {.level = 1, .id = 94, .read = 2 * 4.0 * 32768 * 32768, .written = 4.0, .by = "memory", .us = 1747.081},
    // L1/95. Cross entropy of [32768, 4096] scores and an index of 8 bytes a row: the logarithm of the sum
    // needs all scores. 537.1 MB / 4.916736 TB/s = 109.2 us.
    {.level = 1,
     .id = 95,
     .read = 4.0 * 32768 * 4096 + 8.0 * 32768,
     .written = 4.0,
     .by = "memory",
     .us = 109.2459},
    // L1/96. Smooth L1 of two [32768, 32768]. 8.59 GB / 4.916736 TB/s = 1747 us.
    {.level = 1, .id = 96, .read = 2 * 4.0 * 32768 * 32768, .written = 4.0, .by = "memory", .us = 1747.081},
    // L1/98. Kullback-Leibler divergence of two [16384, 16384]. 2.147 GB / 4.916736 TB/s = 436.8 us.
    {.level = 1, .id = 98, .read = 2 * 4.0 * 16384 * 16384, .written = 4.0, .by = "memory", .us = 436.7702},
    // L1/99. Triplet margin loss of three [32768, 8192]. 3.221 GB / 4.916736 TB/s = 655.2 us.
    {.level = 1, .id = 99, .read = 3 * 4.0 * 32768 * 8192, .written = 4.0, .by = "memory", .us = 655.1553},
    // L1/100. Hinge loss of [32768, 32768] and targets [32768] that are broadcast: each target is read once.
    // 4.295 GB / 4.916736 TB/s = 873.6 us.
    {.level = 1,
     .id = 100,
     .read = 4.0 * 32768 * 32768 + 4.0 * 32768,
     .written = 4.0,
     .by = "memory",
     .us = 873.567},
};

TEST(SolReference, ReductionsScansAndLosses) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
