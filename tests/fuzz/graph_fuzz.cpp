// Any bytes as a captured problem: the JSON reader, the importer, and the program that it prints.
#include "catalog/builtin.h"
#include "fuzz.h"
#include "import/importer.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace {

void check_graph(const uc::Catalog& catalog, const uc::Graph& graph) {
  const uc::Imported imported = uc::import_graph(catalog, graph);
  if (!imported.ok()) return;
  uc::DiagSink diags;
  const std::string text = uc::print(catalog, imported.program);
  (void)uc::parse(text, diags);
  uc::fuzz::require(!diags.has_errors(), "an imported graph is a program that parses");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const uc::Catalog catalog = uc::builtin_catalog();
  const auto problem = uc::read_problem(uc::fuzz::text_of(data, size));
  if (!problem) {
    uc::fuzz::require(!problem.error().message.empty(), "what fails says why");
    return 0;
  }
  check_graph(catalog, problem->graph);
  if (problem->reduced) check_graph(catalog, problem->reduced->graph);
  return 0;
}
