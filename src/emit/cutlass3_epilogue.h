#pragma once
// Why: the epilogue of a contraction as a CUTLASS 3 visitor tree: one functor computes all that the chain
// stores, leaves read tensors, and every other result is tapped from what the functor made.
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "emit/cutlass3_gemm.h"
#include "plan/epilogue_leaves.h"

namespace uc::cutlass3 {

/// What goes into the fragment `out` of an effect: elements as they are stored, or f32 that is rounded in
/// whole fragments, or combined first.
struct EffectElement {
  std::string element, value;
  bool round = false;
};
EffectElement effect_element(const Effect& effect, const Scalar& scalar);

/// Element i of the fragment of view `index` in the type that the chain computes in: `float(t3[i])`.
std::string loaded_element(DType type, uint32_t index);

class EpilogueTree {
 public:
  /// The kernel outlives the tree.
  EpilogueTree(const Contraction& kernel, const ContractionConfig& config, PixelPlaces pixels = {});

  /// The functor, and an alias for every node; the last one is `Tree`. Without an effect nothing is stored.
  std::vector<cpp::Decl> declarations() const;
  /// `CollectiveBuilder<...>::CollectiveOp`; refers to `Tree`, `TileShape`, `ClusterShape`.
  cpp::Type collective() const;
  /// Statements that fill `a.epilogue` from `x`.
  std::vector<cpp::Statement> arguments() const;
  /// It combines elements of several tiles, in scratch memory.
  bool reduces() const;

 private:
  const Scalar& scalar() const { return kernel_.epilogue; }
  const View& view(uint32_t index) const { return kernel_.epilogue.views[index]; }
  /// Only D is made: the functor gives its fragment, no tuple.
  bool alone() const { return parts_.aside.empty(); }
  bool places() const;  ///< reads where elements lie

  cpp::Struct functor() const;
  cpp::Type leaf(uint32_t index) const;
  cpp::Type store(const Effect& effect) const;
  cpp::Type root(const std::string& child) const;
  std::string leaf_argument(uint32_t index) const;
  std::string store_argument(const Effect& effect) const;
  std::string tree_argument() const;
  /// It is found pixel by pixel.
  bool by_pixels(uint32_t index) const;
  std::string pixel_argument(uint32_t index) const;
  std::string pointer(uint32_t index, bool read) const;

  const Contraction& kernel_;
  const ContractionConfig& config_;
  PixelPlaces pixels_;
  EpilogueParts parts_;
};

}  // namespace uc::cutlass3
