#include "emit/size_formula.h"

#include <cmath>
#include <fmt/format.h>

namespace uc {
namespace {

constexpr int64_t kMostDivisor = 64;  // elements that a thread handles at once

/// Coefficients of 1, x, x^2 of the polynomial through (nodes[i], values[i]).
std::vector<long double> coefficients(const std::vector<int64_t>& nodes, std::vector<long double> values) {
  // Newton's divided differences, then Horner's scheme in coefficients.
  const size_t count = nodes.size();
  for (size_t order = 1; order < count; ++order) {
    for (size_t i = count - 1; i >= order; --i)
      values[i] = (values[i] - values[i - 1]) / static_cast<long double>(nodes[i] - nodes[i - order]);
  }
  std::vector<long double> out(count, 0);
  for (size_t i = count; i-- > 0;) {
    for (size_t power = count - 1; power > 0; --power)
      out[power] = out[power - 1] - out[power] * static_cast<long double>(nodes[i]);
    out[0] = values[i] - out[0] * static_cast<long double>(nodes[i]);
  }
  return out;
}

/// Values on the grid to coefficients, one dimension after the other.
std::vector<long double> transform(const SizeGrid& grid, std::vector<long double> values) {
  size_t stride = values.size();
  for (const auto& nodes : grid.nodes) {
    const size_t count = nodes.size();
    stride /= count;
    for (size_t at = 0; at < values.size(); ++at) {
      if (at / stride % count != 0) continue;
      std::vector<long double> line(count);
      for (size_t i = 0; i < count; ++i) line[i] = values[at + i * stride];
      line = coefficients(nodes, std::move(line));
      for (size_t i = 0; i < count; ++i) values[at + i * stride] = line[i];
    }
  }
  return values;
}

std::optional<int64_t> product(int64_t scale, const std::vector<int>& powers,
                               const std::vector<int64_t>& sizes) {
  int64_t out = scale;
  for (size_t d = 0; d < powers.size(); ++d) {
    for (int i = 0; i < powers[d]; ++i) {
      if (__builtin_mul_overflow(out, sizes[d], &out)) return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::vector<std::vector<int64_t>> SizeGrid::points() const {
  std::vector<std::vector<int64_t>> out{{}};
  for (const auto& each : nodes) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& before : out) {
      for (const int64_t node : each) {
        longer.push_back(before);
        longer.back().push_back(node);
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::optional<SizeFormula> SizeFormula::through(const SizeGrid& grid, const std::vector<int64_t>& values) {
  const std::vector<long double> found = transform(grid, {values.begin(), values.end()});
  const auto points = grid.points();
  SizeGrid powers;
  for (const auto& nodes : grid.nodes) {
    powers.nodes.emplace_back();
    for (size_t i = 0; i < nodes.size(); ++i) powers.nodes.back().push_back(static_cast<int64_t>(i));
  }
  const auto exponents = powers.points();
  for (int64_t divisor = 1; divisor <= kMostDivisor; divisor *= 2) {
    SizeFormula out;
    out.divisor_ = divisor;
    for (size_t i = 0; i < found.size(); ++i) {
      const auto scale = static_cast<int64_t>(std::llround(found[i] * static_cast<long double>(divisor)));
      if (scale != 0) out.terms_.push_back({scale, {exponents[i].begin(), exponents[i].end()}});
    }
    bool exact = true;
    for (size_t i = 0; i < points.size() && exact; ++i) exact = out.at(points[i]) == values[i];
    if (exact) return out;
  }
  return std::nullopt;
}

std::optional<int64_t> SizeFormula::at(const std::vector<int64_t>& sizes) const {
  int64_t sum = 0;
  for (const Term& term : terms_) {
    const auto each = product(term.scale, term.powers, sizes);
    if (!each || __builtin_add_overflow(sum, *each, &sum)) return std::nullopt;
  }
  if (sum % divisor_ != 0) return std::nullopt;
  return sum / divisor_;
}

std::string SizeFormula::text() const {
  std::string out;
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    std::string names;
    for (size_t d = 0; d < term->powers.size(); ++d) {
      for (int i = 0; i < term->powers[d]; ++i) names += fmt::format(" * d[{}]", d);
    }
    const int64_t size = std::abs(term->scale);
    const std::string each = size == 1 && !names.empty() ? names.substr(3) : std::to_string(size) + names;
    if (out.empty()) {
      out = (term->scale < 0 ? "-" : "") + each;
    } else {
      out += (term->scale < 0 ? " - " : " + ") + each;
    }
  }
  if (out.empty()) return "0";
  return divisor_ == 1 ? out : fmt::format("({}) / {}", out, divisor_);
}

}  // namespace uc
