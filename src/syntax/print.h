#pragma once
// Why: programs go back to text, so that what a rewrite or the importer made is checked as what a person
// wrote.
#include <string>

#include "catalog/catalog.h"
#include "ir/program.h"

namespace uc {

/// Canonical source of a resolved program; it resolves to the same program.
std::string print(const Catalog& catalog, const Program& program);

}  // namespace uc
