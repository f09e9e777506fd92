#include "cli/compile_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>
#include <set>

#include "build/builder.h"
#include "catalog/named_dims.h"
#include "cli/output.h"
#include "compiler/artifacts.h"
#include "compiler/dispatch.h"
#include "compiler/shape_set.h"

namespace uc::cli {
namespace {

/// A finding of one choice of sizes: its place would be in a text that nobody wrote.
void print_findings(const Context& context, const std::string& sizes, const DiagSink& diags) {
  for (const Diag& diag : diags.sorted()) {
    context.err << fmt::format("{} {} at {}: {}\n", diag.severity == Severity::error ? "error" : "note",
                               diag.id, sizes, diag.message);
    if (!diag.help.empty()) context.err << "  help: " << diag.help << "\n";
  }
}

/// All sizes compiled to text; an exit code when one of them is refused.
int compile_all(const Context& context, const CompileShapes& given, const Program& program,
                const std::vector<WeightedSizes>& wanted, std::vector<CompiledSize>& out) {
  bool refused = false;
  for (const WeightedSizes& each : wanted) {
    CompiledSize one{
        each.sizes, compile_at(context.catalog, program, each.sizes, {.device = given.device}), {}};
    print_findings(context, describe_sizes(program, each.sizes), one.compiled.diags);
    refused = refused || !one.compiled.ok();
    if (one.compiled.ok()) one.emitted = emit_program(context.catalog, one.compiled);
    out.push_back(std::move(one));
  }
  return refused ? int{kFindings} : int{kDone};
}

void print_times(const Context& context, const CompileShapes& given, const Program& program,
                 const std::vector<WeightedSizes>& wanted, const std::vector<CompiledSize>& set) {
  double total = 0;
  std::set<std::string> kernels;
  for (size_t i = 0; i < set.size(); ++i) {
    const double us = modelled_us(context.catalog, set[i].compiled, given.device);
    total += wanted[i].share * us;
    for (const EmittedKernel& kernel : set[i].emitted.kernels) kernels.insert(kernel.hash);
    context.err << fmt::format("{:>5.1f} % of calls  {:>10.2f} us modelled  {}\n", 100 * wanted[i].share, us,
                               describe_sizes(program, set[i].sizes));
  }
  context.err << fmt::format("expected: {:.2f} us a call, modelled, not measured; {} different kernels\n",
                             total, kernels.size());
}

Result<> write_texts(const Context& context, const CompileShapes& given, const Program& program,
                     const std::vector<CompiledSize>& set) {
  const ArtifactForms forms{
      .header = true, .cu = false, .torch = false, .standalone = false, .kernelbench = false};
  std::set<std::string> names;
  for (const CompiledSize& each : set) {
    const auto written =
        write_artifacts(context.catalog, each.compiled, each.emitted, forms, given.folder, context.files);
    if (!written) return tl::unexpected(written.error());
    names.insert(written->begin(), written->end());
  }
  const std::string entry = fmt::format("ucutlass_dispatch_{}.h", dispatch_hash(set));
  if (const auto done = context.files.write(given.folder + "/" + entry, emit_dispatch(program, set)); !done)
    return done;
  names.insert(entry);
  for (const std::string& name : names) context.out << given.folder << "/" << name << "\n";
  return {};
}

/// Kernels of all sizes side by side, then a library each.
Result<> build(const Context& context, const CompileShapes& given, const std::vector<CompiledSize>& set) {
  auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return tl::unexpected(toolchain.error());
  BuilderOptions options;
  options.progress = [&](const std::string& text) { context.err << text << "\n"; };
  Builder builder(std::move(*toolchain), std::move(options), context.processes, context.files);
  std::vector<EmittedKernel> kernels;
  for (const CompiledSize& each : set)
    kernels.insert(kernels.end(), each.emitted.kernels.begin(), each.emitted.kernels.end());
  if (const auto built = builder.kernels(kernels); !built) return tl::unexpected(built.error());
  for (const CompiledSize& each : set) {
    const std::string library = given.folder + "/ucutlass_" + each.emitted.hash + ".so";
    const auto built = builder.program(each.emitted.kernels, each.emitted.glue, library);
    if (!built) return tl::unexpected(built.error());
    context.out << library << "\n";
  }
  return {};
}

}  // namespace

int compile_shapes(const Context& context, const CompileShapes& given) {
  const Compiled whole = resolve_source(context.catalog, given.source);
  if (!whole.ok()) {
    print_findings(context, "any size", whole.diags);
    return kFindings;
  }
  const auto wanted = parse_shape_set(whole.program, given.dims);
  if (!wanted) return report(context, wanted.error());
  std::vector<CompiledSize> set;
  if (const int code = compile_all(context, given, whole.program, *wanted, set); code != kDone) return code;
  print_times(context, given, whole.program, *wanted, set);
  if (const auto written = write_texts(context, given, whole.program, set); !written)
    return report(context, written.error());
  if (given.no_build) return kDone;
  const auto built = build(context, given, set);
  return built ? int{kDone} : report(context, built.error());
}

}  // namespace uc::cli
