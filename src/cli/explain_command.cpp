// `ucutlass explain`: everything that the catalog and the diagnostics know, by id or name, with examples.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/text.h"
#include "check/bind_args.h"
#include "check/diags.h"
#include "cli/explain_program.h"
#include "cli/options.h"
#include "cli/output.h"

namespace uc::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kExamples =
    "ucutlass explain UC2104       # a rule: why it is there, a program that breaks it, one that does not\n"
    "ucutlass explain linear       # an operator: parameters, knobs, programs\n"
    "ucutlass explain tile         # a knob\n"
    "ucutlass explain prog.uc      # what was chosen for each step's knobs, and what else there was\n"
    "ucutlass explain              # the list of everything\n";

/// One thing that can be explained, as lines of name and text.
struct Topic {
  std::string_view kind;  ///< "rule", "diagnostic", "operator", "knob", "device", "rewrite"
  std::string name;
  std::string slug;  ///< another name; may be empty
  std::string summary;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::pair<std::string, std::string>> programs;
};

Topic of(const RuleSpec& row) {
  Topic out{"rule", std::string(row.id), std::string(row.slug), std::string(row.summary), {}, {}};
  out.facts = {{"severity", std::string(severity_name(row.severity))},
               {"applies to", fmt::format("{}, back end {}", row.archs, row.backend)},
               {"why", std::string(row.rationale)},
               {"source", std::string(row.source)}};
  out.programs = {{"raises it", std::string(row.bad_example)}, {"mended", std::string(row.good_example)}};
  return out;
}

Topic of(const DiagKind& row) {
  return {"diagnostic",
          std::string(row.id),
          std::string(row.slug),
          std::string(row.summary),
          {{"severity", std::string(severity_name(row.severity))}},
          {}};
}

std::string params_of(const OpSpec& row) {
  std::string out;
  for (const ParamSpec& param : row.params) {
    out += fmt::format("{}{}", out.empty() ? "" : "\n", param.name);
    if (!param.fallback.empty()) out += fmt::format(" = {}", param.fallback);
    if (!param.words.empty()) out += fmt::format(" ({})", param.words);
    if (!param.required && param.fallback.empty()) out += " (optional)";
    if (!param.summary.empty()) out += fmt::format(": {}", param.summary);
  }
  return out;
}

/// What may stand like an operator and is no row: it says when or where others work, and does none.
std::vector<Topic> forms() {
  Topic prepack{"operator", "prepack", {}, "computes an operand once, when weights are loaded", {}, {}};
  prepack.facts = {
      {"written", "prepack(e) or prepack(e, dtype)"},
      {"parameters", "e: an expression over params only\ndtype (optional): what it is rounded to"}};
  prepack.programs = {{"example",
                       "target sm_90a\nprecision f16\ninput x: f16[256, 64]\nparam W: f32[128, 64]\n"
                       "y = linear(x, prepack(W, f16))\nreturn y\n"}};
  Topic map{"operator", "map", {}, "pointwise work written as expressions; several give several results",
            {},         {}};
  map.facts = {{"step", "y = map(e), or y1, y2 = map(e1, e2)"},
               {"fused", ">> map(e): `it` is the running value"}};
  map.programs = {{"example", "target sm_90a\ninput x: f32[64]\ny, z = map(x * 2, x + 1)\nreturn y, z\n"}};
  return {prepack, map};
}

Topic of(const OpSpec& row, std::span<const KnobSpec* const> knobs) {
  Topic out{"operator", std::string(row.name), {}, std::string(row.summary), {}, {}};
  const bool fused = (static_cast<int>(row.place) & static_cast<int>(Place::fused)) != 0;
  if (row.place != Place::fused) out.facts.emplace_back("step", fmt::format("y = {}", signature(row, false)));
  if (fused) out.facts.emplace_back("fused", signature(row, true));
  if (!row.infix.empty()) out.facts.emplace_back("written", std::string(row.infix));
  out.facts.emplace_back("family", row.is_view()
                                       ? fmt::format("{}: a view, free of work and memory", row.family)
                                       : std::string(row.family));
  if (!row.params.empty()) out.facts.emplace_back("parameters", params_of(row));
  if (row.memory_operands)
    out.facts.emplace_back("operands", "have memory: computed in a step before, or views");
  if (fused && row.reduces)
    out.facts.emplace_back("after `>>`", "the result replaces the running value, in its new shape");
  std::string list;
  for (const KnobSpec* knob : knobs) {
    if (row.place != Place::fused && !row.is_view() && applies(*knob, row))
      list += fmt::format("{}{}", list.empty() ? "" : " ", knob->name);
  }
  if (!list.empty()) out.facts.emplace_back("knobs", list);
  for (const std::string_view example : row.examples)
    out.programs.emplace_back("example", std::string(example));
  return out;
}

Topic of(const KnobSpec& row) {
  Topic out{"knob", std::string(row.name), {}, std::string(row.summary), {}, {}};
  out.facts = {{"written", fmt::format(".{}({})", row.name, row.syntax)},
               {"operators", std::string(row.families)}};
  if (!row.emitted) out.facts.emplace_back("state", "part of the language; no back end emits it yet");
  return out;
}

Topic of(const DeviceSpec& row) {
  Topic out{"device", std::string(row.name), {}, std::string(row.full_name), {}, {}};
  out.facts = {
      {"target", std::string(row.arch)},
      {"factors",
       fmt::format("{} SMs, up to {:.0f} MHz, {:.2f} TB/s, L2 {} MiB, {} bytes of shared memory a block",
                   row.sms, row.boost_mhz, row.dram_bytes_per_second() / 1e12, row.l2_bytes >> 20,
                   row.smem_per_block)},
      {"source", std::string(row.source)}};
  return out;
}

