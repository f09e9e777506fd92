#pragma once
// Why: between one kernel for everything and one an operator lie the ways that programs are really cut; each
// is a sum of rooflines.
#include <vector>

#include "sol/bound.h"

namespace uc::sol {

/// Rates and licence that levels are counted at.
struct At {
  const DeviceSpec& device;
  double clock_mhz;
  Math f32_math;
  Precision precision;
};

/// Bytes that a product moves beyond each operand and result once, because what the SMs and L2 hold of it at
/// a time is limited: with `macs` multiply-adds (M N K when dense), at least 2 macs / sqrt(S) - 2 S elements
/// cross the boundary of a fast memory of S elements. Hong and Kung, "I/O complexity: the red-blue pebble
/// game" (1981), for the form; Smith, Lowery, Langou and van de Geijn, "A Tight I/O Lower Bound for Matrix
/// Multiplication" (arXiv:1702.02017) for the constants. Zero for operators that are no products, and where
/// the operands fit.
double unavoidable_rereads(const Program& program, OpId id, double macs, const DeviceSpec& device);

/// "cached", "grouped", "written" and "unfused", in this order. `seen`: with what was observed, for the
/// theoretical times; `promised`: without, for the calibrated ones.
std::vector<SolLevel> cut_levels(const Bound& seen, const Bound& promised, const At& at);

}  // namespace uc::sol
