#pragma once
// Why: a row-wise operator after `>>` needs a row, or a group of columns, in one place. Which, is asked here.
#include <optional>

#include "catalog/op_spec.h"
#include "ir/program.h"

namespace uc {

/// Of an operator that couples elements: its own answer, else the one that its attributes `dim` and `groups`
/// give. Nothing for elementwise operators and views.
std::optional<RowScope> row_scope(const Program& program, const Op& op);

/// The operator whose knobs a step takes: its main one, but of an elementwise expression the first operator
/// after it that goes over rows, since that makes the kernel.
const Op& knob_op(const Program& program, const Step& step);

/// What the epilogue of a contraction or convolution needs together.
struct EpilogueRow {
  size_t call = 0;  ///< the first call of the chain that needs it
  OpId op;
  int64_t extent = 0;  ///< consecutive columns (N of a gemm, channels of a convolution); 0: more than a row
};

/// The widest need of the step's chain; nothing when no call needs a whole row, or when the main operator is
/// no contraction or convolution.
std::optional<EpilogueRow> epilogue_row(const Program& program, const Step& step);

}  // namespace uc
