#include "agent/hypothesis.h"

#include <algorithm>

namespace uc {

std::string_view name(Cause cause) {
  switch (cause) {
    case Cause::precision: return "precision";
    case Cause::prepack: return "prepack";
    case Cause::algebra: return "algebra";
    case Cause::kernel: return "kernel";
  }
  return {};
}

const Baseline* Baselines::find(std::string_view wanted) const {
  const auto found = std::ranges::find(all, wanted, &Baseline::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace uc
