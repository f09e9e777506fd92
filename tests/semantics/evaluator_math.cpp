#include "evaluator_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace evaluator {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Format {
  const char* name;
  int fraction;  ///< stored bits of significand
  int bias;
  double largest;
  bool infinite;
};

constexpr Format kFormats[] = {{"f32", 23, 127, 3.4028234663852886e38, true},
                               {"f16", 10, 15, 65504, true},
                               {"bf16", 7, 127, 3.3895313892515355e38, true},
                               {"f8e4m3", 3, 7, 448, false},
                               {"f8e5m2", 2, 15, 57344, true}};

// On the bits of the double: the significand as an integer, shifted right with ties to even.
double round_format(const Format& format, double value) {
  if (std::isnan(value) || value == 0) return value;
  if (std::isinf(value)) return format.infinite ? value : kNaN;
  const auto bits = std::bit_cast<uint64_t>(value);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = (bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
  if (exponent == -1023) return std::copysign(0.0, value);  // far below every format's smallest number
  int drop = 52 - format.fraction;
  const int least = 1 - format.bias;
  if (exponent < least) drop += least - exponent;
  if (drop > 54) return std::copysign(0.0, value);
  const uint64_t half = uint64_t{1} << (drop - 1);
  const uint64_t low = significand & ((half << 1) - 1);
  significand >>= drop;
  if (low > half || (low == half && (significand & 1) != 0)) ++significand;
  const double magnitude = std::ldexp(static_cast<double>(significand), exponent - 52 + drop);
  if (magnitude > format.largest) return format.infinite ? std::copysign(kInf, value) : kNaN;
  return std::copysign(magnitude, value);
}

int integer_bits(const std::string& dtype) {
  return dtype == "i8" || dtype == "u8" ? 8 : dtype == "i32" ? 32 : 64;
}

double wrapped(const std::string& dtype, double value) {
  const double whole = std::trunc(value);
  const int bits = integer_bits(dtype);
  if (bits == 64) return whole;
  const double range = std::ldexp(1.0, bits);
  double low = whole - range * std::floor(whole / range);
  if (dtype != "u8" && low >= range / 2) low -= range;
  return low;
}

int rank(const std::string& dtype) {  // within a class, the wider wins
  if (dtype == "f64" || dtype == "i64" || dtype == "int") return 4;
  if (dtype == "f32" || dtype == "i32" || dtype == "float") return 3;
  if (dtype == "f16" || dtype == "bf16") return 2;
  return 1;
}

int category(const std::string& dtype) { return is_float(dtype) ? 2 : dtype == "bool" ? 0 : 1; }

bool is_nan(const Cell& cell) { return std::isnan(cell.lo); }
bool is_point(const Cell& cell) { return !cell.any && (cell.lo == cell.hi || is_nan(cell)); }
Cell any() { return {0, 0, true}; }
Cell nan() { return {kNaN, kNaN, false}; }

Cell widen(Cell cell, double by) {
  if (std::isfinite(cell.lo)) cell.lo -= by;
  if (std::isfinite(cell.hi)) cell.hi += by;
  return cell;
}

double unit(const std::string& compute) { return compute == "f64" ? 0x1p-52 : 0x1p-23; }

// After one operation in double: what the compute type makes of it.
Cell in_compute(const Cell& cell, const std::string& compute) {
  if (cell.any || is_nan(cell) || compute == "i64") return cell;
  if (compute == "f32") return rounded("f32", cell);
  return widen(cell, 0x1p-52 * std::max(std::abs(cell.lo), std::abs(cell.hi)));
}

double apply(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  return a / b;
}

Cell compare(const std::string& op, const Cell& a, const Cell& b) {
  if (is_nan(a) || is_nan(b)) return point(op == "!=" ? 1 : 0);
  const bool sure_less = a.hi < b.lo;
  const bool sure_more = a.lo > b.hi;
  const bool sure_equal = is_point(a) && is_point(b) && a.lo == b.lo;
  const bool sure_not_more = a.hi <= b.lo;
  const bool sure_not_less = a.lo >= b.hi;
  const auto decide = [](bool yes, bool no) { return yes ? point(1) : no ? point(0) : Cell{0, 1, false}; };
  if (op == "<") return decide(sure_less, sure_not_less);
  if (op == ">") return decide(sure_more, sure_not_more);
  if (op == "<=") return decide(sure_not_more, sure_more);
  if (op == ">=") return decide(sure_not_less, sure_less);
  if (op == "==") return decide(sure_equal, sure_less || sure_more);
  return decide(sure_less || sure_more, sure_equal);
}

Cell extreme(bool least, const Cell& a, const Cell& b) {
  if (is_nan(a) || is_nan(b)) return nan();
  if (least) return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), false};
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi), false};
}

}  // namespace

