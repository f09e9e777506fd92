#pragma once
// Why: captures come from outside, so each field is checked, and a failure names its place. Only for sources
// that read JSON.
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uc {

/// The first failure of a read, kept while reading goes on with defaults.
struct JsonFault {
  std::string message;                    ///< "graph.ops[1].out: expected a list"
  const nlohmann::json* whole = nullptr;  ///< what is read: a failure looks for its place there
  explicit operator bool() const { return !message.empty(); }
};

/// A JSON value with its place. Missing fields and wrong types are reported to the shared fault and read as
/// defaults.
class JsonAt {
 public:
  /// Of a whole text.
  JsonAt(const nlohmann::json* value, JsonFault* fault) : value_(value), fault_(fault) {
    fault->whole = value;
  }

  JsonAt field(std::string_view key) const;                 ///< must exist
  std::optional<JsonAt> maybe(std::string_view key) const;  ///< absent or null: nothing
  size_t size() const;                                      ///< of a list; 0 and a fault otherwise
  JsonAt item(size_t index) const;
  /// Visits an object's fields in order of their names.
  void each(const std::function<void(const std::string&, const JsonAt&)>& visit) const;

  int64_t integer(int64_t low, int64_t high) const;  ///< within [low, high]
  double number() const;                             ///< also {"f": "inf" | "-inf" | "nan"}
  bool boolean() const;
  std::string text(size_t longest = 4096) const;  ///< without control characters
  std::string base64() const;                     ///< the decoded bytes

  void fail(const std::string& message) const;
  const nlohmann::json* raw() const { return value_; }
  std::string place() const;

 private:
  JsonAt(const nlohmann::json* value, const JsonAt& parent) : value_(value), fault_(parent.fault_) {}
  const nlohmann::json* value_;  // null after a failure
  JsonFault* fault_;
};

/// Parses text. Errors: not JSON (with the byte), nested deeper than 64, larger than 1 GiB.
Result<nlohmann::json> parse_json(std::string_view text);

/// Bytes of standard base64 with padding, or nothing.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace uc
