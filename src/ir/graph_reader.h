#pragma once
// Why: the two halves of read_problem: one graph, and the problem around it. Only for those sources.
#include <cstdint>

#include "ir/graph.h"
#include "ir/json_reader.h"

namespace uc {

constexpr int64_t kMostElements = int64_t{1} << 48;  ///< of a tensor; also bounds strides and offsets

/// A graph with dense ids, definitions before uses, one definition a value. Faults go to `at`.
Graph read_graph(const JsonAt& at);

/// A tensor's base64 bytes. Faults: wrong byte count for the dtype and shape.
HostTensor read_array(const JsonAt& at, DType dtype, const Shape& shape);

}  // namespace uc
