#include "compiler/pipeline.h"

#include <algorithm>

#include "base/hash.h"
#include "check/lower.h"
#include "check/resolve.h"
#include "check/rule_engine.h"
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
  if (!out.ok()) return out;
  const DeviceSpec* device = catalog.device(options.device);
  if (device == nullptr || device->arch != out.program.target)
    device = catalog.device_of_target(out.program.target);
  out.launches = lower(catalog, out.program, out.diags);
  if (!out.ok()) return out;
  // Rules first on what is written, so that an impossible setting is named by its rule and not by "nothing
  // fits".
  for (const Launch& launch : out.launches) run_rules(catalog, out.program, launch, *device, out.diags);
  if (!out.ok()) return out;
  choose_automatic(catalog, out.program, out.launches, *device, out.diags);
  if (!out.ok()) return out;
  for (const Launch& launch : out.launches) run_rules(catalog, out.program, launch, *device, out.diags);
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
