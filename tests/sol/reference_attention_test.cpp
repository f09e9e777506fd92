// Attention: scores are not moved, and a causal mask leaves about half of the pairs.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L1/97. 32 x 32 heads, 512 queries and keys, 1024 features: q k' and p v take 512 x 512 x 1024 MACs
    // each. Scores are not moved. 1.1 TFLOP / 535.265 TFLOP/s = 2054 us; (6.442 GB + 2.085 GB) / 4.916736
    // TB/s = 1734 us.
    {.level = 1,
     .id = 97,
     .dense = 2 * 2.0 * 32 * 32 * 512 * 512 * 1024,
     .read = 3 * 4.0 * 32 * 32 * 512 * 1024,
     .written = 4.0 * 32 * 32 * 512 * 1024,
     .by = "tensor",
     .us = 2054.143},
    // L3/31. x[2, 128, 16384] as 2 x 16384 rows of 128: 128 to 384 for q, k, v; 2 x 4 heads of 16384 x 16384
    // pairs and 32 features, twice; 128 to 128; a norm of 2 x 128 weights. Mean weights over heads are not
    // asked for. Exponentials: 8 x 16384^2 / 4.18e12 = 514 us at most. 279.2 GFLOP / 535.265 TFLOP/s = 521.6
    // us; 16.93 MB / 4.916736 TB/s = 3.444 us.
    {.level = 3,
     .id = 31,
     .dense = 2.0 * 32768 * 128 * 384 + 2 * 2.0 * 2 * 4 * 16384 * 16384 * 32 + 2.0 * 32768 * 128 * 128,
     .read = 4.0 * 2 * 128 * 16384 + kWeight * (384 * 128 + 384 + 128 * 128 + 128 + 2 * 128),
     .written = 4.0 * 2 * 128 * 16384,
     .by = "tensor",
     .us = 521.5598},
    // L3/43. x[128, 512, 768]: 65536 rows of 768 to 3 x 768 and of 768 to 768; 128 x 8 heads of 512 x 512
    // pairs and 96 features, twice, of which a query sees itself and what is before: 513 / 1024. The mask is
    // a triangle and need not be read (the report: a byte a pair). 360.9 GFLOP / 535.265 TFLOP/s = 674.2 us;
    // (206.9 MB + 138.4 MB) / 4.916736 TB/s = 70.24 us.
    {.level = 3,
     .id = 43,
     .dense = 2.0 * 65536 * 768 * 2304 + 2.0 * 65536 * 768 * 768 + 2 * 2.0 * 128 * 8 * 512 * 512 * 96,
     .minimum = 2.0 * 65536 * 768 * 2304 + 2.0 * 65536 * 768 * 768 + 2 * 2.0 * 128 * 8 * 512 * 513 / 2 * 96,
     .read = 4.0 * 65536 * 768 + kWeight * (2304 * 768 + 2304 + 768 * 768 + 768),
     .written = 4.0 * 65536 * 768,
     .by = "tensor",
     .us = 674.2039,
     .read_more = 0.002},
    // L3/44. The same between two norms of 2 x 768 weights, then 768 to 3072 and back. 979.4 GFLOP / 535.265
    // TFLOP/s = 1830 us; (218.2 MB + 138.4 MB) / 4.916736 TB/s = 72.52 us.
    {.level = 3,
     .id = 44,
     .dense = 2.0 * 65536 * 768 * 2304 + 2.0 * 65536 * 768 * 768 + 2 * 2.0 * 128 * 8 * 512 * 512 * 96 +
              2 * 2.0 * 65536 * 768 * 3072,
     .minimum = 2.0 * 65536 * 768 * 2304 + 2.0 * 65536 * 768 * 768 + 2 * 2.0 * 128 * 8 * 512 * 513 / 2 * 96 +
                2 * 2.0 * 65536 * 768 * 3072,
     .read = 4.0 * 65536 * 768 +
             kWeight * (4 * 768 + 2304 * 768 + 2304 + 768 * 768 + 768 + 2 * 3072 * 768 + 3072 + 768),
     .written = 4.0 * 65536 * 768,
     .by = "tensor",
     .us = 1829.66,
     .read_more = 0.002},
    // L3/50. x[16, 1024, 768]: 768 to 3 x 768; 16 x 12 heads of 1024 x 1024 pairs and 64 features, twice, of
    // which
    // relu leaves nothing where the mask put -inf: 1025 / 2048. The last projection is declared and not
    // called, and
    // the mask is a triangle and need not be read (the report: a byte a pair of it). 83.78 GFLOP / 535.265
    // TFLOP/s =
    // 156.5 us; 54.54 MB / 4.916736 TB/s = 11.09 us.
    {.level = 3,
     .id = 50,
     .dense = 2.0 * 16384 * 768 * 2304 + 2 * 2.0 * 16 * 12 * 1024 * 1024 * 64,
     .minimum = 2.0 * 16384 * 768 * 2304 + 2 * 2.0 * 16 * 12 * 1024 * 1025 / 2 * 64,
     .read = 4.0 * 16384 * 768 + kWeight * (2304 * 768 + 2304),
     .written = 4.0 * 16384 * 768,
     .by = "tensor",
     .us = 156.515,
     .read_more = 0.01},
};

TEST(SolReference, Attention) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
