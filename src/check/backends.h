#pragma once
// Why: several back ends may serve a launch. Which, and in what order, is asked by the rule engine, by the
// planner and by emission alike.
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "ir/kernel.h"

namespace uc {

/// A back end of the launch's kind and the device's arch.
struct Served {
  const BackendSpec* row = nullptr;
  std::string refusal;  ///< empty: it can emit the launch
};

/// The most special first: those made for fewer archs, then in the order of the catalog. The first that does
/// not refuse is what `auto` means.
std::vector<Served> backends_of(const Catalog& catalog, const Launch& launch, const DeviceSpec& device);

/// Those that do not refuse, in the same order.
std::vector<const BackendSpec*> willing_backends(const Catalog& catalog, const Launch& launch,
                                                 const DeviceSpec& device);

/// "cutlass3" of "cutlass3.contraction": what `.backend(...)` and RuleSpec::backend say.
std::string_view short_name(const BackendSpec& backend);

/// The launch on that back end: its `.backend` says so, unless the kind has no such knob.
Launch on_backend(const Launch& launch, const BackendSpec& backend);

}  // namespace uc
