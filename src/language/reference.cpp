// Markdown pages of the catalog: docs/generated/*.md.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"
#include "check/bind_args.h"
#include "check/diags.h"
#include "language/exports.h"

namespace uc::language {
namespace {

constexpr std::string_view kHead = "<!-- Generated from the catalog by `make docs`. Do not edit. -->\n";

std::string cell(std::string_view text) {
  return replace_all(replace_all(std::string(text), "|", "\\|"), "\n", " ");
}

std::string program(std::string_view source) { return fmt::format("```\n{}\n```\n", trim(source)); }

std::string_view kind_name(ParamKind kind) {
  switch (kind) {
    case ParamKind::tensor: return "tensor";
    case ParamKind::tensors: return "tensors";
    case ParamKind::integer: return "integer";
    case ParamKind::number: return "number";
    case ParamKind::boolean: return "true or false";
    case ParamKind::integers: return "integers";
    case ParamKind::word: return "word";
    case ParamKind::dtype: return "type";
    case ParamKind::layout: return "layout";
    case ParamKind::text: return "string";
    case ParamKind::typed: return "typed shape";
    case ParamKind::expression: return "expression over `it`";
  }
  return {};
}

std::string params_of(const OpSpec& row) {
  if (row.params.empty()) return {};
  std::string out = "| parameter | kind | default | |\n|---|---|---|---|\n";
  for (const ParamSpec& param : row.params) {
    const std::string kind = param.words.empty() ? std::string(kind_name(param.kind)) : cell(param.words);
    const std::string_view otherwise = param.required           ? ""
                                       : param.fallback.empty() ? "absent"
                                                                : param.fallback;
    out += fmt::format("| {} | {} | {} | {} |\n", param.name, kind, otherwise, cell(param.summary));
  }
  return out;
}

std::string section(const OpSpec& row) {
  std::string out = fmt::format("### {}\n{}.\n\n", row.name, row.summary);
  if (row.place != Place::fused) out += fmt::format("`y = {}`", signature(row, false));
  if (row.place == Place::both) out += ", ";
  if (row.place == Place::fused || row.place == Place::both) out += fmt::format("`{}`", signature(row, true));
  if (!row.infix.empty()) out += fmt::format(", written `{}`", row.infix);
  out += "\n\n" + params_of(row);
  for (const std::string_view example : row.examples) out += "\n" + program(example);
  return out + "\n";
}

std::vector<std::string_view> families(const Catalog& catalog) {
  std::vector<std::string_view> out;
  for (const OpSpec* row : catalog.ops()) {
    if (row->place == Place::inner) continue;  // in no text
    if (std::ranges::find(out, row->family) == out.end()) out.push_back(row->family);
  }
  std::ranges::sort(out);
  return out;
}

template <class Rows>
auto by_name(const Rows& rows) {
  std::vector out(rows.begin(), rows.end());
  std::ranges::stable_sort(out, {}, [](const auto* row) { return row->name; });
  return out;
}

std::string operators(const Catalog& catalog) {
  std::string out = fmt::format("{}# Operators\n", kHead);
  for (const std::string_view family : families(catalog)) {
    out += fmt::format("\n## {}\n\n", family);
    for (const OpSpec* row : by_name(catalog.ops())) {
      if (row->family == family && row->place != Place::inner) out += section(*row);
    }
  }
  return out;
}

std::string knobs(const Catalog& catalog) {
  std::string out = fmt::format(
      "{}# Knobs\nA knob changes how fast a step is, never what it means.\n\n| knob | operators | | "
      "|\n|---|---|---|---|\n",
      kHead);
  for (const KnobSpec* row : by_name(catalog.knobs()))
    out += fmt::format("| `.{}({})` | {} | {} | {} |\n", row->name, cell(row->syntax), row->families,
                       cell(row->summary), row->emitted ? "" : "not emitted yet");
  return out;
}

std::string rules(const Catalog& catalog) {
  std::string out = fmt::format("{}# Rule book\n", kHead);
  std::vector<const RuleSpec*> rows(catalog.rules().begin(), catalog.rules().end());
  std::ranges::sort(rows, {}, &RuleSpec::id);
  for (const RuleSpec* row : rows) {
    out += fmt::format(
        "\n## {} {}\n{}\n\n{} Applies to {}, back end {}; {}. Source: {}.\n\nRaises it:\n{}\nMended:\n{}",
        row->id, row->slug, row->summary, row->rationale, row->archs, row->backend,
        severity_name(row->severity), row->source, program(row->bad_example), program(row->good_example));
  }
  return out;
}

std::string diagnostics(const Catalog&) {
  std::string out = fmt::format(
      "{}# Diagnostics\n`ucutlass explain ID` says the same. Rules are in rules.md.\n\n"
      "| id | name | severity | |\n|---|---|---|---|\n",
      kHead);
  for (const DiagKind& row : all_diag_kinds())
    out += fmt::format("| {} | {} | {} | {} |\n", row.id, row.slug, severity_name(row.severity),
                       cell(row.summary));
  return out;
}

std::string devices(const Catalog& catalog) {
  std::string out = fmt::format(
      "{}# Devices\nDense rates at the highest clock; the program computes them from these "
      "factors.\n",
      kHead);
  for (const DeviceSpec* row : by_name(catalog.devices())) {
    out += fmt::format(
        "\n## {}: {}\n{} {}, {} SMs up to {:.0f} MHz, memory {:.2f} TB/s, L2 {} MiB, {} bytes of "
        "shared memory a block. Source: {}.\n\n| multiply in | dense TFLOP/s | best seen |\n|---|---|---|\n",
        row->name, row->full_name,
        catalog.emits_for(*row) ? "Target" : "Bounds only, no kernels yet:", row->arch, row->sms,
        row->boost_mhz, row->dram_bytes_per_second() / 1e12, row->l2_bytes >> 20, row->smem_per_block,
        row->source);
    for (const UnitRate& rate : row->rates)
      out += fmt::format("| {} | {:.1f} | {} |\n", name(rate.math), row->peak_flops(rate.math) / 1e12,
                         rate.calibrated_tflops > 0 ? fmt::format("{:.1f}", rate.calibrated_tflops) : "");
  }
  return out;
}

}  // namespace

std::vector<Page> reference_pages(const Catalog& catalog) {
  return {{"operators.md", operators(catalog)},
          {"knobs.md", knobs(catalog)},
          {"rules.md", rules(catalog)},
          {"diagnostics.md", diagnostics(catalog)},
          {"devices.md", devices(catalog)}};
}

}  // namespace uc::language
