#include "agent/proposers/answers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/proposers/extract.h"
#include "base/text.h"

namespace uc {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostHypotheses = 8;
constexpr size_t kMostText = 400;
constexpr double kLeastSpeedup = 0.1;
constexpr double kMiddleRisk = 3;

std::string text_of(const Json& from, const char* key) {
  return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string();
}

double number_of(const Json& from, const char* key, double otherwise, double low, double high) {
  if (!from.contains(key) || !from[key].is_number()) return otherwise;
  const auto value = from[key].get<double>();
  return std::isfinite(value) ? std::clamp(value, low, high) : otherwise;
}

Hypothesis hypothesis_of(const Json& from, double most_speedup) {
  Hypothesis out;
  out.open = true;
  out.what = one_line(text_of(from, "what"), kMostText);
  out.why = one_line(text_of(from, "why"), kMostText);
  out.id = slug(text_of(from, "id").empty() ? out.what : text_of(from, "id"));
  out.speedup = number_of(from, "speedup", 1, kLeastSpeedup, most_speedup);
  out.implementation_risk = number_of(from, "implementation_risk", kMiddleRisk, 1, 5);
  out.performance_risk = number_of(from, "performance_risk", kMiddleRisk, 1, 5);
  return out;
}

}  // namespace

std::string slug(std::string_view text) {
  constexpr size_t kMost = 40;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 && byte < 128) {
      out += static_cast<char>(std::tolower(byte));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() == kMost) break;
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "change" : out;
}

std::string one_line(std::string_view text, size_t most) {
  std::string out = printable(trim(text));
  for (char& c : out) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  if (out.size() <= most) return out;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;  // no half code point
  return out.substr(0, end);
}

ReadHypotheses read_hypotheses(std::string_view answer, double most_speedup) {
  const Extracted found = extract_json(answer);
  if (found.text.empty()) return {{}, found.why_not};
  Json json = Json::parse(found.text, nullptr, false);
  if (json.is_object() && json.contains("hypotheses")) json = Json(json["hypotheses"]);
  if (!json.is_array()) return {{}, "the JSON has no array `hypotheses`"};
  ReadHypotheses out;
  std::set<std::string> ids;
  for (const Json& each : json) {
    if (!each.is_object() || out.hypotheses.size() == kMostHypotheses) continue;
    Hypothesis next = hypothesis_of(each, std::max(most_speedup, 1.0));
    if (!next.what.empty() && ids.insert(next.id).second) out.hypotheses.push_back(std::move(next));
  }
  if (out.hypotheses.empty()) out.why_not = "no hypothesis of the array says `what`";
  return out;
}

}  // namespace uc
