// Networks as a whole.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L3/1. x[128, 16384] to 16384, to 16384, to 8192: 671 M weights at 19 bits are longer to read than to
    // multiply. 171.8 GFLOP / 535.265 TFLOP/s = 321 us; 1.602 GB / 4.916736 TB/s = 325.9 us.
    {.level = 3,
     .id = 1,
     .dense = 2.0 * 128 * (2 * 16384.0 * 16384 + 16384.0 * 8192),
     .read = 4.0 * 128 * 16384 + kWeight * (2 * 16384.0 * 16384 + 16384.0 * 8192 + 2 * 16384 + 8192),
     .written = 4.0 * 128 * 8192,
     .by = "memory",
     .us = 325.8913},
    // L3/3. x[1024, 8192] to 1024, fifteen times 1024 to 1024, to 8192. 66.57 GFLOP / 535.265 TFLOP/s = 124.4
    // us; 110.8 MB / 4.916736 TB/s = 22.54 us.
    {.level = 3,
     .id = 3,
     .dense = 2.0 * 1024 * (2 * 8192.0 * 1024 + 15 * 1024.0 * 1024),
     .read = 4.0 * 1024 * 8192 + kWeight * (2 * 8192.0 * 1024 + 15 * 1024.0 * 1024 + 16 * 1024 + 8192),
     .written = 4.0 * 1024 * 8192,
     .by = "tensor",
     .us = 124.372},
    // L3/4. LeNet-5, 4096 images of 32 x 32: 28 x 28 of 6 channels, 25 MACs; pooled to 14; 10 x 10 of 16
    // channels, 6 x 25 MACs; pooled to 5; 400 to 120 to 84 to 20. Fast convolutions take 1 of 25. 606.7 MFLOP
    // / 535.265 TFLOP/s = 1.134 us; 16.93 MB / 4.916736 TB/s = 3.442 us.
    {.level = 3,
     .id = 4,
     .dense = 2.0 * 4096 * (6 * 28 * 28 * 25 + 16 * 10 * 10 * 150 + 400 * 120 + 120 * 84 + 84 * 20),
     .minimum = 2.0 * 4096 * (6 * 28 * 28 + 16 * 10 * 10 * 6 + 400 * 120 + 120 * 84 + 84 * 20),
     .read = 4.0 * 4096 * 32 * 32 +
             kWeight * (6 * 25 + 6 + 16 * 150 + 16 + 400 * 120 + 120 + 120 * 84 + 84 + 84 * 20 + 20),
     .written = 4.0 * 4096 * 20,
     .by = "memory",
     .us = 3.442484},
    // L3/5. AlexNet, 1024 images of 3 x 224 x 224: 96 x 55 x 55 of 3 x 121 MACs with stride 4 (16 of 121);
    // pooled to 27; 256 x 27 x 27 of 96 x 25 (1 of 25); pooled to 13; 384, 384, 256 x 13 x 13 of 256, 384,
    // 384 x 9 (1 of 9); pooled to 6; 9216 to 4096 to 4096 to 1000. The pools of 3 with stride 2 leave nothing
    // out. 304.4 GFLOP / 535.265 TFLOP/s = 568.7 us; 764.7 MB / 4.916736 TB/s = 155.5 us.
    {.level = 3,
     .id = 5,
     .dense = 2.0 * 1024 *
              (96 * 3025.0 * 363 + 256 * 729.0 * 2400 + 384 * 169.0 * 2304 + 384 * 169.0 * 3456 +
               256 * 169.0 * 3456 + 9216.0 * 4096 + 4096.0 * 4096 + 4096.0 * 1000),
     .minimum = 2.0 * 1024 *
                (96 * 3025.0 * 48 + 256 * 729.0 * 96 + 384 * 169.0 * 256 + 384 * 169.0 * 384 +
                 256 * 169.0 * 384 + 9216.0 * 4096 + 4096.0 * 4096 + 4096.0 * 1000),
     .read = 4.0 * 1024 * 3 * 224 * 224 +
             kWeight * (96 * 363 + 96 + 256 * 2400 + 256 + 384 * 2304 + 384 + 384 * 3456 + 384 + 256 * 3456 +
                        256 + 4096 * 9216 + 4096 + 4096 * 4096 + 4096 + 1000 * 4096 + 1000),
     .written = 4.0 * 1024 * 1000,
     .by = "tensor",
     .us = 568.6558},
    // L3/8. Basic block, 10 x 224 x 224 results: 3 to 64 of 9 taps, 64 to 64 of 9 taps, and 3 to 64 of one;
    // fast: 3, 64 and 3 MACs. Three norms of their own statistics with 2 x 64 weights each. 4.496 GFLOP /
    // 535.265 TFLOP/s = 8.399 us; (6.114 MB + 65.54 MB) / 4.916736 TB/s = 14.57 us.
    {.level = 3,
     .id = 8,
     .dense = 2.0 * 10 * 224 * 224 * 64 * (3 * 9 + 64 * 9 + 3),
     .minimum = 2.0 * 10 * 224 * 224 * 64 * (3 + 64 + 3),
     .read = 4.0 * 10 * 3 * 224 * 224 + kWeight * (64 * 27 + 64 * 576 + 64 * 3 + 3 * 2 * 64),
     .written = 4.0 * 10 * 64 * 224 * 224,
     .by = "memory",
     .us = 14.57271},
    // L3/11. VGG-16, 10 images: MACs an image of its convolutions, 9 taps each, fast ones 1; then 25088 to
    // 4096 to 4096 to 1000. 36.58 GFLOP / 535.265 TFLOP/s = 68.33 us; 334.6 MB / 4.916736 TB/s = 68.06 us.
    {.level = 3,
     .id = 11,
     .dense = 2.0 * 10 *
              (9 * (50176.0 * (3 * 64 + 64 * 64) + 12544.0 * (64 * 128 + 128 * 128) +
                    3136.0 * (128 * 256 + 2 * 256 * 256) + 784.0 * (256 * 512 + 2 * 512 * 512) +
                    196.0 * 3 * 512 * 512) +
               25088.0 * 4096 + 4096.0 * 4096 + 4096.0 * 1000),
     .minimum = 2.0 * 10 *
                ((50176.0 * (3 * 64 + 64 * 64) + 12544.0 * (64 * 128 + 128 * 128) +
                  3136.0 * (128 * 256 + 2 * 256 * 256) + 784.0 * (256 * 512 + 2 * 512 * 512) +
                  196.0 * 3 * 512 * 512) +
                 25088.0 * 4096 + 4096.0 * 4096 + 4096.0 * 1000),
     .read =
         4.0 * 10 * 3 * 224 * 224 + kWeight * (9.0 * (3 * 64 + 64 * 64 + 64 * 128 + 128 * 128 + 128 * 256 +
                                                      2 * 256 * 256 + 256 * 512 + 5 * 512 * 512) +
                                               2 * 64 + 2 * 128 + 3 * 256 + 6 * 512 + 25088.0 * 4096 +
                                               4096.0 * 4096 + 4096.0 * 1000 + 2 * 4096 + 1000),
     .written = 4.0 * 10 * 1000,
     .by = "tensor",
     .us = 68.33303},
    // L3/17. Fire module, 128 x 256 x 256 places: 3 to 6, then 6 to 64 of one tap and 6 to 64 of nine; fast:
    // 18 + 384 + 384 MACs. 13.19 GFLOP / 535.265 TFLOP/s = 24.64 us; (100.7 MB + 4.232 GB) / 4.916736 TB/s =
    // 881.2 us.
    {.level = 3,
     .id = 17,
     .dense = 2.0 * 128 * 256 * 256 * (18 + 384 + 384 * 9),
     .minimum = 2.0 * 128 * 256 * 256 * (18 + 384 + 384),
     .read = 4.0 * 128 * 3 * 256 * 256 + kWeight * (18 + 6 + 384 + 64 + 384 * 9 + 64),
     .written = 4.0 * 128 * 128 * 256 * 256,
     .by = "memory",
     .us = 881.2199},
    // L3/48. Mamba-2: 2048 x 8 heads of 128 steps in two chunks of 64, 64 features, 16 states. Whatever is
    // made of A, B and C alone is made at load. A chunk's own part is a lower triangle of 64 times 64 x 64
    // features; the first chunk's state is 16 x 64 MACs for each of 64 features, and as many take it to the
    // second; the one before is zero (the report: whole squares, both chunks). Of A the first step is met by
    // nothing. As written: per chunk 64 x 64 + 2 x 16 x 64 for each of 64 features, and 3 x 3 over states.
    // 13.02 GFLOP / 535.265 TFLOP/s = 24.32 us; (701.2 MB + 474 MB) / 4.916736 TB/s = 239 us.
    {.level = 3,
     .id = 48,
     .dense = 2.0 * 2048 * 8 * (2 * (64 * 64 * 64 + 2 * 16 * 64 * 64) + 3 * 3 * 64 * 16),
     .minimum = 2.0 * 2048 * 8 * (2 * 64 * 65 / 2 * 64 + 2 * 16 * 64 * 64),
     .read = 4.0 * 2048 * 128 * 8 * 64 + kWeight * 2048 * 8 * (127 + 2 * 128 * 16),
     .written = 4.0 * 2048 * 128 * 8 * 64,
     .by = "memory",
     .us = 239.0107,
     .read_less = 0.002,
     .minimum_more = 1.0},
    // L3/49. The same, of which the last state is returned: 16 x 128 prepared numbers a head times 128 x 64
    // features (the report: the decay from chunk to chunk apart). What is made within chunks is dead. 4.295
    // GFLOP / 535.265 TFLOP/s = 8.024 us; (616.6 MB + 4.194 MB) / 4.916736 TB/s = 126.3 us.
    {.level = 3,
     .id = 49,
     .dense = 2.0 * 2048 * 8 * (2 * 16 * 64 * 64 + 3 * 3 * 64 * 16),
     .minimum = 2.0 * 2048 * 8 * 16 * 128 * 64,
     .read = 4.0 * 2048 * 128 * 8 * 64 + kWeight * 2048 * 8 * 16 * 128,
     .written = 4.0 * 2048 * 8 * 64 * 16,
     .by = "memory",
     .us = 126.2539,
     .read_more = 0.0002,
     .minimum_more = 0.024},
};

TEST(SolReference, Networks) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
