#pragma once
// Why: intervals, rounding and promotion of the evaluator. No header of src/.
#include <functional>
#include <string>
#include <vector>

#include "evaluator.h"

namespace evaluator {

bool is_float(const std::string& dtype);
std::string promote(const std::string& a, const std::string& b);
/// Result type of elementwise operators: tensors, then numbers of no dimension, then literals ("int",
/// "float").
std::string result_type(const std::vector<const Tensor*>& operands);
/// "f64", "f32" or "i64".
std::string compute_type(const std::vector<const Tensor*>& operands, const std::string& result);

Cell point(double value);
/// Both ends rounded: rounding is monotone.
Cell rounded(const std::string& dtype, const Cell& cell);

/// One exact operation of the compute type: + - * minimum maximum, or a comparison ("<", ...), or "/" (a few
/// ulp).
Cell binary(const std::string& op, const Cell& a, const Cell& b, const std::string& compute);
/// An activation or function by its name in the language.
Cell unary(const std::string& name, const std::map<std::string, double>& params, const Cell& x,
           const std::string& compute);
bool knows_unary(const std::string& name);

std::vector<int64_t> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b);
/// Where element `index` (row-major in `shape`) is in a tensor that broadcasts to it.
size_t source_of(const std::vector<int64_t>& from, const std::vector<int64_t>& shape, int64_t index);
int64_t count_of(const std::vector<int64_t>& shape);

}  // namespace evaluator
