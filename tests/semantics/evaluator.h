#pragma once
// Why: a second opinion on what programs mean, written from language.md alone: it includes no header of src/.
// It reads program text line by line and computes, for every element, an interval that any faithful executor
// must hit: a single number where the language fixes it, a few units in the last place around functions, the
// rounding of both ends at a store. Where an interval spans a jump, both sides are in it.
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace evaluator {

struct Cell {
  double lo = 0;
  double hi = 0;
  bool any = false;  ///< nothing can be said (an interval met an infinity or a pole)
};

struct Tensor {
  std::string dtype;  ///< as the language names it; "int" and "float" for literals
  std::vector<int64_t> shape;
  std::vector<Cell> cells;  ///< row-major
  bool from_f32 = false;    ///< derived from f32 or f64 data that was given
};

/// A line that the evaluator does not understand, or that is no program.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Evaluator {
 public:
  /// Row-major data for the declaration of `name` that follows; already representable in its type.
  void bind(const std::string& name, std::vector<double> data);
  /// One statement. Throws Failure.
  void line(const std::string& text);
  bool has(const std::string& name) const { return values_.contains(name); }
  const Tensor& operator[](const std::string& name) const { return values_.at(name); }

 private:
  friend class Statement;
  std::string precision_ = "strict";
  std::map<std::string, std::vector<double>> data_;
  std::map<std::string, Tensor> values_;
};

/// `value` rounded to a type as language.md says: nearest, ties to even; integers truncate and wrap.
double rounded(const std::string& dtype, double value);

}  // namespace evaluator
