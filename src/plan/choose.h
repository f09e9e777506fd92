#pragma once
// Why: `auto` is deterministic: the legal configurations of a launch, ranked by the back end's model.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "check/backends.h"
#include "diag/diag.h"
#include "ir/kernel.h"

namespace uc {

/// The launch with other knobs.
Launch with(const Launch& launch, const Config& config);

/// The first that can emit the launch on the device, or null; then `why` says what each one lacks.
const BackendSpec* backend_for(const Catalog& catalog, const Launch& launch, const DeviceSpec& device,
                               std::string* why = nullptr);

/// Modelled time of a launch whose knobs are chosen, by the back end that emits it; nothing when none does.
std::optional<Estimate> estimate(const Catalog& catalog, const Launch& launch, const DeviceSpec& device);

struct RankedConfig {
  Config config;  ///< names its back end where that is not the first that could emit the launch
  const BackendSpec* backend = nullptr;
  Estimate estimate;
};

/// Legal configurations that keep the knobs already set, best modelled time first, at most `limit`: those of
/// the first back end (check/backends.h) that has any, and of back ends that stand beside it. Empty when no
/// configuration is legal.
std::vector<RankedConfig> rank_configs(const Catalog& catalog, const Program& program, const Launch& launch,
                                       const DeviceSpec& device, size_t limit);

/// How f32 data is multiplied where precision is `strict` and no `.math` says it: of the ways that are as
/// exact as f32 (check/f16x3.h states a bound), the one whose best legal configuration is modelled fastest.
/// Before rules run: what they ask depends on it.
void choose_math(const Catalog& catalog, const Program& program, std::vector<Launch>& launches,
                 const DeviceSpec& device);

/// Every automatic knob of every launch set to the best ranked choice. Errors: no back end (UC19xx), no legal
/// choice.
void choose_automatic(const Catalog& catalog, const Program& program, std::vector<Launch>& launches,
                      const DeviceSpec& device, DiagSink& diags);

/// The program with every chosen knob written out: what artefacts store and hashes are made of.
Program write_knobs(const Catalog& catalog, const Program& program, const std::vector<Launch>& launches);

}  // namespace uc