Topic of(const RewriteSpec& row) {
  constexpr std::string_view kClaims[] = {"exact", "algebraic", "precision"};
  Topic out{"rewrite",
            std::string(row.id),
            {},
            std::string(row.summary),
            {{"claims", std::string(kClaims[static_cast<size_t>(row.claim)])}},
            {}};
  if (row.simplifies) {
    out.facts.emplace_back("because", std::string(row.justification));
    out.facts.emplace_back("holds", std::string(name(row.holds)));
  }
  return out;
}

std::vector<Topic> topics(const Catalog& catalog) {
  std::vector<Topic> out;
  for (const OpSpec* row : catalog.ops()) {
    if (row->place != Place::inner) out.push_back(of(*row, catalog.knobs()));
  }
  for (Topic& form : forms()) out.push_back(std::move(form));
  for (const KnobSpec* row : catalog.knobs()) out.push_back(of(*row));
  for (const DiagKind& kind : all_diag_kinds()) out.push_back(of(kind));
  for (const RuleSpec* row : catalog.rules()) out.push_back(of(*row));
  for (const RewriteSpec* row : catalog.rewrites()) out.push_back(of(*row));
  for (const DeviceSpec* row : catalog.devices()) out.push_back(of(*row));
  return out;
}

std::string indented(const std::string& text, std::string_view by) {
  return replace_all(std::string(trim(text)), "\n", fmt::format("\n{}", by));
}

void show(const Context& context, const Topic& topic) {
  const bool color = context.color_out;
  context.out << styled(color, "1", topic.name) << (topic.slug.empty() ? "" : " " + topic.slug) << " ("
              << topic.kind << ")\n"
              << topic.summary << "\n";
  for (const auto& [name, text] : topic.facts) {
    context.out << fmt::format("  {:<11} {}\n", name, indented(text, "              "));
  }
  for (const auto& [name, text] : topic.programs) {
    context.out << fmt::format("\n  {}:\n    {}\n", name, indented(text, "    "));
  }
}

void list(const Context& context, const std::vector<Topic>& all) {
  std::string_view kind;
  for (const Topic& topic : all) {
    if (topic.kind != kind) {
      context.out << (kind.empty() ? "" : "\n")
                  << styled(context.color_out, "1", fmt::format("{}s", topic.kind)) << "\n";
      kind = topic.kind;
    }
    context.out << fmt::format("  {:<16} {}\n", topic.name, topic.summary);
  }
}

ordered_json to_json(const Topic& topic) {
  ordered_json out{{"kind", topic.kind}, {"name", topic.name}};
  if (!topic.slug.empty()) out["slug"] = topic.slug;
  out["summary"] = topic.summary;
  for (const auto& [name, text] : topic.facts) out["facts"][name] = text;
  for (const auto& [name, text] : topic.programs)
    out["programs"].push_back({{"what", name}, {"program", text}});
  return out;
}

Error unknown(const std::string& wanted, const std::vector<Topic>& all) {
  std::vector<std::string_view> names;
  for (const Topic& topic : all) {
    names.push_back(topic.name);
    if (!topic.slug.empty()) names.push_back(topic.slug);
  }
  const std::string_view near = nearest(wanted, names);
  return {"nothing is named `" + wanted + "`",
          near.empty() ? "`ucutlass explain` lists every operator, knob, diagnostic and rule"
                       : fmt::format("did you mean `{}`?", near)};
}

std::vector<std::string> names_of(const Catalog& catalog) {
  std::set<std::string> names;
  for (const Topic& topic : topics(catalog)) {
    names.insert(topic.name);
    if (!topic.slug.empty()) names.insert(topic.slug);
  }
  return {names.begin(), names.end()};
}

int run_explain(const Invocation& invocation) {
  std::string wanted;
  ExplainProgram program;
  bool& json = program.json;
  Options options(invocation);
  options.positional("ID|OPERATOR|KNOB|PROGRAM.uc", wanted,
                     "an id or slug of a diagnostic, an operator, a knob, a device; a program, or - for "
                     "standard input; nothing lists all",
                     false);
  options.suggest(names_of(invocation.context.catalog));
  device_option(options, invocation.context.catalog, program.device,
                "of a program: the device to choose for (default: the target's own)");
  options.value("--limit", program.limit, "COUNT", "of a program: configurations listed a step", 1, 1000);
  options.flag("--json", json,
               "one JSON object, of schema ucutlass.explain/1 or, of a program, ucutlass.ranking/1");
  if (const auto code = options.parse()) return *code;
  const Context& context = invocation.context;
  if (wanted == "-" || wanted.ends_with(".uc")) {
    program.path = wanted;
    return explain_program(context, program);
  }
  const std::vector<Topic> all = topics(context.catalog);
  std::vector<const Topic*> found;
  for (const Topic& topic : all) {
    if (wanted.empty() || topic.name == wanted || topic.slug == wanted) found.push_back(&topic);
  }
  if (found.empty()) return report(context, unknown(wanted, all), json);
  if (json) {
    ordered_json object{{"schema", "ucutlass.explain/1"}, {"topics", ordered_json::array()}};
    for (const Topic* topic : found) object["topics"].push_back(to_json(*topic));
    context.out << object.dump(2) << "\n";
  } else if (wanted.empty()) {
    list(context, all);
  } else {
    for (size_t i = 0; i < found.size(); ++i) {
      if (i != 0) context.out << "\n";
      show(context, *found[i]);
    }
  }
  return kDone;
}

constexpr CommandSpec kRows[] = {{"explain", CommandGroup::program,
                                  "say what an id, an operator or a knob is, with examples", kExamples,
                                  run_explain}};

}  // namespace

std::span<const CommandSpec> explain_command_rows() { return kRows; }

}  // namespace uc::cli
