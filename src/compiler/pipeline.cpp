#include "compiler/pipeline.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/hash.h"
#include "catalog/named_dims.h"
#include "check/diags.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "check/rule_engine.h"
#include "compiler/expand.h"
#include "ir/kernel_parts.h"
#include "plan/choose.h"
#include "syntax/parser.h"
#include "syntax/print.h"

namespace uc {

namespace {

Compiled resolved(const Catalog& catalog, std::string_view source, bool language_only) {
  Compiled out;
  if (language_only) out.diags.relax("UC19");
  out.tree = parse(source, out.diags);
  out.program = resolve(catalog, out.tree, out.diags);
  return out;
}

// What holds at the largest sizes holds at the others: with the same knobs, no rule objects.
void check_other_sizes(const Catalog& catalog, const DeviceSpec& device, Compiled& out) {
  for (const auto& sizes : sizes_to_try(out.program)) {
    if (sizes == out.program.chosen) continue;
    DiagSink found;
    found.relax("UC19");
    const Program other = at_sizes(catalog, out.program, sizes, found);
    run_step_rules(catalog, other, device, found);
    for (Launch& launch : lower(catalog, other, found)) {
      for (const Launch& chosen : out.launches) {
        if (chosen.step != launch.step) continue;
        launch.config = chosen.config;
        Math* math = math_of(launch.kernel);
        if (math != nullptr) *math = *math_of(chosen.kernel);
      }
      run_rules(catalog, other, launch, device, found);
    }
    for (Diag diag : found.diags()) {
      if (diag.severity != Severity::error) continue;
      diag.message += ", when " + describe_sizes(out.program, sizes);
      out.diags.add(std::move(diag));
    }
    if (!out.ok()) return;
  }
}

bool says_not_emitted(const DiagSink& diags) {
  return std::any_of(diags.diags().begin(), diags.diags().end(),
                     [](const Diag& diag) { return diag.id.starts_with("UC19"); });
}

}  // namespace

Compiled resolve_source(const Catalog& catalog, std::string_view source) {
  return resolved(catalog, source, true);
}

Compiled check_source(const Catalog& catalog, std::string_view source, const CompileOptions& options) {
  Compiled out = resolved(catalog, source, options.language_only);
  if (has_sets(out.tree)) return check_members(catalog, source, options);
  if (!out.ok()) return out;
  if (!out.program.dims.empty()) {
    const Dim& dim = out.program.dims.front();
    out.diags
        .add(kinds::named_dims, dim.span,
             fmt::format("`{}` is chosen when the program is launched", dim.name))
        .help = "it is checked and executed at any size; to compile, give sizes: --dims " + dim.name +
                "=SIZE,... --emit dispatch";
  }
  const DeviceSpec* device = catalog.device(options.device);
  if (device == nullptr || device->arch != out.program.target)
    device = catalog.device_of_target(out.program.target);
  run_step_rules(catalog, out.program, *device, out.diags);
  out.launches = lower(catalog, out.program, out.diags);
  if (!out.ok()) return out;
  choose_math(catalog, out.program, out.launches, *device);
  // Rules first on what is written, so that an impossible setting is named by its rule and not by "nothing
  // fits".
  for (const Launch& launch : out.launches) run_rules(catalog, out.program, launch, *device, out.diags);
  if (!out.ok()) return out;
  choose_automatic(catalog, out.program, out.launches, *device, out.diags);
  if (!out.ok()) return out;
  for (const Launch& launch : out.launches) run_rules(catalog, out.program, launch, *device, out.diags);
  check_other_sizes(catalog, *device, out);
  if (!out.ok()) return out;
  out.resolved = write_knobs(catalog, out.program, out.launches);
  out.source = print(catalog, out.resolved);
  out.hash = short_hash(out.source);
  out.emittable = !says_not_emitted(out.diags);
  if (out.emittable) out.buffers = plan_buffers(out.program, out.launches);
  return out;
}

Compiled check_program(const Catalog& catalog, const Program& program, const CompileOptions& options) {
  return check_source(catalog, print(catalog, program), options);
}

}  // namespace uc
