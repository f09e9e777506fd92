#include "agent/candidate.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "base/hash.h"
#include "plan/choose.h"
#include "syntax/print.h"

namespace uc {
namespace {

// Text and back: afterwards ids are those that the text gives, at both sizes alike.
std::optional<Program> settle(const Catalog& catalog, const std::optional<Program>& program) {
  if (!program) return std::nullopt;
  Compiled compiled = resolve_source(catalog, print(catalog, *program));
  if (!compiled.ok()) return std::nullopt;
  return std::move(compiled.program);
}

std::string summary_of(const Program& program, const Step& step) {
  std::string text = fmt::format("{} {}", program[step.main].spec->name, program[step.results.back()].name);
  for (const Step::Call& call : step.chain)
    text += fmt::format(" >> {}", call.is_map ? "map" : program[call.ops.back()].spec->name);
  return text;
}

// True when both are the same operators in the same order: only sizes differ.
bool twins(const Program& a, const Program& b) {
  const auto same = [&](const Step& x, const Step& y) {
    return std::ranges::equal(ops_of(x), ops_of(y),
                              [&](OpId left, OpId right) { return a[left].spec == b[right].spec; });
  };
  return std::ranges::equal(a.steps, b.steps, same);
}

}  // namespace

std::string Candidate::hash() const { return !raw && ok() ? compiled->hash : short_hash(source); }

Candidate make_candidate(const Catalog& catalog, const std::string& source, const DeviceSpec& device) {
  Candidate out;
  out.source = source;
  CompileOptions options;
  options.device = device.name;
  out.compiled = std::make_shared<const Compiled>(check_source(catalog, out.source, options));
  out.program = out.compiled->program;
  out.modelled_us = std::numeric_limits<double>::infinity();
  if (!out.ok()) return out;
  out.modelled_us = 0;
  for (const LaunchCost& cost : costs_of(catalog, *out.compiled, device))
    out.modelled_us += cost.estimate.total_us;
  return out;
}

Candidate make_candidate(const Catalog& catalog, const Program& program,
                         const std::optional<Program>& reduced, const DeviceSpec& device) {
  Candidate out = make_candidate(catalog, print(catalog, program), device);
  out.reduced = settle(catalog, reduced);
  return out;
}

Candidate make_raw_candidate(const Program& program, std::string source) {
  Candidate out;
  out.program = program;
  out.source = std::move(source);
  out.modelled_us = std::numeric_limits<double>::infinity();
  out.raw = true;
  return out;
}

Candidate apply_rewrite(const RewriteSpec& rewrite, const Site& site, const Candidate& to,
                        const RewriteContext& context) {
  const Program program = rewrite.apply(to.program, site, context);
  std::optional<Program> reduced;
  if (to.reduced) reduced = rewrite.apply(*to.reduced, site, context);
  // A change that is another one at reduced sizes (a window of one place, an extent of 1) could not be tried
  // there: it is none.
  if (reduced && twins(to.program, *to.reduced) && !twins(program, *reduced)) return to;
  return make_candidate(context.catalog, program, reduced, context.device);
}

std::vector<LaunchCost> costs_of(const Catalog& catalog, const Compiled& compiled, const DeviceSpec& device) {
  std::vector<LaunchCost> out;
  for (const Launch& launch : compiled.launches) {
    if (launch.phase == Phase::load) continue;
    const auto cost = estimate(catalog, launch, device);
    if (!cost) continue;
    out.push_back({launch.step, summary_of(compiled.program, compiled.program[launch.step]), *cost});
  }
  return out;
}

}  // namespace uc
