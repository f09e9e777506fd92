#include "compiler/size_probe.h"

#include <algorithm>

#include "compiler/shape_set.h"
#include "plan/choose.h"

namespace uc {
namespace {

constexpr int64_t kMostStep = 256;  // vectors, tiles and swizzles ask for no higher multiple

std::vector<std::string> kernels_of(const Catalog& catalog, const Compiled& compiled) {
  std::vector<std::string> out;
  const DeviceSpec& device = *catalog.device_of_target(compiled.program.target);
  for (const Launch& launch : compiled.launches)
    out.push_back(backend_for(catalog, launch, device)->emit(launch, device).hash);
  return out;
}

}  // namespace

SizeProbe::SizeProbe(const Catalog& catalog, const Program& program, std::vector<int64_t> sizes,
                     const Compiled& chosen, const CompileOptions& options)
    : catalog_(catalog), options_(options), program_(program), sizes_(std::move(sizes)) {
  for (size_t i = 0; i < program_.steps.size(); ++i) program_.steps[i].knobs = chosen.resolved.steps[i].knobs;
  kernels_ = kernels_of(catalog, chosen);
}

const Compiled* SizeProbe::at(const std::vector<int64_t>& sizes) {
  const auto [found, is_new] = asked_.try_emplace(sizes);
  if (is_new) {
    Compiled compiled = compile_at(catalog_, program_, sizes, options_);
    if (compiled.ok() && same_kernels(compiled)) found->second.compiled = std::move(compiled);
  }
  return found->second.compiled ? &*found->second.compiled : nullptr;
}

bool SizeProbe::serves(const std::vector<int64_t>& sizes) { return at(sizes) != nullptr; }

bool SizeProbe::same_kernels(const Compiled& compiled) const {
  return kernels_of(catalog_, compiled) == kernels_;
}

bool SizeProbe::serves_with(size_t dim, int64_t size) {
  std::vector<int64_t> sizes = sizes_;
  sizes[dim] = size;
  return serves(sizes);
}

// The least step whose odd multiples beside the chosen size are served; 0: only the chosen size is.
int64_t SizeProbe::step_of(size_t dim) {
  const Dim& range = program_.dims[dim];
  for (int64_t step = range.step; step <= kMostStep * range.step && sizes_[dim] % step == 0; step *= 2) {
    for (const int64_t sign : {1, -1}) {
      bool served = true;
      int tried = 0;
      for (int64_t away = 1; away <= 5; away += 2) {
        const int64_t size = sizes_[dim] + sign * away * step;
        if (!range.holds(size)) continue;
        ++tried;
        served = served && serves_with(dim, size);
      }
      if (served && tried > 0) return step;
    }
  }
  return 0;
}

// The farthest multiple of the step towards `wanted`, itself included, up to which all is served as far as
// halving shows.
int64_t SizeProbe::end_of(size_t dim, int64_t step, int64_t wanted) {
  int64_t good = sizes_[dim];
  int64_t bad = wanted;
  if (serves_with(dim, wanted)) return wanted;
  while (std::abs(bad - good) > step) {
    const int64_t middle = (good + bad) / 2 / step * step;
    if (middle == good || middle == bad) break;
    (serves_with(dim, middle) ? good : bad) = middle;
  }
  return good;
}

bool SizeProbe::serves_corners(const std::vector<SizeRange>& ranges) {
  SizeGrid corners;
  for (const SizeRange& range : ranges) {
    auto& nodes = corners.nodes.emplace_back();
    for (const int64_t size : {range.low, range.low + range.step, range.high - range.step, range.high}) {
      if (range.holds(size) && std::ranges::find(nodes, size) == nodes.end()) nodes.push_back(size);
    }
  }
  return std::ranges::all_of(corners.points(), [this](const auto& point) { return serves(point); });
}

std::vector<SizeRange> SizeProbe::ranges() {
  std::vector<SizeRange> out;
  for (size_t d = 0; d < sizes_.size(); ++d) {
    const Dim& dim = program_.dims[d];
    const int64_t step = step_of(d);
    if (step == 0) {
      out.push_back({sizes_[d], sizes_[d], dim.step});
      continue;
    }
    const int64_t least = (dim.least() + step - 1) / step * step;
    out.push_back({end_of(d, step, least), end_of(d, step, dim.most() / step * step), step});
  }
  if (serves_corners(out)) return out;
  for (size_t d = 0; d < sizes_.size(); ++d) out[d] = {sizes_[d], sizes_[d], program_.dims[d].step};
  return out;
}

}  // namespace uc
