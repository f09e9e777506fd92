// `ucutlass check`: is this program legal, and if not, why, and what is the nearest thing that works.
#include <algorithm>
#include <ostream>

#include "cli/options.h"
#include "cli/output.h"
#include "compiler/escape.h"
#include "compiler/pipeline.h"
#include "diag/render.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass check prog.uc                  # says what is wrong, with the rule and the nearest thing that "
    "works\n"
    "ucutlass check prog.uc --format json    # the same for machines\n"
    "ucutlass check prog.uc --emit           # also demand that every step has a kernel, as compile does\n"
    "cat prog.uc | ucutlass check -          # from standard input\n";

// The language has nothing against the program: its escapes are worth compiling.
bool only_not_emitted(const DiagSink& diags) {
  return std::ranges::all_of(diags.diags(), [](const Diag& diag) {
    return diag.severity != Severity::error || diag.id.starts_with("UC19");
  });
}

int run_check(const Invocation& invocation) {
  std::string path;
  std::string format = "full";
  std::string device;
  bool resolved = false;
  bool emit = false;
  Options options(invocation);
  options.positional("PROGRAM.uc", path, "the program, or - for standard input");
  options.choice("--format", format, {"full", "concise", "json"}, "how findings are printed");
  device_option(options, invocation.context.catalog, device,
                "the device whose limits count (default: the target's own)");
  options.flag("--resolved", resolved, "print the program with every automatic knob written out");
  options.flag("--emit", emit,
               "what no back end emits yet (UC19xx) is an error; nvcc compiles the sources of `cuda`",
               Options::From::command_line);
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto source = read_input(context, path);
  if (!source) return report(context, source.error(), format == "json");
  Compiled compiled = check_source(context.catalog, *source, {.device = device, .language_only = !emit});
  if (emit && has_escapes(compiled.program) && only_not_emitted(compiled.diags)) {
    const auto toolchain = find_toolchain(context.processes);
    if (!toolchain) return report(context, toolchain.error(), format == "json");
    const auto done = compile_escapes(compiled.program, *source, *toolchain, context.processes, context.files,
                                      compiled.diags);
    if (!done) return report(context, done.error(), format == "json");
  }
  const std::string file = path == "-" ? "<stdin>" : path;
  const auto diags = compiled.diags.sorted();
  if (format == "json") {
    context.out << render_json(diags, *source, file);
  } else {
    context.err << render_text(diags, *source, file,
                               {.color = context.color_err, .concise = format == "concise"});
    if (compiled.ok() && !resolved && format == "full")
      context.out << file << ": ok, program " << compiled.hash
                  << (compiled.emittable ? "\n"
                      : compiled.members > 1
                          ? ", the first legal one of " + std::to_string(compiled.members) +
                                "; `ucutlass expand` lists them\n"
                          : "; not every step has a kernel yet, so it cannot be compiled\n");
  }
  if (compiled.ok() && resolved) context.out << compiled.source;
  return compiled.ok() ? kDone : kFindings;
}

constexpr CommandSpec kRows[] = {{"check", CommandGroup::program,
                                  "check a program against the language and the rule book", kExamples,
                                  run_check}};

}  // namespace

std::span<const CommandSpec> check_command_rows() { return kRows; }

}  // namespace uc::cli
