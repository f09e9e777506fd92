#include "ir/attrs.h"

namespace uc {

void Attrs::set(std::string_view key, AttrValue value) {
  for (auto& [name, old] : entries_) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  entries_.emplace_back(key, std::move(value));
}

const AttrValue* Attrs::find(std::string_view key) const {
  for (const auto& [name, value] : entries_) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Attrs::set_terms(std::string_view key, std::vector<SizeTerm> terms) {
  std::erase_if(terms_, [key](const auto& entry) { return entry.first == key; });
  terms_.emplace_back(key, std::move(terms));
}

const std::vector<SizeTerm>* Attrs::terms(std::string_view key) const {
  for (const auto& [name, terms] : terms_) {
    if (name == key) return &terms;
  }
  return nullptr;
}

int64_t Attrs::get_int(std::string_view key, int64_t otherwise) const {
  const AttrValue* value = find(key);
  const int64_t* whole = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  return whole == nullptr ? otherwise : *whole;
}

double Attrs::get_float(std::string_view key, double otherwise) const {
  const AttrValue* value = find(key);
  if (value == nullptr) return otherwise;
  if (const double* number = std::get_if<double>(value)) return *number;
  if (const int64_t* whole = std::get_if<int64_t>(value)) return static_cast<double>(*whole);
  return otherwise;
}

bool Attrs::get_bool(std::string_view key, bool otherwise) const {
  const AttrValue* value = find(key);
  const bool* flag = value == nullptr ? nullptr : std::get_if<bool>(value);
  return flag == nullptr ? otherwise : *flag;
}

std::string Attrs::get_word(std::string_view key, std::string_view otherwise) const {
  const AttrValue* value = find(key);
  const std::string* word = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return word == nullptr ? std::string(otherwise) : *word;
}

}  // namespace uc
