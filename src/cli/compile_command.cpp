// `ucutlass compile`: a program becomes sources, forms to take away, and a shared object.
#include <ostream>

#include "build/builder.h"
#include "cli/options.h"
#include "cli/output.h"
#include "compiler/artifacts.h"
#include "diag/render.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass compile prog.uc -o out                          # sources, header, manifest and the built "
    "library\n"
    "ucutlass compile prog.uc -o out --emit header,torch      # a C++ header and a PyTorch module with "
    "ModelNew\n"
    "ucutlass compile prog.uc -o out --emit standalone        # a file that checks itself and prints "
    "TFLOP/s\n"
    "ucutlass compile prog.uc -o out --no-build               # text only: no nvcc needed\n";

Result<ArtifactForms> forms_of(const std::vector<std::string>& names) {
  ArtifactForms forms;
  if (!names.empty()) forms = {false, false, false, false};
  for (const std::string& name : names) {
    if (name == "header") {
      forms.header = true;
    } else if (name == "cu") {
      forms.cu = true;
    } else if (name == "torch") {
      forms.torch = true;
    } else if (name == "standalone") {
      forms.standalone = forms.header = true;
    } else {
      return fail("--emit has no form '" + name + "'", "forms: header, cu, torch, standalone", kUsage);
    }
  }
  return forms;
}

int run_compile(const Invocation& invocation) {
  std::string path;
  std::string folder = ".";
  std::string device;
  std::vector<std::string> emit;
  bool no_build = false;
  Options options(invocation);
  options.positional("PROGRAM.uc", path, "the program, or - for standard input");
  options.value("-o,--out", folder, "FOLDER", "where the files go");
  options.list("--emit", emit, "FORM", "header, cu, torch, standalone (default: header,cu)");
  device_option(options, invocation.context.catalog, device,
                "the device whose limits count (default: the target's own)");
  options.flag("--no-build", no_build, "write sources only");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto forms = forms_of(emit);
  if (!forms) return report(context, forms.error());
  const auto source = read_input(context, path);
  if (!source) return report(context, source.error());
  const Compiled compiled = check_source(context.catalog, *source, {.device = device});
  context.err << render_text(compiled.diags.sorted(), *source, path == "-" ? "<stdin>" : path,
                             {.color = context.color_err, .concise = false});
  if (!compiled.ok()) return kFindings;
  const EmittedProgram emitted = emit_program(context.catalog, compiled);
  const auto written = write_artifacts(context.catalog, compiled, emitted, *forms, folder, context.files);
  if (!written) return report(context, written.error());
  for (const std::string& name : *written) context.out << folder << "/" << name << "\n";
  if (no_build) return kDone;
  auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return report(context, toolchain.error());
  BuilderOptions build;
  build.progress = [&](const std::string& text) { context.err << text << "\n"; };
  Builder builder(std::move(*toolchain), std::move(build), context.processes, context.files);
  const std::string library = folder + "/ucutlass_" + emitted.hash + ".so";
  const auto built = builder.program(emitted.kernels, emitted.glue, library);
  if (!built) return report(context, built.error());
  context.out << library << "\n";
  return kDone;
}

constexpr CommandSpec kRows[] = {{"compile", CommandGroup::program,
                                  "compile a program: library, header, PyTorch module, benchmark", kExamples,
                                  run_compile}};

}  // namespace

std::span<const CommandSpec> compile_command_rows() { return kRows; }

}  // namespace uc::cli
