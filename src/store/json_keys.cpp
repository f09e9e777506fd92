#include "store/json_keys.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace uc {
namespace {

using Json = nlohmann::json;

class Keys final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    open_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    if (open_.back().insert(name).second) return true;
    found = name;
    return false;
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

  std::optional<std::string> found;

 private:
  std::vector<std::set<std::string>> open_;
};

}  // namespace

std::optional<std::string> repeated_key(std::string_view json) {
  Keys keys;
  Json::sax_parse(json, &keys);
  return keys.found;
}

}  // namespace uc
