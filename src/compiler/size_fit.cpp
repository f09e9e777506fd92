#include "compiler/size_fit.h"

#include <algorithm>

namespace uc {
namespace {

using Sizes = std::vector<int64_t>;

/// Three sizes beside the chosen one, as far as there are; 1 only where nothing else is: there other numbers
/// than in general may do.
std::vector<int64_t> nodes(const SizeRange& range, int64_t chosen) {
  std::vector<int64_t> out;
  for (const int64_t away : {0, 1, -1, 3, -3, 2, -2}) {
    const int64_t size = chosen + away * range.step;
    const bool usual = size != 1 || range.high == 1;
    if (out.size() < 3 && range.holds(size) && usual) out.push_back(size);
  }
  if (out.empty()) out.push_back(chosen);
  std::ranges::sort(out);
  return out;
}

/// Columns of numbers over the points.
std::optional<std::vector<std::vector<SizedNumber>>> columns(const std::vector<Sizes>& points,
                                                             const NumbersAt& numbers) {
  std::vector<std::vector<SizedNumber>> out;
  for (const Sizes& point : points) {
    const auto here = numbers(point);
    if (!here) return std::nullopt;
    if (&point == &points.front()) out.resize(here->size());
    if (here->size() != out.size()) return std::nullopt;
    for (size_t i = 0; i < out.size(); ++i) out[i].push_back((*here)[i]);
  }
  return out;
}

}  // namespace

std::optional<std::vector<SizeFormula>> fit_formulas(const std::vector<SizeRange>& ranges,
                                                     const std::vector<int64_t>& chosen,
                                                     const NumbersAt& numbers) {
  SizeGrid fitted;
  SizeGrid ends;
  for (size_t d = 0; d < ranges.size(); ++d) {
    fitted.nodes.push_back(nodes(ranges[d], chosen[d]));
    ends.nodes.push_back({ranges[d].low, chosen[d], ranges[d].high});
  }
  const auto values = columns(fitted.points(), numbers);
  const std::vector<Sizes> others = ends.points();
  const auto tried = columns(others, numbers);
  if (!values || !tried || values->size() != tried->size()) return std::nullopt;
  std::vector<SizeFormula> out;
  for (size_t i = 0; i < values->size(); ++i) {
    std::vector<int64_t> column;
    for (const SizedNumber& each : (*values)[i]) column.push_back(each.value);
    auto formula = SizeFormula::through(fitted, column);
    if (!formula) return std::nullopt;
    for (size_t p = 0; p < others.size(); ++p) {
      const SizedNumber& there = (*tried)[i][p];
      if (there.matters && formula->at(others[p]) != there.value) return std::nullopt;
    }
    out.push_back(std::move(*formula));
  }
  return out;
}

}  // namespace uc
