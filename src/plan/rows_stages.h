#pragma once
// Why: what meets in a row depends on what met before (a variance on a mean), so a kernel over rows goes in
// stages. Two that follow one from the other may be one, which saves a read of a row that does not fit on the
// chip.
#include <vector>

#include "ir/kernel.h"

namespace uc {

/// What one accumulator gives.
struct Gathered {
  enum class How : uint8_t {
    plain,         ///< `first`, combined as its node says
    exponentials,  ///< `first` is max x, `second` the sum of exp(x - first)
    moments        ///< `first` is the sum of x, `second` that of the squared differences from the mean
  };
  How how = How::plain;
  NodeId argument;  ///< x
  NodeId first;
  NodeId second = {};
  int64_t bytes = 0;  ///< of the accumulator in generated code
};
using RowsStage = std::vector<Gathered>;

/// The stages that the effects need, in order. `online`: pairs are one, where they are of the forms above.
std::vector<RowsStage> rows_stages(const Rows& rows, bool online);

/// Whether an effect stores an element a row, instead of one an element.
bool stored_once(const Rows& rows, const Effect& effect);

/// Some effect stores an element for each.
bool stores_elements(const Rows& rows);

/// Times that a kernel that keeps no row reads its input.
int64_t rows_reads(const Rows& rows, bool online);

/// Some node is of all rows, so results follow in a second phase.
bool has_second_phase(const Rows& rows);

/// Nodes that some effect is made of, through all that meets; as long as the nodes.
std::vector<bool> needed_by_effects(const Scalar& scalar);

/// Nodes that `wanted` are made of, without what lies behind an `across`, themselves included; as long as the
/// nodes.
std::vector<bool> needed_after(const Scalar& scalar, const std::vector<NodeId>& wanted);

}  // namespace uc
