// `ucutlass language`: the language as text for people, models and constrained decoders.
#include <algorithm>
#include <ostream>

#include "cli/mcp_tools.h"
#include "cli/options.h"
#include "cli/output.h"
#include "language/exports.h"
#include "platform/files.h"

namespace uc::cli {
namespace {

constexpr std::string_view kExamples =
    "ucutlass language                               # the card: what a model needs to write programs\n"
    "ucutlass language --format lark -o uc.lark      # a grammar for constrained decoding\n"
    "ucutlass language --format mcp                  # tool schemas for agents\n"
    "ucutlass language --all docs/generated          # every export and the reference, one file each\n"
    "ucutlass language --all docs/generated --check  # exit code 1 when a file there is not up to date\n"
    "ucutlass language --editors editors             # what editors/ has from the catalog\n";

// Beside the exports of the language: what the commands are to agents.
constexpr std::string_view kTools = "mcp";
constexpr std::string_view kToolsFile = "mcp-tools.json";

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const language::Export& row : language::exports()) out.emplace_back(row.name);
  out.emplace_back(kTools);
  return out;
}

std::vector<language::Page> all_files(const Context& context) {
  std::vector<language::Page> out = language::files(context.catalog);
  out.push_back({std::string(kToolsFile), mcp_tools(context)});
  return out;
}

std::string exported(const Context& context, std::string_view format) {
  if (format == kTools) return mcp_tools(context);
  const auto rows = language::exports();
  return std::ranges::find(rows, format, &language::Export::name)->print(context.catalog);
}

int write_all(const Context& context, const std::string& folder, std::span<const language::Page> pages) {
  for (const language::Page& page : pages) {
    const std::string path = folder + "/" + page.file;
    const auto made = context.files.make_folder(path.substr(0, path.rfind('/')));
    if (!made) return report(context, made.error());
    const auto written = context.files.write(path, page.text);
    if (!written) return report(context, written.error());
  }
  return kDone;
}

int check_all(const Context& context, const std::string& folder, std::span<const language::Page> pages) {
  int code = kDone;
  for (const language::Page& page : pages) {
    const std::string path = folder + "/" + page.file;
    const auto there = context.files.read(path);
    if (there && *there == page.text) continue;
    context.err << path << (there ? ": not up to date" : ": missing") << "; `make docs` writes it\n";
    code = kFindings;
  }
  return code;
}

int run_language(const Invocation& invocation) {
  std::string format = "card";
  std::string out;
  std::string folder;
  std::string editors;
  bool check = false;
  Options options(invocation);
  options.choice("--format", format, format_names(), "which export", Options::From::command_line);
  options.value("-o,--out", out, "FILE", "write it there (default: standard output)");
  options.value("--all", folder, "FOLDER", "write every export and the reference there, one file each",
                Options::From::command_line);
  options.value("--editors", editors, "FOLDER", "write the generated files of editors/ there",
                Options::From::command_line);
  options.flag("--check", check, "only say which files of the folder are not up to date");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (!folder.empty() && !editors.empty())
    return report(context, {"--all and --editors are two jobs", "run language twice", kUsage});
  if (!folder.empty() || !editors.empty()) {
    const auto pages = folder.empty() ? language::editor_files(context.catalog) : all_files(context);
    const std::string& where = folder.empty() ? editors : folder;
    return check ? check_all(context, where, pages) : write_all(context, where, pages);
  }
  if (check) {
    return report(context, {"--check needs --all FOLDER or --editors FOLDER",
                            "`ucutlass language --all docs/generated --check`", kUsage});
  }
  const std::string text = exported(context, format);
  const auto written = write_output(context, out, text);
  return written ? static_cast<int>(kDone) : report(context, written.error());
}

constexpr CommandSpec kRows[] = {{"language", CommandGroup::agents,
                                  "print the card, grammars, schemas and reference of the language",
                                  kExamples, run_language}};

}  // namespace

std::span<const CommandSpec> language_command_rows() { return kRows; }

}  // namespace uc::cli
