#include "compiler/shared_weights.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace uc {
namespace {

std::string view_text(const Compiled& compiled, const View& view) {
  const Location& at = compiled.buffers.location[view.value.index()];
  return fmt::format("{} {} {} {} {} {} {};", static_cast<int>(at.kind), at.index, at.offset, view.offset,
                     static_cast<int>(view.dtype), fmt::join(view.shape, ","), fmt::join(view.stride, ","));
}

/// All that decides what prepared memory holds: equal texts, equal memory for equal params. Where a kernel
/// keeps something of its own there, its layout is that kernel's affair, and the memory is not shared.
std::string load_text(const SizeClass& each) {
  std::string out = fmt::format("{} bytes\n", each.compiled.buffers.packed_bytes);
  if (std::ranges::any_of(each.emitted.kernels, &EmittedKernel::packs)) out += each.emitted.hash;
  for (size_t i = 0; i < each.compiled.launches.size(); ++i) {
    const Launch& launch = each.compiled.launches[i];
    if (launch.phase != Phase::load) continue;
    out += each.emitted.kernels[i].hash + ":";
    for (const View* view : views_of(launch.kernel)) out += view_text(each.compiled, *view);
  }
  return out;
}

}  // namespace

std::vector<size_t> weight_owners(const std::vector<SizeClass>& classes) {
  std::vector<std::string> loads;
  std::vector<size_t> out;
  for (const SizeClass& each : classes) {
    const std::string text = load_text(each);
    out.push_back(static_cast<size_t>(std::ranges::find(loads, text) - loads.begin()));
    loads.push_back(text);
  }
  return out;
}

}  // namespace uc
