// `ucutlass expand`: the programs that sets of settings stand for, and what dropped the illegal ones.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/options.h"
#include "cli/output.h"
#include "compiler/expand.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace uc::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExamples =
    "ucutlass expand prog.uc                  # every program that .tile({128x128x64, 128x256x64}) stands "
    "for\n"
    "ucutlass expand prog.uc --format json    # the same for machines\n"
    "ucutlass expand prog.uc --format list    # one line a program: its settings, or what dropped it\n";

struct Listed {
  Member member;
  Compiled compiled;
  std::string text;   // canonical
  Diag dropped_by{};  // when not legal
};

std::vector<Listed> list(const Catalog& catalog, const ast::File& tree, const std::string& source,
                         const std::string& device) {
  std::vector<Listed> out;
  for (Member& member : expand(tree, source)) {
    Listed each;
    each.compiled = check_source(catalog, member.source, {.device = device, .language_only = true});
    each.text = format(each.compiled.tree, member.source);
    for (const Diag& diag : each.compiled.diags.sorted()) {
      if (diag.severity != Severity::error) continue;
      each.dropped_by = diag;
      break;
    }
    each.member = std::move(member);
    out.push_back(std::move(each));
  }
  return out;
}

std::string settings_text(const Member& member) {
  return member.settings.empty() ? std::string("no set") : fmt::format("{}", fmt::join(member.settings, " "));
}

std::string text_of(const std::vector<Listed>& members, bool programs) {
  std::string out;
  for (size_t i = 0; i < members.size(); ++i) {
    const Listed& each = members[i];
    const bool legal = each.compiled.ok();
    if (programs && i > 0) out += "\n";
    out += fmt::format("# {} of {}: {}", i + 1, members.size(), settings_text(each.member));
    if (!legal) {
      out += fmt::format("  dropped by {} {}: {}", each.dropped_by.id, each.dropped_by.slug,
                         each.dropped_by.message);
    }
    out += "\n";
    if (legal && programs) out += each.text;
  }
  return out;
}

std::string json_of(const std::vector<Listed>& members) {
  Json rows = Json::array();
  for (const Listed& each : members) {
    Json row{{"settings", each.member.settings}, {"legal", each.compiled.ok()}};
    if (each.compiled.ok()) {
      row["program"] = each.text;
      row["hash"] = each.compiled.hash;
    } else {
      row["id"] = each.dropped_by.id;
      row["rule"] = each.dropped_by.slug;
      row["message"] = each.dropped_by.message;
    }
    rows.push_back(std::move(row));
  }
  const Json whole{{"schema", "ucutlass.expand/1"}, {"members", std::move(rows)}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int run_expand(const Invocation& invocation) {
  std::string path;
  std::string format = "text";
  std::string device;
  Options options(invocation);
  options.positional("PROGRAM.uc", path, "the program, or - for standard input");
  options.choice("--format", format, {"text", "list", "json"}, "programs in full, one line each, or JSON",
                 Options::From::command_line);
  device_option(options, invocation.context.catalog, device,
                "the device whose limits count (default: the target's own)");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  const auto source = read_input(context, path);
  const bool json = format == "json";
  if (!source) return report(context, source.error(), json);
  DiagSink diags;
  const ast::File tree = parse(*source, diags);
  if (diags.has_errors()) return report(context, diags.sorted(), *source, path, json);
  if (count_members(tree) > kMostMembers) {
    return report(context,
                  Error{fmt::format("the sets of {} stand for more than {} programs", path, kMostMembers),
                        "leave out settings"},
                  json);
  }
  const auto members = list(context.catalog, tree, *source, device);
  context.out << (json ? json_of(members) : text_of(members, format == "text"));
  const bool any = std::ranges::any_of(members, [](const Listed& each) { return each.compiled.ok(); });
  if (!any) context.err << path << ": no member is legal\n";
  return any ? kDone : kFindings;
}

constexpr CommandSpec kRows[] = {{"expand", CommandGroup::program,
                                  "list the programs that sets in knobs stand for", kExamples, run_expand}};

}  // namespace

std::span<const CommandSpec> expand_command_rows() { return kRows; }

}  // namespace uc::cli
