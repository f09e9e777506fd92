#include "evaluator_ops.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "evaluator_math.h"

namespace evaluator {
namespace {

Tensor result_of(const std::vector<const Tensor*>& operands, const std::string& dtype) {
  Tensor out;
  out.dtype = dtype;
  for (const Tensor* each : operands) {
    out.shape = broadcast(out.shape, each->shape);
    out.from_f32 = out.from_f32 || each->from_f32;
  }
  if (dtype == "bool") out.from_f32 = false;
  out.cells.resize(static_cast<size_t>(count_of(out.shape)));
  return out;
}

/// An operand's element as the compute type holds it.
Cell operand(const Tensor& tensor, const Tensor& out, size_t index, const std::string& compute) {
  const Cell& cell = tensor.cells[source_of(tensor.shape, out.shape, static_cast<int64_t>(index))];
  const bool exact = compute != "f32" || (is_float(tensor.dtype) && tensor.dtype != "float");
  return exact ? cell : rounded("f32", cell);
}

std::string positional(const std::string& name, size_t index) {
  if (name == "clamp" || name == "hardtanh") return index == 1 ? "min" : "max";
  if (name == "softplus") return index == 1 ? "beta" : "threshold";
  return name == "leaky_relu" ? "slope" : "alpha";
}

Cell in_tf32(const Cell& cell) {
  const auto round = [](double value) {  // 10 stored bits, ties away from zero
    if (value == 0 || !std::isfinite(value)) return value;
    const int exponent = std::ilogb(value) - 10;
    return std::ldexp(std::round(std::ldexp(value, -exponent)), exponent);
  };
  return cell.any ? cell : Cell{round(cell.lo), round(cell.hi), false};
}

Cell dot(const std::vector<std::pair<Cell, Cell>>& pairs, bool tf32, const std::string& dtype) {
  double low = 0;
  double high = 0;
  double size = 0;
  bool whole = true;
  for (const auto& [first, second] : pairs) {
    if (first.any || second.any) return {0, 0, true};
    const Cell a = tf32 ? in_tf32(first) : first;
    const Cell b = tf32 ? in_tf32(second) : second;
    const double products[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    low += *std::min_element(std::begin(products), std::end(products));
    high += *std::max_element(std::begin(products), std::end(products));
    for (const double each : products) whole = whole && each == std::floor(each);
    size += std::max(std::abs(a.lo), std::abs(a.hi)) * std::max(std::abs(b.lo), std::abs(b.hi));
  }
  if (!std::isfinite(size) || size > 1e37) return {0, 0, true};
  const double unit = dtype == "f64" ? 0x1p-52 : 0x1p-23;
  if (!is_float(dtype) || (whole && size < 1 / unit)) return {low, high, false};
  const double lost = unit * size * static_cast<double>(pairs.size() + 1) + 1.2e-38;
  return {low - lost, high + lost, false};
}

}  // namespace

Tensor elementwise(const std::string& op, const std::vector<Tensor>& operands) {
  std::vector<const Tensor*> in;
  for (const Tensor& each : operands) in.push_back(&each);
  const bool comparison = op.find_first_of("<>=!") != std::string::npos;
  std::string dtype = comparison ? "bool" : result_type(in);
  if (op == "/" && !is_float(dtype)) dtype = "f32";
  Tensor out = result_of(in, dtype);
  const std::string compute = compute_type(in, dtype);
  for (size_t i = 0; i < out.cells.size(); ++i) {
    out.cells[i] = binary(op, operand(operands.at(0), out, i, compute),
                          operand(operands.at(1), out, i, compute), compute);
  }
  return out;
}

Tensor where(const std::vector<Tensor>& operands) {
  const std::vector<const Tensor*> in{&operands.at(0), &operands.at(1), &operands.at(2)};
  Tensor out = result_of(in, result_type(in));
  const std::string compute = compute_type(in, out.dtype);
  for (size_t i = 0; i < out.cells.size(); ++i) {
    const Cell condition = operand(operands[0], out, i, "i64");
    const Cell yes = operand(operands[1], out, i, compute);
    const Cell no = operand(operands[2], out, i, compute);
    if (!condition.any && condition.lo == condition.hi) {
      out.cells[i] = condition.lo != 0 ? yes : no;
    } else if (yes.any || no.any || std::isnan(yes.lo) || std::isnan(no.lo)) {
      out.cells[i].any = true;
    } else {
      out.cells[i] = {std::min(yes.lo, no.lo), std::max(yes.hi, no.hi), false};
    }
  }
  return out;
}

Tensor activation(const std::string& name, const Args& args, const std::vector<Tensor>& operands) {
  static const std::vector<std::string> kKeep{"relu", "relu6", "abs",      "square",
                                              "neg",  "floor", "hardtanh", "clamp"};
  const Tensor& x = operands.at(0);
  std::map<std::string, double> params = args.numbers;
  bool real = args.real;
  for (size_t i = 1; i < operands.size(); ++i) {
    params[positional(name, i)] = operands[i].cells[0].lo;
    real = real || operands[i].dtype == "float";
  }
  for (const std::string& each : args.words) params["approximate"] = each == "tanh" ? 1 : 0;
  const bool keeps = std::find(kKeep.begin(), kKeep.end(), name) != kKeep.end() && !(name == "clamp" && real);
  Tensor out = result_of({&x}, keeps || is_float(x.dtype) ? x.dtype : "f32");
  const std::string compute = compute_type({&x}, out.dtype);
  for (auto& [key, value] : params)
    value = compute == "f32" ? rounded("f32", value) : compute == "i64" ? std::trunc(value) : value;
  for (size_t i = 0; i < out.cells.size(); ++i)
    out.cells[i] = unary(name, params, operand(x, out, i, compute), compute);
  return out;
}

// A product sum in any order: the exact sum, and what the accumulator may lose.
Tensor contraction(const Tensor& a, const Tensor& b, bool b_is_nk, bool strict) {
  const bool vector = a.shape.size() == 1;
  const int64_t k = a.shape.back();
  const int64_t m = vector ? 1 : a.shape[a.shape.size() - 2];
  const int64_t n = b.shape[b.shape.size() - (b_is_nk ? 2 : 1)];
  std::vector<int64_t> a_lead(a.shape.begin(), a.shape.end() - (vector ? 1 : 2));
  const std::vector<int64_t> b_lead(b.shape.begin(), b.shape.end() - 2);
  Tensor out;
  out.dtype = a.dtype == "i8" || a.dtype == "u8" ? "i32" : a.dtype;
  out.from_f32 = a.from_f32 || b.from_f32;
  const std::vector<int64_t> lead = broadcast(a_lead, b_lead);
  out.shape = lead;
  if (!vector) out.shape.push_back(m);
  out.shape.push_back(n);
  const bool tf32 = a.dtype == "f32" && !(out.from_f32 && strict);
  for (int64_t l = 0; l < count_of(lead); ++l) {
    const auto a_at = static_cast<int64_t>(source_of(a_lead, lead, l)) * m * k;
    const auto b_at = static_cast<int64_t>(source_of(b_lead, lead, l)) * n * k;
    for (int64_t i = 0; i < m * n; ++i) {
      std::vector<std::pair<Cell, Cell>> pairs;
      for (int64_t each = 0; each < k; ++each) {
        const auto left = static_cast<size_t>(a_at + i / n * k + each);
        const auto right = static_cast<size_t>(b_at + (b_is_nk ? i % n * k + each : each * n + i % n));
        pairs.emplace_back(a.cells[left], b.cells[right]);
      }
      out.cells.push_back(dot(pairs, tf32, out.dtype));
    }
  }
  return out;
}

Tensor view(const std::string& name, const Args& args) {
  Tensor out = args.tensors.at(0);
  const size_t rank = out.shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (name == "unsqueeze") {
    out.shape.insert(out.shape.begin() + static_cast<int64_t>(args.tensors.at(1).cells[0].lo), 1);
    return out;
  }
  if (name == "reshape") {
    out.shape = args.lists.at(0);
    return out;
  }
  if (name == "permute") {
    for (size_t i = 0; i < rank; ++i) order[i] = static_cast<size_t>(args.lists.at(0)[i]);
  } else {
    std::swap(order[rank - 1], order[rank - 2]);
  }
  const Tensor& from = args.tensors[0];
  for (size_t i = 0; i < rank; ++i) out.shape[i] = from.shape[order[i]];
  for (size_t i = 0; i < out.cells.size(); ++i) {
    std::vector<int64_t> index(rank);
    auto rest = static_cast<int64_t>(i);
    for (size_t d = rank; d-- > 0; rest /= out.shape[d]) index[order[d]] = rest % out.shape[d];
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d) at = at * from.shape[d] + index[d];
    out.cells[i] = from.cells[static_cast<size_t>(at)];
  }
  return out;
}

}  // namespace evaluator
