#pragma once
// Why: a program that was written as text says the problem's full sizes; its meaning is tried at the sizes of
// torch's recorded runs. The imported program at both sizes tells which number became which.
#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "ir/program.h"

namespace uc {

struct Shrunk {
  std::optional<Program> program;
  std::string why_not;  ///< a line for people
};

/// `program` at the sizes of `reduced`. `full` and `reduced` are the same operators at two sizes. Inputs and
/// params are those of `full`, by name. Numbers in attributes that may mean more than one size are tried in
/// turn; the first whose results have the shapes of `reduced` is taken. Nothing when none has, and when a
/// size of the program would stay as it is though no size of the problem does: such a run could not tell that
/// part from the whole.
Shrunk shrink(const Catalog& catalog, const Program& program, const Program& full, const Program& reduced);

}  // namespace uc
