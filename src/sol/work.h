#pragma once
// Why: what each operator has to compute, by unit. Contractions ask their row; pointwise operators are
// counted from the scalar expression that also gives their code.
#include "catalog/catalog.h"
#include "ir/kernel.h"
#include "ir/program.h"
#include "sol/sol.h"

namespace uc::sol {

struct OpWork {
  bool contracts = false;
  double dense_flops = 0;
  double minimum_flops = 0;  ///< of the direct algorithm
  double least_flops = 0;    ///< of any algorithm that is known
  double fma_ops = 0;
  double special_ops = 0;
  double integer_ops = 0;
  /// Of these, what no kernel saves on copies and on what nobody reads.
  double least_fma = 0, least_special = 0, least_integer = 0;
  double items = 0;       ///< elements that the scalar work is spread over; 0: it is no work an element
  double structured = 1;  ///< share of products that triangular or diagonal operands leave
  double shared = 1;      ///< share of products that is left when equal ones along K are made once
  bool needed = false;    ///< `minimum_flops` and the least are less since only a part of the result is read
  bool copies = false;    ///< they are less since an operand holds copies
  bool covered = true;    ///< false: only its bytes are counted
  const WorkRule* reduced_by = nullptr;  ///< why the minimum is less than dense
  const WorkRule* fast_by = nullptr;     ///< why the least is less than the minimum
  bool joined = false;                   ///< the least is less since it can be one with another layer
};

/// A product of matrices, batches of them included; convolutions are products of another kind.
inline bool multiplies_matrices(const OpSpec& spec) {
  return spec.lower != nullptr && spec.family == "contraction";
}

/// Structure of its operands counts as `Value` has it: declared and, where the program carries it, observed.
OpWork work_of(const Catalog& catalog, const Program& program, OpId id);

/// How a contraction multiplies when data that was given as f32 is multiplied as `f32_math`; other data as it
/// is.
Math math_of(const Program& program, OpId id, Math f32_math);

/// What an operator is called in reports: an opaque one by what import could not read.
std::string name_of(const Op& op);

}  // namespace uc::sol
