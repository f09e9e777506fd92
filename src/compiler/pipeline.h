#pragma once
// Why: the only file that names the whole pipeline: source -> tree -> program -> launches -> checked and
// chosen.
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/kernel.h"
#include "ir/program.h"
#include "plan/buffers.h"
#include "syntax/ast.h"

namespace uc {

/// What checking made of a source. With errors in `diags` only the fields before the failing phase are
/// filled.
struct Compiled {
  ast::File tree;
  Program program;               ///< as written
  std::vector<Launch> launches;  ///< every knob resolved
  Program resolved;              ///< `program` with the chosen knobs written out
  BufferPlan buffers;
  std::string source;  ///< canonical text of `resolved`: what artefacts store
  std::string hash;    ///< program hash: of `source`
  DiagSink diags;
  /// Every step has a kernel. False only with CompileOptions::language_only; `buffers` is then empty.
  bool emittable = true;
  /// Programs that sets of settings stand for; what is here is the first legal one. 1 without sets.
  size_t members = 1;
  bool ok() const { return !diags.has_errors(); }
};

struct CompileOptions {
  std::string device;  ///< a device row; empty: the one that stands for the program's target
  /// What no back end emits yet (UC19xx) is a warning: the language and the rule book are all that counts.
  bool language_only = false;
};

/// Parses, resolves, lowers, chooses what is automatic, and runs the rules.
Compiled check_source(const Catalog& catalog, std::string_view source, const CompileOptions& options = {});

/// The same from a program that is built already (importer, rewrites): printed, then checked as text.
Compiled check_program(const Catalog& catalog, const Program& program, const CompileOptions& options = {});

/// Only meaning: parse and resolve, no target rules, no back end. Enough for the executor and SOL.
Compiled resolve_source(const Catalog& catalog, std::string_view source);

}  // namespace uc
