// `ucutlass check`: is this program legal, and if not, why, and what is the nearest thing that works.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "base/diff.h"
#include "check/diags.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "compiler/escape.h"
#include "compiler/fix.h"
#include "diag/render.h"
#include "diag/sarif.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass check prog.uc                  # says what is wrong, with the rule and the nearest thing that "
    "works\n"
    "ucutlass check prog.uc --fix            # writes the replacements that pass their rule into the file\n"
    "ucutlass check prog.uc --diff           # shows what --fix would write\n"
    "ucutlass check prog.uc --format json    # for machines; sarif for code hosts and editors\n"
    "ucutlass check prog.uc --emit           # also demand that every step has a kernel, as compile does\n"
    "cat prog.uc | ucutlass check -          # from standard input\n";

struct Settings {
  std::string path;
  std::string format = "full";
  std::string device;
  bool resolved = false;
  bool emit = false;
  bool fix = false;
  bool diff = false;

  std::string file() const { return path == "-" ? "<stdin>" : path; }
  bool machine() const { return format == "json" || format == "sarif"; }
  /// Standard output is for the text that fixing makes.
  bool prints_text() const { return diff || (fix && path == "-"); }
};

std::vector<DiagKind> all_kinds(const Catalog& catalog) {
  std::vector<DiagKind> out = all_diag_kinds();
  for (const RuleSpec* rule : catalog.rules())
    out.push_back({rule->id, rule->slug, rule->severity, rule->summary});
  return out;
}

void print_findings(const Context& context, const Settings& settings, const Compiled& compiled,
                    std::string_view source) {
  const auto diags = compiled.diags.sorted();
  if (settings.format == "json") {
    context.out << render_json(diags, source, settings.file());
  } else if (settings.format == "sarif") {
    const auto kinds = all_kinds(context.catalog);
    context.out << render_sarif(diags, source, settings.path == "-" ? "stdin" : settings.path,
                                {.version = kVersion, .kinds = kinds});
  } else {
    context.err << render_text(diags, source, settings.file(),
                               {.color = context.color_err, .concise = settings.format == "concise"});
  }
}

// The language has nothing against the program: its escapes are worth compiling.
bool only_not_emitted(const DiagSink& diags) {
  return std::ranges::all_of(diags.diags(), [](const Diag& diag) {
    return diag.severity != Severity::error || diag.id.starts_with("UC19");
  });
}

/// With --emit nvcc judges the sources of `cuda` too.
Result<> judge_escapes(const Context& context, const Settings& settings, Compiled& compiled,
                       std::string_view source) {
  if (!settings.emit || !has_escapes(compiled.program) || !only_not_emitted(compiled.diags)) return {};
  const auto toolchain = find_toolchain(context.processes);
  if (!toolchain) return tl::unexpected(toolchain.error());
  return compile_escapes(compiled.program, source, *toolchain, context.processes, context.files,
                         compiled.diags);
}

/// Writes the fixed text, unless the file has become another since it was read. A link stays one.
Result<> write_back(Files& files, const std::string& path, const std::string& read,
                    const std::string& fixed) {
  const auto now = files.read(path);
  if (!now) return tl::unexpected(now.error());
  if (*now != read)
    return fail(fmt::format("{} changed while it was checked, so nothing was written", path), "run it again");
  return files.replace(path, fixed);
}

std::string said(const Settings& settings, const Fixed& fixed) {
  std::string out;
  const size_t count = fixed.applied.size();
  if (count != 0) {
    out = fmt::format("{}: {} {} {}\n", settings.file(), count, count == 1 ? "finding" : "findings",
                      settings.diff ? "would be mended" : "mended");
  }
  if (!fixed.settled) out += fmt::format("{}: there is more to mend; run it again\n", settings.file());
  return out;
}

int run_fix(const Context& context, const Settings& settings, const std::string& source) {
  Fixed fixed =
      fix_source(context.catalog, source, {.device = settings.device, .language_only = !settings.emit});
  const bool changed = fixed.source != source;
  if (settings.diff) {
    const std::string name = settings.file();
    context.out << unified_diff(source, fixed.source, name, name);
  } else if (settings.path == "-") {
    context.out << fixed.source;
  } else if (changed) {
    const auto written = write_back(context.files, settings.path, source, fixed.source);
    if (!written) return report(context, written.error(), settings.machine());
  }
  context.err << said(settings, fixed);
  const auto judged = judge_escapes(context, settings, fixed.compiled, fixed.source);
  if (!judged) return report(context, judged.error(), settings.machine());
  print_findings(context, settings, fixed.compiled, fixed.source);
  const bool done = fixed.compiled.ok() && !(settings.diff && changed);
  return done ? kDone : kFindings;
}

std::string remark(const Compiled& compiled) {
  if (compiled.emittable) return {};
  if (compiled.members <= 1) return "; not every step has a kernel yet, so it cannot be compiled";
  return fmt::format(", the first legal one of {}; `ucutlass expand` lists them", compiled.members);
}

int run_plain(const Context& context, const Settings& settings, const std::string& source) {
  Compiled compiled =
      check_source(context.catalog, source, {.device = settings.device, .language_only = !settings.emit});
  const auto judged = judge_escapes(context, settings, compiled, source);
  if (!judged) return report(context, judged.error(), settings.machine());
  print_findings(context, settings, compiled, source);
  if (compiled.ok() && !settings.resolved && settings.format == "full")
    context.out << settings.file() << ": ok, program " << compiled.hash << remark(compiled) << "\n";
  if (compiled.ok() && settings.resolved) context.out << compiled.source;
  return compiled.ok() ? kDone : kFindings;
}

int run_check(const Invocation& invocation) {
  Settings settings;
  Options options(invocation);
  options.positional("PROGRAM.uc", settings.path, "the program, or - for standard input");
  options.choice("--format", settings.format, {"full", "concise", "json", "sarif"},
                 "how findings are printed");
  device_option(options, invocation.context.catalog, settings.device,
                "the device whose limits count (default: the target's own)");
  options.flag("--fix", settings.fix,
               "write the replacements that pass their rule into the file, and print what is left; of "
               "standard input, print the mended program",
               Options::From::command_line);
  options.flag("--diff", settings.diff, "print what --fix would change as a unified diff, and write nothing",
               Options::From::command_line);
  options.flag("--resolved", settings.resolved, "print the program with every automatic knob written out");
  options.flag("--emit", settings.emit,
               "what no back end emits yet (UC19xx) is an error; nvcc compiles the sources of `cuda`",
               Options::From::command_line);
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (settings.prints_text() && settings.machine()) {
    return report(context, Error{"two things would go to standard output: findings and the program's text",
                                 "leave out --format json|sarif, or else --diff and `--fix -`", kUsage});
  }
  if ((settings.fix || settings.diff) && settings.resolved)
    return report(context, Error{"--resolved goes with neither --fix nor --diff", "run check twice", kUsage});
  const auto source = read_input(context, settings.path);
  if (!source) return report(context, source.error(), settings.machine());
  return settings.fix || settings.diff ? run_fix(context, settings, *source)
                                       : run_plain(context, settings, *source);
}

constexpr CommandSpec kRows[] = {{"check", CommandGroup::program,
                                  "check a program against the language and the rule book", kExamples,
                                  run_check}};

}  // namespace

std::span<const CommandSpec> check_command_rows() { return kRows; }

}  // namespace uc::cli
