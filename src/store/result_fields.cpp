#include "store/result_fields.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "store/base64.h"

namespace uc::results {
namespace {

const Json& at(const Json& from, const char* key) {
  static const Json none;
  return from.contains(key) ? from[key] : none;
}

template <class Enum>
bool take_name(const Json& from, std::initializer_list<Enum> all, Enum& to) {
  for (const Enum each : all) {
    if (from != name(each)) continue;
    to = each;
    return true;
  }
  return false;
}

}  // namespace

void put(Json& to, const char* key, const std::string& value) {
  to[key] = is_utf8(value) ? Json(value) : Json{{"base64", to_base64(value)}};
}

void put(Json& to, const char* key, double value) {
  to[key] = std::isfinite(value) ? Json(value) : Json(value > 0 ? "inf" : "-inf");  // a store holds no NaN
}

void put(Json& to, const char* key, int64_t value) { to[key] = value; }
void put(Json& to, const char* key, bool value) { to[key] = value; }
void put(Json& to, const char* key, RunState value) { to[key] = name(value); }
void put(Json& to, const char* key, TimeKind value) { to[key] = name(value); }

bool take(const Json& from, const char* key, std::string& to) {
  const Json& value = at(from, key);
  if (value.is_string()) {
    to = value.get<std::string>();
    return true;
  }
  if (!value.is_object() || value.size() != 1 || !value.contains("base64") || !value["base64"].is_string())
    return false;
  const auto bytes = from_base64(value["base64"].get_ref<const std::string&>());
  if (bytes) to = *bytes;
  return bytes.has_value();
}

bool take(const Json& from, const char* key, int64_t& to) {
  const Json& value = at(from, key);
  const bool large = value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  if (!value.is_number_integer() || large) return false;
  to = value.get<int64_t>();
  return to >= 0;
}

bool take(const Json& from, const char* key, double& to) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Json& value = at(from, key);
  if (value.is_number())
    to = value.get<double>();
  else if (value == "inf")
    to = kInfinite;
  else if (value == "-inf")
    to = -kInfinite;
  else
    return false;
  return true;
}

bool take(const Json& from, const char* key, bool& to) {
  const Json& value = at(from, key);
  if (value.is_boolean()) to = value.get<bool>();
  return value.is_boolean();
}

bool take(const Json& from, const char* key, RunState& to) {
  return take_name(at(from, key),
                   {RunState::running, RunState::done, RunState::interrupted, RunState::failed}, to);
}

bool take(const Json& from, const char* key, TimeKind& to) {
  return take_name(at(from, key),
                   {TimeKind::none, TimeKind::measured, TimeKind::modelled, TimeKind::reported}, to);
}

bool has(const Json& from, const char* key) { return from.contains(key); }

std::optional<std::string> other_key(const Json& from, const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : from.items()) {
    if (std::ranges::find(known, key) == known.end()) return key;
  }
  return std::nullopt;
}

}  // namespace uc::results
