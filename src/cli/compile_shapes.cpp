#include "cli/compile_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <ostream>

#include "build/builder.h"
#include "catalog/named_dims.h"
#include "cli/output.h"
#include "compiler/dispatch.h"
#include "compiler/shape_set.h"
#include "compiler/size_classes.h"
#include "emit/templates.h"
#include "platform/files.h"

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

std::string ranges_text(const Program& program, const std::vector<SizeRange>& ranges) {
  std::string out;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const auto& [low, high, step] = ranges[d];
    out += fmt::format("{}{} = {}", d == 0 ? "" : ", ", program.dims[d].name, low);
    if (high != low) out += fmt::format("..{}{}", high, step == 1 ? "" : fmt::format(" step {}", step));
  }
  return out;
}

void print_times(const Context& context, const CompileShapes& given, const Program& program,
                 const std::vector<WeightedSizes>& wanted, const SizeClasses& set) {
  double total = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const size_t index = set.of_listed[i];
    const Compiled at = compile_at(context.catalog, program, wanted[i].sizes, {.device = given.device});
    const double us = modelled_us(context.catalog, at, given.device);
    total += wanted[i].share * us;
    context.err << fmt::format("{:>5.1f} % of calls  {:>10.2f} us modelled  {}: kernels {}\n",
                               100 * wanted[i].share, us, describe_sizes(program, wanted[i].sizes), index);
  }
  context.err << fmt::format("expected: {:.2f} us a call, modelled, not measured\n", total);
  for (size_t i = 0; i < set.classes.size(); ++i) {
    context.err << fmt::format("kernels {}: serve {}; {}\n", i, ranges_text(program, set.classes[i].serves),
                               set.classes[i].emitted.kernels.back().summary);
  }
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(kShown, set.unserved.size()); ++i)
    context.err << fmt::format("note: no kernel serves {}\n", describe_sizes(program, set.unserved[i]));
}

std::optional<PlainGemm> plain_of(const Context& context, const Program& program) {
  return plain_gemm(context.catalog, program, declared_ranges(program), program.chosen);
}

Result<std::vector<VendorTime>> vendor_times(const Context& context, const CompileShapes& given,
                                             const std::optional<PlainGemm>& plain) {
  if (given.times.empty()) return std::vector<VendorTime>{};
  const auto text = read_given(context.files, given.times);
  if (!text) return tl::unexpected(text.error());
  return read_vendor_times(*text, plain ? plain->type : "");
}

Result<> write_texts(const Context& context, const CompileShapes& given, const Program& program,
                     const SizeClasses& set) {
  DispatchInput input{program, set, plain_of(context, program), {}};
  auto times = vendor_times(context, given, input.plain);
  if (!times) return tl::unexpected(times.error());
  input.times = std::move(*times);
  const auto entry = emit_dispatch(context.catalog, input);
  if (!entry) return tl::unexpected(entry.error());
  std::map<std::string, std::string> texts;
  for (const SizeClass& each : set.classes) {
    texts["ucutlass_" + each.emitted.hash + ".json"] = each.emitted.manifest;
    texts["ucutlass_" + each.emitted.hash + ".cpp"] = each.emitted.glue;
  }
  for (const char* name : {"uc_abi.h", "uc_cublaslt.h", "uc_dispatch.h"})
    texts[name] = std::string(support_file(name));
  texts[fmt::format("ucutlass_dispatch_{}.h", dispatch_hash(set))] = *entry;
  if (const auto made = context.files.make_folder(given.folder); !made) return made;
  for (const auto& [name, text] : texts) {
    if (const auto done = context.files.write(given.folder + "/" + name, text); !done) return done;
    context.out << given.folder << "/" << name << "\n";
  }
  return {};
}

/// Kernels of all classes side by side, then a library each.
Result<> build(const Context& context, const CompileShapes& given, const SizeClasses& set) {
  auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return tl::unexpected(toolchain.error());
  BuilderOptions options;
  options.progress = [&](const std::string& text) { context.err << text << "\n"; };
  Builder builder(std::move(*toolchain), std::move(options), context.processes, context.files);
  std::vector<EmittedKernel> kernels;
  for (const SizeClass& each : set.classes)
    kernels.insert(kernels.end(), each.emitted.kernels.begin(), each.emitted.kernels.end());
  if (const auto built = builder.kernels(kernels); !built) return tl::unexpected(built.error());
  for (const SizeClass& each : set.classes) {
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
  std::vector<std::pair<std::vector<int64_t>, DiagSink>> diags;
  const auto set =
      find_size_classes(context.catalog, whole.program, *wanted, {.device = given.device}, diags);
  for (const auto& [sizes, found] : diags)
    print_findings(context, describe_sizes(whole.program, sizes), found);
  if (!set) return report(context, set.error());
  print_times(context, given, whole.program, *wanted, *set);
  if (const auto written = write_texts(context, given, whole.program, *set); !written)
    return report(context, written.error());
  if (given.no_build) return kDone;
  const auto built = build(context, given, *set);
  return built ? int{kDone} : report(context, built.error());
}

}  // namespace uc::cli
