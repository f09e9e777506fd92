#pragma once
// Why: "a program that passes check compiles and runs" is a claim on the whole space of settings; a sample of
// it, the same for the same seed, shows whether it holds on both sides of every rule.
#include <cstdint>
#include <string>
#include <vector>

#include "catalog/catalog.h"

namespace uc::oracle {

struct RandomProgram {
  std::string name;    ///< "r017", "x003" for those that rules refuse
  std::string source;  ///< opens with a comment: seed, number, and the rule that one step away refuses it
};

struct RandomOptions {
  size_t accepted = 400;
  size_t rejected = 40;  ///< refused by the rule book alone, and one step from an accepted program
  uint64_t seed = 1;
};

/// Accepted programs first: forms to multiply, layouts and schedules take turns, and every fourth is within
/// one step of a rule, all rules alike as far as steps reach them. Then the rejected ones, rule by rule.
std::vector<RandomProgram> random_programs(const Catalog& catalog, const RandomOptions& options);

}  // namespace uc::oracle
