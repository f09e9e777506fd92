#pragma once
// Why: a captured PyTorch graph becomes a naive program, one step an operator, which everything else then
// improves. What an aten operator means stands in its operator row; this only walks the graph, names things
// and says what it could not read.
#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "diag/diag.h"
#include "ir/graph.h"
#include "ir/program.h"

namespace uc {

/// Something of the graph that no program can say yet.
struct Unsupported {
  std::string what;    ///< "aten.conv2d.default", or "constant `mask`"
  std::string why;     ///< one line
  std::string module;  ///< the submodule that called it; may be empty
  size_t count = 1;    ///< how often
};

struct ImportOptions {
  std::string name;  ///< `name` header; empty: none
  std::string target = "sm_90a";
  Precision precision = Precision::strict;
  /// For bounds: what no program says becomes an operator `opaque` that only counts bytes, listed in
  /// Imported::opaque. Such a program has no text and does not run.
  bool bounds_only = false;
  /// One a graph output, from CapturedProblem: becomes Value::observed of the results.
  std::vector<std::optional<double>> constant_outputs = {};
};

struct Imported {
  Program program;                                            ///< whole only when ok()
  std::map<std::string, GraphTensorId, std::less<>> tensors;  ///< names of inputs, params and scalars
  std::vector<Unsupported> unsupported;                       ///< each once
  std::vector<std::string> not_updated;  ///< buffers that the problem also writes (counts, running means)
  std::vector<Unsupported> opaque;       ///< with `bounds_only`: what would be unsupported without, each once
  DiagSink diags;                        ///< what inference said; empty for graphs that torch ran
  bool ok() const { return unsupported.empty() && !diags.has_errors(); }
};

/// Goes on after what it cannot read, so that everything unsupported is named at once.
Imported import_graph(const Catalog& catalog, const Graph& graph, const ImportOptions& options = {});

/// The whole problem as a program for bounds: whatever its operators are.
Imported import_for_bounds(const Catalog& catalog, const CapturedProblem& problem);

/// "the problem uses operators that cannot be imported yet: aten.conv2d.default (3 times), ..." with help.
Error import_error(const Imported& imported, const std::string& problem);

}  // namespace uc
