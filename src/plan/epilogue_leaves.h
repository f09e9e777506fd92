#pragma once
// Why: how an epilogue reads or writes each tensor decides which CUTLASS node carries it; rules, the cost
// model and the emitter classify in the same way.
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/kernel.h"

namespace uc {

enum class LeafKind : uint8_t {
  scalar,  ///< one element (a batch)
  row,     ///< along N, unit stride
  column,  ///< along M, unit stride
  full,    ///< M x N, unit stride along N
  other    ///< none of these: no node reads it
};
LeafKind leaf_kind(const View& view);

/// An epilogue cut at its stores. Each segment computes one node from the segment before and from tensors.
struct Segment {
  NodeId from;                  ///< what the segment before made (none: the accumulator)
  NodeId node;                  ///< what it makes
  std::vector<uint32_t> loads;  ///< views it reads, in order of first use
  uint32_t store = 0;           ///< the view that `node` is written to
  bool last = false;            ///< its store is the kernel's D
};

/// Nothing when a segment needs a node of an earlier segment other than `from`.
std::optional<std::vector<Segment>> cut_segments(const Scalar& epilogue);

/// The view read as C through the tensor memory accelerator: the first full one that is loaded.
std::optional<uint32_t> source_view(const Scalar& epilogue, const std::vector<Segment>& segments);

}  // namespace uc
