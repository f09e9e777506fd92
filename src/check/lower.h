#pragma once
// Why: a step becomes a kernel of a closed kind with its epilogue as one scalar DAG. Views-only steps become
// nothing.
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/kernel.h"
#include "ir/program.h"

namespace uc {

/// The launches of a program in execution order (load steps first), with the knobs that it gives; what is not
/// given stays automatic. Steps that cannot be one kernel are errors, with the two-step program as help.
std::vector<Launch> lower(const Catalog& catalog, const Program& program, DiagSink& diags);

}  // namespace uc
