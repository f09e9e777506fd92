#include "ir/json_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace uc {
namespace {

constexpr size_t kDeepest = 64;
constexpr size_t kLargest = size_t{1} << 30;

bool too_deep(std::string_view text) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

// ".graph.ops[1]" of a value inside `whole`, and "" of itself. Places are looked for when something fails:
// writing them down on the way would cost more than reading.
std::optional<std::string> path_to(const nlohmann::json* value, const nlohmann::json& whole) {
  if (value == &whole) return "";
  if (whole.is_object()) {
    for (const auto& [key, child] : whole.items()) {
      if (const auto rest = path_to(value, child)) return fmt::format(".{}{}", key, *rest);
    }
  } else if (whole.is_array()) {
    for (size_t i = 0; i < whole.size(); ++i) {
      if (const auto rest = path_to(value, whole[i])) return fmt::format("[{}]{}", i, *rest);
    }
  }
  return std::nullopt;
}

constexpr std::array<int8_t, 256> base64_table() {
  std::array<int8_t, 256> table{};
  table.fill(-1);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < digits.size(); ++i) table[static_cast<uint8_t>(digits[i])] = static_cast<int8_t>(i);
  return table;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr auto table = base64_table();
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  text.remove_suffix(padding);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t window = 0;
  int bits = 0;
  for (const char c : text) {
    const int8_t digit = table[static_cast<uint8_t>(c)];
    if (digit < 0) return std::nullopt;
    window = (window << 6) | static_cast<uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>((window >> bits) & 0xffU));
  }
  if ((window & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

Result<nlohmann::json> parse_json(std::string_view text) {
  if (text.size() > kLargest) return fail("the JSON is larger than 1 GiB");
  if (too_deep(text)) return fail(fmt::format("the JSON is nested deeper than {} levels", kDeepest));
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return fail(fmt::format("not JSON at byte {} of {}", error.byte, text.size()));
  } catch (const nlohmann::json::exception&) {
    return fail("the JSON holds a number that is out of range");
  }
}

std::string JsonAt::place() const {
  const std::string path = fault_->whole == nullptr ? "" : path_to(value_, *fault_->whole).value_or("");
  return path.empty() ? "the top" : path.substr(path[0] == '.' ? 1 : 0);
}

void JsonAt::fail(const std::string& message) const {
  if (value_ == nullptr || *fault_) return;
  fault_->message = fmt::format("{}: {}", place(), message);
}

JsonAt JsonAt::field(std::string_view key) const {
  if (value_ == nullptr) return JsonAt(nullptr, *this);
  if (!value_->is_object()) {
    fail("expected an object");
    return JsonAt(nullptr, *this);
  }
  const auto found = value_->find(key);
  if (found != value_->end()) return JsonAt(&*found, *this);
  fail(fmt::format("has no `{}`", key));
  return JsonAt(nullptr, *this);
}

std::optional<JsonAt> JsonAt::maybe(std::string_view key) const {
  if (value_ == nullptr) return std::nullopt;
  if (!value_->is_object()) {
    fail("expected an object");
    return std::nullopt;
  }
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonAt(&*found, *this);
}

size_t JsonAt::size() const {
  if (value_ == nullptr) return 0;
  if (value_->is_array()) return value_->size();
  fail("expected a list");
  return 0;
}

JsonAt JsonAt::item(size_t index) const {
  const nlohmann::json* child =
      value_ != nullptr && value_->is_array() && index < value_->size() ? &(*value_)[index] : nullptr;
  return JsonAt(child, *this);
}

void JsonAt::each(const std::function<void(const std::string&, const JsonAt&)>& visit) const {
  if (value_ == nullptr) return;
  if (!value_->is_object()) return fail("expected an object");
  for (const auto& [key, child] : value_->items()) visit(key, JsonAt(&child, *this));
}

int64_t JsonAt::integer(int64_t low, int64_t high) const {
  if (value_ == nullptr) return low;
  const bool fits =
      value_->is_number_integer() &&
      (!value_->is_number_unsigned() || value_->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  const int64_t number = fits ? value_->get<int64_t>() : low;
  if (fits && number >= low && number <= high) return number;
  fail(fmt::format("expected an integer from {} to {}", low, high));
  return low;
}

double JsonAt::number() const {
  if (value_ == nullptr) return 0.0;
  if (value_->is_number()) return value_->get<double>();
  if (value_->is_object() && value_->size() == 1 && value_->contains("f")) {
    const std::string word = field("f").text();
    if (word == "inf") return INFINITY;
    if (word == "-inf") return -INFINITY;
    if (word == "nan") return NAN;
  }
  fail(R"(expected a number, or {"f": "inf"}, {"f": "-inf"}, {"f": "nan"})");
  return 0.0;
}

bool JsonAt::boolean() const {
  if (value_ == nullptr) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  fail("expected true or false");
  return false;
}

std::string JsonAt::text(size_t longest) const {
  if (value_ == nullptr) return {};
  if (!value_->is_string()) {
    fail("expected a string");
    return {};
  }
  const auto& text = value_->get_ref<const std::string&>();
  const bool control = std::any_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<uint8_t>(c) < 0x20 || c == 0x7f; });
  if (text.size() <= longest && !control) return text;
  fail(control ? "holds control characters" : fmt::format("is longer than {} bytes", longest));
  return {};
}

std::string JsonAt::base64() const {
  if (value_ == nullptr) return {};
  if (!value_->is_string()) {
    fail("expected a base64 string");
    return {};
  }
  auto bytes = decode_base64(value_->get_ref<const std::string&>());
  if (bytes) return *std::move(bytes);
  fail("is not base64 (truncated?)");
  return {};
}

}  // namespace uc
