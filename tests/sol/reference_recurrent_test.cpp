// Recurrent layers and state spaces.
#include <gtest/gtest.h>

#include "reference.h"

namespace uc::test {
namespace {

constexpr Reference kReferences[] = {
    // L3/33. One step: [x, h] of 256 x 32768 to 16384, tanh, to 8192. 343.6 GFLOP / 535.265 TFLOP/s = 641.9
    // us; 1.627 GB / 4.916736 TB/s = 331 us.
    {.level = 3,
     .id = 33,
     .dense = 2.0 * 256 * 32768 * 16384 + 2.0 * 256 * 16384 * 8192,
     .read = 2 * 4.0 * 256 * 16384 + kWeight * (16384.0 * 32768 + 16384 + 8192.0 * 16384 + 8192),
     .written = 4.0 * 256 * 8192,
     .by = "tensor",
     .us = 641.9198},
    // L3/34. 256 steps of a batch of 8: 1024 + 256 to 256, and 256 to 128 of each state. 1.476 GFLOP /
    // 535.265 TFLOP/s = 2.758 us; 9.254 MB / 4.916736 TB/s = 1.882 us.
    {.level = 3,
     .id = 34,
     .dense = 256 * (2.0 * 8 * 1280 * 256 + 2.0 * 8 * 256 * 128),
     .read = 4.0 * 256 * 8 * 1024 + 4.0 * 8 * 256 + kWeight * (256 * 1280 + 256 + 128 * 256 + 128),
     .written = 4.0 * 256 * 8 * 128,
     .by = "tensor",
     .us = 2.758249},
    // L3/35. LSTM: 512 steps of a batch of 10 are 5120 rows; 4 x 256 gates over 128 inputs and 256 states,
    // then five layers over 256 and 256; 256 to 10 of the last step, which hangs on all others. Initial
    // states are drawn, not read. The two biases of a gate are one sum, made at load (the report reads both).
    // 30.87 GFLOP / 535.265 TFLOP/s = 57.67 us; 9.802 MB / 4.916736 TB/s = 1.994 us.
    {.level = 3,
     .id = 35,
     .dense = 2.0 * 5120 * 1024 * (128 + 256 + 5 * 512) + 2.0 * 10 * 256 * 10,
     .read = 4.0 * 10 * 512 * 128 + kWeight * (1024 * (128 + 256 + 5 * 512) + 6 * 1024 + 256 * 10 + 10),
     .written = 4.0 * 10 * 10,
     .by = "tensor",
     .us = 57.67258,
     .read_more = 0.002},
    // L3/36. The same with given states h and c of 6 x 10 x 256, of which the last h are returned; the
    // projection is dead. 30.87 GFLOP / 535.265 TFLOP/s = 57.67 us; 9.919 MB / 4.916736 TB/s = 2.017 us.
    {.level = 3,
     .id = 36,
     .dense = 2.0 * 5120 * 1024 * (128 + 256 + 5 * 512),
     .read =
         4.0 * 10 * 512 * 128 + 2 * 4.0 * 6 * 10 * 256 + kWeight * (1024 * (128 + 256 + 5 * 512) + 6 * 1024),
     .written = 4.0 * 6 * 10 * 256,
     .by = "tensor",
     .us = 57.67248,
     .read_more = 0.002},
    // L3/38. Both directions: 128 + 256, then five layers over 2 x 256 and 256; 512 to 10 of the last step.
    // That is the first of the last layer's way back: 10 of its 5120 rows are needed. Weights are needed all
    // the same (the report: a tenth less). 80.55 GFLOP / 535.265 TFLOP/s = 150.5 us; 23.45 MB / 4.916736 TB/s
    // = 4.77 us.
    {.level = 3,
     .id = 38,
     .dense = 2.0 * 5120 * 2 * 1024 * (128 + 256 + 5 * 768) + 2.0 * 10 * 512 * 10,
     .minimum =
         2.0 * 5120 * 2 * 1024 * (128 + 256 + 5 * 768) + 2.0 * 10 * 512 * 10 - 2.0 * (5120 - 10) * 1024 * 768,
     .read = 4.0 * 10 * 512 * 128 + 2 * 4.0 * 12 * 10 * 256 +
             kWeight * (2 * 1024 * (128 + 256 + 5 * 768) + 12 * 1024 + 512 * 10 + 10),
     .written = 4.0 * 10 * 10,
     .by = "tensor",
     .us = 150.4795,
     .read_less = 0.1},
    // L3/39. GRU: 3 x 256 gates over 128 and 256, then five layers over 256 and 256; every state of the last
    // layer is returned. Of the third gate's biases one stands inside a product with the reset gate: 4 x 256
    // numbers a layer. 23.15 GFLOP / 535.265 TFLOP/s = 43.25 us; 8.067 MB / 4.916736 TB/s = 1.641 us.
    {.level = 3,
     .id = 39,
     .dense = 2.0 * 5120 * 768 * (128 + 256 + 5 * 512),
     .read = 4.0 * 512 * 10 * 128 + 4.0 * 6 * 10 * 256 + kWeight * (768 * (128 + 256 + 5 * 512) + 6 * 1024),
     .written = 4.0 * 512 * 10 * 256,
     .by = "tensor",
     .us = 43.25436,
     .read_more = 0.001},
    // L3/40. The same, of which the last state of each layer is returned. 23.15 GFLOP / 535.265 TFLOP/s =
    // 43.25 us; 8.067 MB / 4.916736 TB/s = 1.641 us.
    {.level = 3,
     .id = 40,
     .dense = 2.0 * 5120 * 768 * (128 + 256 + 5 * 512),
     .read = 4.0 * 512 * 10 * 128 + 4.0 * 6 * 10 * 256 + kWeight * (768 * (128 + 256 + 5 * 512) + 6 * 1024),
     .written = 4.0 * 6 * 10 * 256,
     .by = "tensor",
     .us = 43.25436,
     .read_more = 0.002},
    // L3/41. Both directions: 128 + 256, then five layers over 2 x 256 and 256; every state of the last layer
    // is returned. 66.44 GFLOP / 535.265 TFLOP/s = 124.1 us; 18.18 MB / 4.916736 TB/s = 3.698 us.
    {.level = 3,
     .id = 41,
     .dense = 2.0 * 5120 * 2 * 768 * (128 + 256 + 5 * 768),
     .read =
         4.0 * 512 * 10 * 128 + 4.0 * 12 * 10 * 256 + kWeight * (2 * 768 * (128 + 256 + 5 * 768) + 12 * 1024),
     .written = 4.0 * 512 * 10 * 512,
     .by = "tensor",
     .us = 124.1212,
     .read_more = 0.001},
};

TEST(SolReference, RecurrentLayers) { expect_bounds(kReferences); }

}  // namespace
}  // namespace uc::test
