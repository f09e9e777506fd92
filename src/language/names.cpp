#include "language/names.h"

#include <algorithm>
#include <set>

#include "ir/dtype.h"
#include "ir/layout.h"
#include "ir/program.h"
#include "syntax/token.h"

namespace uc::language {
namespace {

template <class Rows>
std::vector<std::string> sorted_names(const Rows& rows, bool (*wanted)(const OpSpec&)) {
  std::set<std::string> out;
  for (const OpSpec* row : rows) {
    if (wanted(*row)) out.emplace(row->name);
  }
  return {out.begin(), out.end()};
}

bool in_expression(const OpSpec& row) {
  return row.place == Place::step || row.place == Place::both || row.place == Place::view;
}
bool in_chain(const OpSpec& row) { return row.place == Place::fused || row.place == Place::both; }

}  // namespace

const std::vector<std::string>& statement_words() {
  static const std::vector<std::string> words = [] {
    const auto all = syntax::keywords();
    return std::vector<std::string>(all.begin(), all.end());
  }();
  return words;
}

std::vector<std::string> target_names(const Catalog& catalog) {
  std::set<std::string> out;
  for (const DeviceSpec* device : catalog.devices()) {
    if (catalog.emits_for(*device)) out.emplace(device->arch);
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> precision_names() {
  std::vector<std::string> out;
  for (int i = 0; i <= static_cast<int>(Precision::f8); ++i)
    out.emplace_back(name(static_cast<Precision>(i)));
  return out;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> out;
  for (const DTypeInfo& row : all_dtypes()) out.emplace_back(row.name);
  return out;
}

std::vector<std::string> attribute_names() {
  std::set<std::string> out{"strides"};
  for (const std::string_view layout : layout_names()) out.emplace(layout);
  for (const std::string_view structure : structure_names()) out.emplace(structure);
  return {out.begin(), out.end()};
}

std::vector<std::string> knob_names(const Catalog& catalog) {
  std::set<std::string> out;
  for (const KnobSpec* row : catalog.knobs()) out.emplace(row->name);
  return {out.begin(), out.end()};
}

std::vector<std::string> step_names(const Catalog& catalog) {
  auto out = sorted_names(catalog.ops(), in_expression);
  out.insert(out.end(), {"map", "prepack"});
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::string> fused_names(const Catalog& catalog) {
  auto out = sorted_names(catalog.ops(), in_chain);
  out.emplace_back("map");
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string all_letters() {
  std::string out;
  for (char c = 'A'; c <= 'Z'; ++c) out += c;
  out += '_';
  for (char c = 'a'; c <= 'z'; ++c) out += c;
  return out;
}

std::string all_word_characters() {
  std::string out;
  for (char c = '0'; c <= '9'; ++c) out += c;
  return out + all_letters();
}

std::string as_ranges(const std::string& characters) {
  std::string out;
  for (size_t i = 0; i < characters.size();) {
    size_t j = i;
    while (j + 1 < characters.size() && characters[j + 1] == characters[j] + 1) ++j;
    out += characters[i];
    if (j > i + 1) out += '-';
    if (j > i) out += characters[j];
    i = j + 1;
  }
  return out;
}

}  // namespace uc::language
