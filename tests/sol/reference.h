#pragma once
// Why: what a problem takes at least is worked out by hand from its text, so that speed of light is judged by
// something else than itself. A table of such problems is data; how they are checked stands here.
//
// How a hand counts. All are on one H200, f32 data multiplied as tf32:
// - A MAC is 2 FLOPs. 2048 FLOP a clock and SM x 132 SMs x 1.98 GHz = 535.265 TFLOP/s.
// - Memory: 6144 bits x 6.402 Gbit/s / 8 = 4.916736 TB/s. Each byte of inputs is read once and each of
// results
//   written once, of which 62914560 may still lie in L2.
// - A fast convolution (Winograd, Fourier) takes one product a result and channel for each sequence that its
//   stride cuts the taps of a dimension into; a transposed one, for each input.
// - The time is the longer one of both.
#include <optional>
#include <span>
#include <string_view>

namespace uc::test {

/// Bytes of a weight at least: tf32 has 19 bits, and weights may be packed when they are loaded.
inline constexpr double kWeight = 19.0 / 8;

struct Reference {
  int level, id;                             ///< of KernelBench
  double dense = 0;                          ///< FLOPs as written
  std::optional<double> minimum = {};        ///< FLOPs at least; `dense` unless said
  double read = 0, written = 0;              ///< bytes
  std::string_view by = {};                  ///< "tensor" or "memory"; nothing to wait for: empty
  double us = 0;                             ///< certified bound, microseconds
  std::optional<double> any_inputs_us = {};  ///< where `us` leans on what was seen in the data
  /// Shares by which the report may be below or above the hand; the case's comment says why.
  double read_less = 0, read_more = 0, minimum_more = 0;
};

/// Holds the report of each problem's capture against its reference.
void expect_bounds(std::span<const Reference> references);

}  // namespace uc::test
