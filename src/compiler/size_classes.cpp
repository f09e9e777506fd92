#include "compiler/size_classes.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "catalog/named_dims.h"
#include "compiler/sized_glue.h"
#include "syntax/print.h"

namespace uc {
namespace {

constexpr size_t kMostDims = 3;
constexpr size_t kMostClasses = 12;
constexpr size_t kMostPoints = 96;  // of the grid on which classes are put in order

using Sizes = std::vector<int64_t>;

bool holds(const std::vector<SizeRange>& ranges, const Sizes& sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!ranges[d].holds(sizes[d])) return false;
  }
  return true;
}

void insert(std::vector<int64_t>& sizes, const Dim& dim, int64_t size) {
  if (dim.holds(size) && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
}

/// Powers of two times the step, both ends, and what is listed; thinned to `most`, listed ones last.
std::vector<int64_t> axis(const Dim& dim, const std::vector<int64_t>& listed, size_t most) {
  std::vector<int64_t> out;
  for (const int64_t size : listed) insert(out, dim, size);
  insert(out, dim, dim.least());
  insert(out, dim, dim.most());
  std::vector<int64_t> between;
  for (int64_t size = dim.step; size < dim.most(); size *= 2) insert(between, dim, size);
  const size_t room = most > out.size() ? most - out.size() : 0;
  const size_t every = room == 0 ? between.size() + 1 : (between.size() + room - 1) / room;
  for (size_t i = 0; i < between.size(); i += std::max<size_t>(every, 1)) {
    if (room != 0) insert(out, dim, between[i]);
  }
  std::ranges::sort(out);
  return out;
}

class Finder {
 public:
  Finder(const Catalog& catalog, const Program& program, const CompileOptions& options)
      : catalog_(catalog), program_(program), options_(options) {}

  /// The class of these sizes, made if need be; nothing when they are refused, or when no library of many
  /// sizes can be made of it.
  Result<std::optional<size_t>> add(const Sizes& sizes, DiagSink& diags) {
    Compiled compiled = compile_at(catalog_, program_, sizes, options_);
    diags = compiled.diags;
    if (!compiled.ok()) return std::nullopt;
    SizeProbe probe(catalog_, program_, sizes, compiled, options_);
    const std::string text = print(catalog_, probe.program());
    for (size_t i = 0; i < out_.classes.size(); ++i) {
      if (texts_[i] == text && holds(out_.classes[i].serves, sizes)) return i;
    }
    SizeClass each{sizes, {}, std::move(compiled), {}};
    auto emitted = emit_sized(catalog_, probe);
    if (!emitted) return tl::unexpected(emitted.error());
    each.serves = emitted->serves;
    each.emitted = std::move(emitted->program);
    out_.classes.push_back(std::move(each));
    probes_.push_back(std::move(probe));
    texts_.push_back(text);
    return out_.classes.size() - 1;
  }

  bool served(const Sizes& sizes) const {
    return std::ranges::any_of(out_.classes,
                               [&](const SizeClass& each) { return holds(each.serves, sizes); });
  }

  /// Sizes all over the ranges, odd multiples of the steps among them.
  void cover(const SizeGrid& grid) {
    SizeGrid wider;
    for (size_t d = 0; d < grid.nodes.size(); ++d) {
      auto& nodes = wider.nodes.emplace_back(axis(program_.dims[d], grid.nodes[d], grid.nodes[d].size()));
      for (const int64_t size : grid.nodes[d]) {
        if (nodes.size() < 2 * grid.nodes[d].size())
          insert(nodes, program_.dims[d], size + program_.dims[d].step);
      }
      insert(nodes, program_.dims[d], program_.dims[d].most() - program_.dims[d].step);
    }
    std::vector<Sizes> points = wider.points();
    for (const Sizes& sizes : sizes_to_try(program_)) points.push_back(sizes);
    // From the largest: what is chosen there serves the most.
    std::ranges::reverse(points);
    for (const Sizes& sizes : points) {
      if (served(sizes)) continue;
      DiagSink diags;
      const bool room = out_.classes.size() < kMostClasses;
      const auto made = room ? add(sizes, diags) : Result<std::optional<size_t>>(std::nullopt);
      if (!made || !*made) out_.unserved.push_back(sizes);
    }
  }

  void put_in_order(SizeGrid grid) {
    for (const Sizes& point : grid.points()) {
      std::vector<std::pair<double, size_t>> times;
      for (size_t i = 0; i < out_.classes.size(); ++i) {
        const Compiled* at = holds(out_.classes[i].serves, point) ? probes_[i].at(point) : nullptr;
        times.emplace_back(at == nullptr ? 1e300 : modelled_us(catalog_, *at, options_.device), i);
      }
      std::ranges::sort(times);
      auto& best = out_.order.best.emplace_back();
      for (const auto& [us, index] : times) best.push_back(index);
    }
    out_.order.grid = std::move(grid);
  }

  SizeClasses& out() { return out_; }

 private:
  const Catalog& catalog_;
  const Program& program_;
  const CompileOptions& options_;
  SizeClasses out_;
  std::vector<SizeProbe> probes_;   // a class
  std::vector<std::string> texts_;  // a class: the program with its knobs
};

Result<> check_program_fits(const Program& program) {
  if (program.dims.size() > kMostDims)
    return fail(fmt::format("--emit dispatch: the program names {} dimensions, {} at most can vary",
                            program.dims.size(), kMostDims),
                "write numbers in place of some names", 2);
  for (const ValueId id : program.params) {
    for (const SizeTerm& term : program[id].sizes) {
      if (!term.named()) continue;
      return fail(
          fmt::format(
              "--emit dispatch: param `{}` has the named dimension `{}`, and weights are prepared once",
              program[id].name, program.dims[static_cast<size_t>(term.dim)].name),
          "declare it as an input, or write its size as a number", 2);
    }
  }
  return {};
}

SizeGrid grid_of(const Program& program, const std::vector<WeightedSizes>& listed) {
  size_t most = kMostPoints;
  if (program.dims.size() == 2) most = 10;
  if (program.dims.size() == 3) most = 5;
  SizeGrid grid;
  for (size_t d = 0; d < program.dims.size(); ++d) {
    std::vector<int64_t> sizes;
    for (const WeightedSizes& each : listed) insert(sizes, program.dims[d], each.sizes[d]);
    grid.nodes.push_back(axis(program.dims[d], sizes, most));
  }
  return grid;
}

}  // namespace

Result<SizeClasses> find_size_classes(const Catalog& catalog, const Program& program,
                                      const std::vector<WeightedSizes>& listed, const CompileOptions& options,
                                      std::vector<std::pair<std::vector<int64_t>, DiagSink>>& diags) {
  if (const auto fits = check_program_fits(program); !fits) return tl::unexpected(fits.error());
  Finder finder(catalog, program, options);
  bool refused = false;
  for (const WeightedSizes& each : listed) {
    const auto made = finder.add(each.sizes, diags.emplace_back(each.sizes, DiagSink{}).second);
    if (!made) return tl::unexpected(made.error());
    refused = refused || !*made;
    finder.out().of_listed.push_back(made->value_or(0));
  }
  if (refused) return fail("--dims: a listed choice of sizes is refused", "", 1);
  const SizeGrid grid = grid_of(program, listed);
  finder.cover(grid);
  finder.put_in_order(grid);
  return std::move(finder.out());
}

}  // namespace uc
