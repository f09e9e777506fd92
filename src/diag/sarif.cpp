#include "diag/sarif.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "diag/render.h"

namespace uc {
namespace {

using nlohmann::ordered_json;

/// A path as an URI reference (RFC 3986): what is not unreserved or a separator is percent-encoded.
std::string uri_of(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 ||
                                       std::string_view("-._~/").find(c) != std::string_view::npos);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

ordered_json region_of(Span span, std::string_view source) {
  const SourcePlace begin = place_of(source, span.begin);
  const SourcePlace end = place_of(source, std::max(span.begin, span.end));
  return {{"startLine", begin.line},
          {"startColumn", begin.column},
          {"endLine", end.line},
          {"endColumn", end.column}};
}

ordered_json fix_of(const Diag& diag, std::string_view source, const ordered_json& artifact) {
  const ordered_json replacement = {{"deletedRegion", region_of(diag.replaced(), source)},
                                    {"insertedContent", {{"text", diag.replacement}}}};
  return {{"description", {{"text", diag.help.empty() ? "passes " + diag.slug : diag.help}}},
          {"artifactChanges", ordered_json::array({{{"artifactLocation", artifact},
                                                    {"replacements", ordered_json::array({replacement})}}})}};
}

ordered_json result_of(const Diag& diag, size_t rule, std::string_view source, const ordered_json& artifact) {
  const std::string text = diag.help.empty() ? diag.message : diag.message + "\nhelp: " + diag.help;
  ordered_json out = {{"ruleId", diag.id},
                      {"ruleIndex", rule},
                      {"level", severity_name(diag.severity)},
                      {"message", {{"text", text}}}};
  const ordered_json physical = {{"artifactLocation", artifact}, {"region", region_of(diag.span, source)}};
  out["locations"] = ordered_json::array({{{"physicalLocation", physical}}});
  if (!diag.replacement.empty()) out["fixes"] = ordered_json::array({fix_of(diag, source, artifact)});
  return out;
}

ordered_json rule_of(const Diag& diag, std::span<const DiagKind> kinds) {
  ordered_json out = {{"id", diag.id}, {"name", diag.slug}};
  const auto kind = std::ranges::find(kinds, diag.id, &DiagKind::id);
  if (kind == kinds.end()) return out;
  out["shortDescription"] = {{"text", kind->summary}};
  out["help"] = {{"text", fmt::format("`ucutlass explain {}` says more", diag.id)}};
  out["defaultConfiguration"] = {{"level", severity_name(kind->severity)}};
  return out;
}

}  // namespace

std::string render_sarif(std::span<const Diag> diags, std::string_view source, std::string_view file,
                         const SarifTool& tool) {
  const ordered_json artifact = {{"uri", uri_of(file)}};
  ordered_json rules = ordered_json::array();
  ordered_json results = ordered_json::array();
  std::vector<std::string_view> ids;
  for (const Diag& diag : diags) {
    const auto known = std::ranges::find(ids, diag.id);
    const auto rule = static_cast<size_t>(known - ids.begin());
    if (known == ids.end()) {
      ids.push_back(diag.id);
      rules.push_back(rule_of(diag, tool.kinds));
    }
    results.push_back(result_of(diag, rule, source, artifact));
  }
  const ordered_json driver = {{"name", "ucutlass"}, {"version", tool.version}, {"rules", rules}};
  const ordered_json run = {
      {"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", results}};
  const ordered_json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                            {"version", "2.1.0"},
                            {"runs", ordered_json::array({run})}};
  return log.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace uc