bool is_float(const std::string& dtype) {
  return dtype[0] == 'f' || dtype[0] == 'b' ? dtype != "bool" : false;
}

double rounded(const std::string& dtype, double value) {
  if (dtype == "f64") return value;
  if (dtype == "bool") return value != 0 ? 1 : 0;
  for (const Format& format : kFormats) {
    if (dtype == format.name) return round_format(format, value);
  }
  return wrapped(dtype, value);
}

Cell point(double value) { return {value, value, false}; }

Cell rounded(const std::string& dtype, const Cell& cell) {
  if (cell.any) return cell;
  if (dtype == "bool") {
    const bool holds_zero = cell.lo <= 0 && cell.hi >= 0;
    return !holds_zero ? point(1) : is_point(cell) ? point(0) : Cell{0, 1, false};
  }
  constexpr double kFar = 0x1p62;  // conversions beyond i64 are not defined
  if (!is_float(dtype) && !(std::abs(cell.lo) < kFar && std::abs(cell.hi) < kFar)) return any();
  if (!is_float(dtype) && !is_point(cell)) {
    const double lo = std::trunc(cell.lo);
    const double hi = std::trunc(cell.hi);
    return wrapped(dtype, lo) == lo && wrapped(dtype, hi) == hi ? Cell{lo, hi, false} : any();
  }
  const double lo = rounded(dtype, cell.lo);
  const double hi = rounded(dtype, cell.hi);
  if (is_point(cell)) return {lo, hi, false};
  return std::isnan(lo) || std::isnan(hi) ? any() : Cell{lo, hi, false};
}

std::string promote(const std::string& a, const std::string& b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (rank(a) != rank(b)) return rank(a) > rank(b) ? a : b;
  return is_float(a) ? "f32" : "i32";
}

std::string result_type(const std::vector<const Tensor*>& operands) {
  std::string found[3];  // tensors, numbers, literals
  for (const Tensor* each : operands) {
    const bool literal = each->dtype == "int" || each->dtype == "float";
    std::string& into = found[literal ? 2 : each->shape.empty() ? 1 : 0];
    const std::string dtype = each->dtype == "int" ? "i64" : each->dtype == "float" ? "f32" : each->dtype;
    into = into.empty() ? dtype : promote(into, dtype);
  }
  std::string out;
  for (const std::string& each : found) {
    if (each.empty()) continue;
    if (out.empty() || category(each) > category(out)) out = out.empty() ? each : promote(out, each);
  }
  return out;
}

std::string compute_type(const std::vector<const Tensor*>& operands, const std::string& result) {
  bool floating = is_float(result);
  for (const Tensor* each : operands) {
    if (each->dtype == "f64") return "f64";
    floating = floating || is_float(each->dtype) || each->dtype == "float";
  }
  return result == "f64" ? "f64" : floating ? "f32" : "i64";
}

Cell binary(const std::string& op, const Cell& a, const Cell& b, const std::string& compute) {
  if (a.any || b.any) return any();
  if (op == "minimum" || op == "maximum") return extreme(op == "minimum", a, b);
  if (op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=")
    return compare(op, a, b);
  if (is_nan(a) || is_nan(b)) return nan();
  if (is_point(a) && is_point(b)) {
    const double value = apply(op, a.lo, b.lo);
    if (std::isnan(value)) return nan();
    const Cell out = in_compute(point(value), compute);
    return op == "/" ? widen(out, unit(compute) * std::abs(value)) : out;
  }
  if (op == "/" && b.lo <= 0 && b.hi >= 0) return any();
  Cell out{kInf, -kInf, false};
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      const double value = apply(op, x, y);
      if (!std::isfinite(value)) return any();
      out = {std::min(out.lo, value), std::max(out.hi, value), false};
    }
  }
  if (op == "/") out = widen(out, unit(compute) * std::max(std::abs(out.lo), std::abs(out.hi)));
  return in_compute(out, compute);
}

std::vector<int64_t> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> out = a.size() > b.size() ? a : b;
  const std::vector<int64_t>& other = a.size() > b.size() ? b : a;
  for (size_t i = 0; i < other.size(); ++i) {
    int64_t& extent = out[out.size() - 1 - i];
    const int64_t theirs = other[other.size() - 1 - i];
    if (extent != theirs && extent != 1 && theirs != 1) throw Failure("shapes do not broadcast");
    extent = std::max(extent, theirs);
  }
  return out;
}

size_t source_of(const std::vector<int64_t>& from, const std::vector<int64_t>& shape, int64_t index) {
  int64_t at = 0;
  int64_t step = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t position = index % shape[shape.size() - 1 - i];
    index /= shape[shape.size() - 1 - i];
    if (i >= from.size()) continue;
    const int64_t extent = from[from.size() - 1 - i];
    if (extent != 1) at += position * step;
    step *= extent;
  }
  return static_cast<size_t>(at);
}

int64_t count_of(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace evaluator
