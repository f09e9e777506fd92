#pragma once
// Why: the names that exports list, each read from where it is defined.
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"

namespace uc::language {

/// The first words of statements: target, precision, name, dim, input, param, scalar, return.
const std::vector<std::string>& statement_words();
std::vector<std::string> target_names(const Catalog& catalog);
std::vector<std::string> precision_names();
std::vector<std::string> dtype_names();
std::vector<std::string> attribute_names();
std::vector<std::string> knob_names(const Catalog& catalog);
/// What may be called in an expression, and after `>>`; sorted.
std::vector<std::string> step_names(const Catalog& catalog);
std::vector<std::string> fused_names(const Catalog& catalog);

std::string all_letters();
std::string all_word_characters();
/// "abcxyz_" as "a-cx-z_"
std::string as_ranges(const std::string& characters);

}  // namespace uc::language
