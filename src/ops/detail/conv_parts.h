#pragma once
// Why: what a part of a convolution's result needs, and takes: windows reach around it, groups keep channels
// apart, and at the edges some taps meet nothing.
#include "ops/detail/window.h"

namespace uc::ops {

struct ConvKind {
  size_t rank;  ///< spatial dimensions
  bool transposed;
};

/// OpSpec::needs: batch and space of x by place, all channels of a group whose results are needed, filters by
/// channel.
Part convolution_needs(const Program& program, const Op& op, const Windows& windows, ConvKind kind, size_t i,
                       const Part& part);

/// OpSpec::part_flops of one that is not transposed; `dense`: all of its FLOPs, padding included.
double convolution_part_flops(const Program& program, const Op& op, const Windows& windows, double dense,
                              const Part& part);

}  // namespace uc::ops
