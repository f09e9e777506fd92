#pragma once
// Why: random programs as text, each valid by construction, together with the evaluator's opinion of them. No
// header of src/.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "evaluator.h"

namespace evaluator {

struct Datum {
  std::string name;
  std::string kind;  ///< "input", "param", "scalar"
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<double> data;
};

struct GeneratedProgram {
  std::string text;
  std::vector<Datum> data;  ///< in declaration order
  std::vector<std::string> results;
  Evaluator meaning;
};

/// The program of a seed; the same on every machine.
GeneratedProgram generate(uint64_t seed);

}  // namespace evaluator
