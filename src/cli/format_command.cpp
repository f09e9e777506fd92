// `ucutlass format`: the canonical form of a program.
#include <ostream>

#include "cli/options.h"
#include "cli/output.h"
#include "language/exports.h"
#include "platform/files.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass format prog.uc            # prints the canonical form\n"
    "ucutlass format -w prog.uc         # writes it back\n"
    "ucutlass format --check prog.uc    # exit code 1 when it is not in canonical form\n"
    "ucutlass format --json prog.uc     # the tree; `ucutlass language --format json-schema` describes it\n"
    "ucutlass format --from-json tree.json  # a program from such a tree, as decoders under that schema "
    "make\n";

int print_from_json(const Context& context, const std::string& source, bool json) {
  const auto program = language::from_json(source);
  if (!program) return report(context, program.error(), json);
  context.out << *program;
  return kDone;
}

/// Shows the canonical form, writes it back, or only compares.
int settle(const Context& context, const std::string& path, const std::string& source,
           const std::string& text, bool write, bool check) {
  if (check) {
    if (text != source)
      context.err << path << ": not in canonical form; `ucutlass format -w " << path << "` writes it\n";
    return text == source ? kDone : kFindings;
  }
  if (!write || path == "-") {
    context.out << text;
    return kDone;
  }
  if (text == source) return kDone;
  const auto written = context.files.replace(path, text);
  return written ? static_cast<int>(kDone) : report(context, written.error());
}

int run_format(const Invocation& invocation) {
  std::string path;
  bool write = false;
  bool check = false;
  bool json = false;
  bool from_json = false;
  Options options(invocation);
  options.positional("PROGRAM.uc", path, "the program, or - for standard input");
  options.flag("-w,--write", write, "write the file back");
  options.flag("--check", check, "only say whether it is in canonical form");
  options.flag("--json", json, "print the tree as one JSON object of schema ucutlass.tree/1");
  options.flag("--from-json", from_json, "read such a tree, and print its program");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto source = read_input(context, path);
  if (!source) return report(context, source.error(), json);
  if (from_json) return print_from_json(context, *source, json);
  DiagSink diags;
  const ast::File tree = parse(*source, diags);
  if (diags.has_errors()) return report(context, diags.sorted(), *source, path, json);
  if (json) {
    context.out << language::to_json(tree) << "\n";
    return kDone;
  }
  return settle(context, path, *source, format(tree, *source), write, check);
}

constexpr CommandSpec kRows[] = {
    {"format", CommandGroup::program, "print a program in canonical form", kExamples, run_format}};

}  // namespace

std::span<const CommandSpec> format_command_rows() { return kRows; }

}  // namespace uc::cli
