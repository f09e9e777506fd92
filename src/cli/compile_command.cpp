// `ucutlass compile`: a program becomes sources, forms to take away, and a shared object.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "build/builder.h"
#include "cli/compile_shapes.h"
#include "cli/options.h"
#include "cli/output.h"
#include "compiler/artifacts.h"
#include "compiler/kernelbench.h"
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
    "ucutlass compile prog.uc -o out --emit kernelbench --source problem.py   # one file that KernelBench "
    "evaluates\n"
    "ucutlass compile prog.uc -o out --dims m=1:.6,64:.3,4096:.1 --emit dispatch   # any size, one "
    "C++ "
    "entry\n"
    "ucutlass compile prog.uc -o out --no-build               # text only: no nvcc needed\n";

struct CompileGiven {
  std::string path, folder = ".", device, problem, dims, times;
  std::vector<std::string> emit;
  bool no_build = false;
};

constexpr std::string_view kForms = "header, cu, torch, standalone, kernelbench, dispatch";

Result<ArtifactForms> forms_of(const std::vector<std::string>& names) {
  ArtifactForms forms;
  if (!names.empty()) forms = {false, false, false, false, false};
  for (const std::string& name : names) {
    if (name == "header") {
      forms.header = true;
    } else if (name == "cu") {
      forms.cu = true;
    } else if (name == "torch") {
      forms.torch = true;
    } else if (name == "standalone") {
      forms.standalone = forms.header = true;
    } else if (name == "kernelbench") {
      forms.kernelbench = true;
    } else {
      return fail("--emit has no form '" + name + "'", fmt::format("forms: {}", kForms), kUsage);
    }
  }
  return forms;
}

/// Builds the program's library in the folder. With --no-build the one that is there is taken, if any.
Result<std::string> build_library(const Context& context, const CompileGiven& given,
                                  const EmittedProgram& emitted) {
  const std::string library = given.folder + "/ucutlass_" + emitted.hash + ".so";
  if (given.no_build) return context.files.exists(library) ? library : "";
  auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return tl::unexpected(toolchain.error());
  BuilderOptions build;
  build.progress = [&](const std::string& text) { context.err << text << "\n"; };
  Builder builder(std::move(*toolchain), std::move(build), context.processes, context.files);
  const auto built = builder.program(emitted.kernels, emitted.glue, library);
  if (!built) return tl::unexpected(built.error());
  context.out << library << "\n";
  return library;
}

/// `kernelbench_<hash>.py` in the folder, around the built library.
Result<> write_kernelbench(const Context& context, const CompileGiven& given, const Compiled& compiled,
                           const EmittedProgram& emitted, const std::string& library) {
  if (library.empty())
    return fail("the KernelBench file holds the built library, and there is none",
                "leave --no-build away, or put ucutlass_" + emitted.hash + ".so into " + given.folder,
                kUsage);
  std::string notes;
  const auto text = emit_kernelbench(compiled, emitted, {library, given.problem}, context.environment,
                                     context.files, context.processes, notes);
  if (!text) return tl::unexpected(text.error());
  context.err << notes;
  const std::string path = given.folder + "/kernelbench_" + emitted.hash + ".py";
  if (const auto written = context.files.write(path, *text); !written) return written;
  context.out << path << "\n";
  return {};
}

/// What is wrong with the options together; nothing is written then.
Result<> check_options(const Context& context, const CompileGiven& given, const ArtifactForms& forms,
                       const Compiled& compiled) {
  if (!given.problem.empty()) {
    if (const auto problem = read_given(context.files, given.problem); !problem)
      return tl::unexpected(problem.error());
  } else if (forms.kernelbench && !compiled.program.params.empty()) {
    return fail("--emit kernelbench needs --source: parameters are made by the problem's own constructor",
                "give the problem's file: --source problem.py", kUsage);
  }
  return {};
}

int write_all(const Context& context, const CompileGiven& given, const ArtifactForms& forms,
              const Compiled& compiled) {
  const EmittedProgram emitted = emit_program(context.catalog, compiled);
  const auto written =
      write_artifacts(context.catalog, compiled, emitted, forms, given.folder, context.files);
  if (!written) return report(context, written.error());
  for (const std::string& name : *written) context.out << given.folder << "/" << name << "\n";
  const auto library = build_library(context, given, emitted);
  if (!library) return report(context, library.error());
  if (!forms.kernelbench) return kDone;
  const auto made = write_kernelbench(context, given, compiled, emitted, *library);
  return made ? int{kDone} : report(context, made.error());
}

int run_compile(const Invocation& invocation) {
  CompileGiven given;
  Options options(invocation);
  options.positional("PROGRAM.uc", given.path, "the program, or - for standard input");
  options.value("-o,--out", given.folder, "FOLDER", "where the files go");
  options.list("--emit", given.emit, "FORM", fmt::format("{} (default: header,cu)", kForms));
  options.value("--source", given.problem, "FILE.py",
                "of form kernelbench: the problem, whose constructor makes the parameters");
  device_option(options, invocation.context.catalog, given.device,
                "the device whose limits count (default: the target's own)");
  options.flag("--no-build", given.no_build, "write sources only");
  options.value("--dims", given.dims, "NAME=SIZE[:SHARE],...",
                "of form dispatch: sizes of the named dimensions, with their shares of the calls");
  options.value("--vendor-times", given.times, "FILE.json",
                "of form dispatch: measured times; where cuBLASLt's is the shorter one, it is called");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const bool dispatch = std::ranges::find(given.emit, "dispatch") != given.emit.end();
  if (dispatch == given.dims.empty() || (dispatch && given.emit.size() > 1))
    return report(context, Error{"--dims and --emit dispatch come together, and no other form with them",
                                 "ucutlass compile prog.uc -o out --dims m=1,64 --emit dispatch", kUsage});
  if (dispatch) {
    const auto source = read_input(context, given.path);
    if (!source) return report(context, source.error());
    return compile_shapes(context,
                          {*source, given.dims, given.folder, given.device, given.times, given.no_build});
  }
  const auto forms = forms_of(given.emit);
  if (!forms) return report(context, forms.error());
  const auto source = read_input(context, given.path);
  if (!source) return report(context, source.error());
  const Compiled compiled = check_source(context.catalog, *source, {.device = given.device});
  context.err << render_text(compiled.diags.sorted(), *source, given.path == "-" ? "<stdin>" : given.path,
                             {.color = context.color_err, .concise = false});
  if (!compiled.ok()) return kFindings;
  if (const auto fit = check_options(context, given, *forms, compiled); !fit)
    return report(context, fit.error());
  return write_all(context, given, *forms, compiled);
}

constexpr CommandSpec kRows[] = {
    {"compile", CommandGroup::program,
     "compile a program: library, header, PyTorch module, KernelBench file, benchmark", kExamples,
     run_compile}};

}  // namespace

std::span<const CommandSpec> compile_command_rows() { return kRows; }

}  // namespace uc::cli
