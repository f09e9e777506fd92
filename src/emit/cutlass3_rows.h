#pragma once
// Why: what meets in the rows of an epilogue is gathered out of the accumulators before the visitor tree sees
// them (templates/uc_row_epilogue.cuh); what is gathered and held, element by element, is generated here.
#include <string>
#include <vector>

#include "emit/cpp_tree.h"
#include "ir/kernel.h"
#include "plan/epilogue_rows.h"

namespace uc::cutlass3 {

class RowPass {
 public:
  /// Requires has_rows(kernel.epilogue). The kernel outlives the pass.
  RowPass(const Contraction& kernel, const ContractionConfig& config);

  /// `struct Rows`: what uc_row_epilogue::Collective is told.
  cpp::Decl declaration() const;
  /// The collective epilogue around `plain`, the name of CUTLASS's; refers to `Rows`, `TileShape` and
  /// `ClusterShape`.
  cpp::Type collective(const std::string& plain) const;
  /// Statements that fill `a.epilogue.rows` from `x`.
  std::vector<cpp::Statement> arguments() const;

 private:
  const Scalar& scalar() const { return kernel_.epilogue; }
  cpp::Function function(const std::string& head, const std::vector<NodeId>& wanted, NodeId given,
                         const std::vector<cpp::Statement>& each) const;
  cpp::Function gather(size_t stage) const;
  cpp::Function last() const;
  cpp::Function once() const;
  void store(size_t effect, std::vector<cpp::Statement>& before, std::vector<cpp::Statement>& each,
             std::vector<cpp::Statement>& after) const;
  bool pair(uint32_t view) const;
  bool masked() const;  ///< the row ends before the cluster's tiles do
  /// The node that accumulators hold before stage `stage` computes its own.
  NodeId held_before(size_t stage) const;

  const Contraction& kernel_;
  const ContractionConfig& config_;
  EpilogueRows rows_;
};

}  // namespace uc::cutlass3
