#include "cli/sol/subject.h"

#include <fmt/format.h>

#include "agent/problem.h"
#include "cli/output.h"
#include "compiler/pipeline.h"
#include "import/empty_tensors.h"
#include "import/importer.h"
#include "ir/graph.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

Result<SolSubject> of_problem(const Context& context, const CapturedProblem& captured) {
  if (auto fine = refuse_empty_tensors(captured.graph); !fine) return tl::unexpected(fine.error());
  return SolSubject{import_for_bounds(context.catalog, captured).program, true, captured.source.level,
                    captured.source.id};
}

Result<SolSubject> of_program(const Context& context, const std::string& source) {
  Compiled compiled = resolve_source(context.catalog, source);
  if (compiled.ok()) return SolSubject{std::move(compiled.program), false, {}, {}};
  const auto diags = compiled.diags.sorted();
  return fail(diags.empty() ? "not a program" : diags.front().id + ": " + diags.front().message,
              "`ucutlass check` shows where");
}

}  // namespace

bool is_capture(const std::string& path, const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return path.ends_with(".json") || (first != std::string::npos && text[first] == '{');
}

Result<SolSubject> captured_subject(const Context& context, const std::string& text) {
  const auto captured = read_problem(text, ReadProblem::graph);
  if (!captured) return tl::unexpected(captured.error());
  return of_problem(context, *captured);
}

Result<SolSubject> load_subject(const Context& context, const std::string& path) {
  if (path.ends_with(".py") || context.files.list(path)) {
    const auto found = load_problem(path, {}, context.files, context.processes, context.environment);
    if (!found) return tl::unexpected(found.error());
    return of_problem(context, found->captured);
  }
  const auto source = context.files.read(path);
  if (!source) return tl::unexpected(source.error());
  auto out = is_capture(path, *source) ? captured_subject(context, *source) : of_program(context, *source);
  if (!out) return fail(fmt::format("{}: {}", path, out.error().message), out.error().help);
  return out;
}

}  // namespace uc::cli
