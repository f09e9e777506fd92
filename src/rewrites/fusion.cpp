// Fewer launches: a pointwise step joins the step that makes its operand.
#include <fmt/format.h>
#include <span>

#include "rewrites/support/join.h"

namespace uc::rewrites {
namespace {

template <bool (*Producer)(const Program&, const Step&)>
std::vector<Site> find(const Program& program, const RewriteContext&) {
  std::vector<Site> sites;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto at = find_join(program, StepId(i));
    if (!at || !Producer(program, program[at->producer])) continue;
    const Step& producer = program[at->producer];
    const Op& main = program[program[at->consumer].main];
    sites.push_back({StepId(i), program[at->consumer].main, 0,
                     fmt::format("`{}` of `{}` moves into the {} that makes `{}`", main.spec->name,
                                 program[program[at->consumer].results.back()].name,
                                 program[producer.main].spec->name, program[producer.results.back()].name)});
  }
  return sites;
}

Program apply(const Program& program, const Site& site, const RewriteContext& context) {
  const auto at = site.step.index() < program.steps.size() ? find_join(program, site.step) : std::nullopt;
  return at ? join(context.catalog, program, *at) : program;
}

constexpr RewriteSpec kRows[] = {
    {.id = "fuse-epilogue",
     .summary = "a pointwise step that alone reads a contraction's or convolution's result becomes part of "
                "its epilogue",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find<is_product_step>,
     .apply = apply},
    {.id = "merge-pointwise",
     .summary = "a pointwise step that alone reads another's result joins it in one launch",
     .claim = Claim::exact,
     .cause = Cause::kernel,
     .implementation_risk = 1,
     .performance_risk = 1,
     .find = find<is_pointwise_step>,
     .apply = apply},
};

}  // namespace

std::span<const RewriteSpec> fusion_rows() { return kRows; }

}  // namespace uc::rewrites
