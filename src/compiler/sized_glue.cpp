#include "compiler/sized_glue.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/hash.h"
#include "emit/program_glue.h"
#include "plan/choose.h"
#include "syntax/print.h"

namespace uc {
namespace {

using Sizes = std::vector<int64_t>;

bool same_places(const BufferPlan& a, const BufferPlan& b) {
  return a.packed_bytes == b.packed_bytes &&
         std::ranges::equal(a.location, b.location, [](const Location& x, const Location& y) {
           return x.kind == y.kind && x.index == y.index;
         });
}

class SizedEmitter {
 public:
  SizedEmitter(const Catalog& catalog, SizeProbe& probe) : catalog_(catalog), probe_(probe) {}

  Result<SizedProgram> run() {
    serves_ = probe_.ranges();
    auto formulas = find_formulas();
    if (!formulas) {  // one row or one batch may be laid out as no other number of them is
      for (size_t d = 0; d < serves_.size(); ++d) {
        SizeRange& range = serves_[d];
        if (range.low != 1 || range.high == 1) continue;
        (probe_.sizes()[d] == 1 ? range.high : range.low) = probe_.sizes()[d] == 1 ? 1 : 1 + range.step;
      }
      formulas = find_formulas();
    }
    if (!formulas) {
      for (size_t d = 0; d < serves_.size(); ++d)
        serves_[d] = {probe_.sizes()[d], probe_.sizes()[d], serves_[d].step};
      formulas = find_formulas();
    }
    if (!formulas) return fail("no library can be made: the tables of one choice of sizes differ", "", 1);
    return emit(std::move(*formulas));
  }

 private:
  std::vector<EmittedKernel> kernels_of(const Compiled& compiled) const {
    std::vector<EmittedKernel> out;
    const DeviceSpec& device = *catalog_.device_of_target(compiled.program.target);
    for (const Launch& launch : compiled.launches)
      out.push_back(backend_for(catalog_, launch, device)->emit(launch, device));
    return out;
  }

  const Compiled* largest() {
    Sizes sizes;
    for (const SizeRange& range : serves_) sizes.push_back(range.high);
    return probe_.at(sizes);
  }

  /// Numbers of the tables; nothing where they differ from others' in more than numbers.
  std::optional<std::vector<SizedNumber>> numbers(const Sizes& sizes, const BufferPlan& places) {
    const Compiled* compiled = probe_.at(sizes);
    if (compiled == nullptr || !same_places(compiled->buffers, places)) return std::nullopt;
    const std::vector<EmittedKernel> kernels = kernels_of(*compiled);
    GlueNumbers here = glue_numbers({compiled->program, compiled->launches, places, kernels, "", ""});
    if (rest_.empty()) rest_ = here.rest;
    if (rest_ != here.rest) return std::nullopt;
    return std::move(here.values);
  }

  std::optional<std::vector<SizeFormula>> find_formulas() {
    const Compiled* most = largest();
    if (most == nullptr) return std::nullopt;
    rest_.clear();
    return fit_formulas(serves_, probe_.sizes(),
                        [&](const Sizes& sizes) { return numbers(sizes, most->buffers); });
  }

  SizedProgram emit(std::vector<SizeFormula> formulas) {
    GlueSizes sizes;
    for (const SizeFormula& each : formulas) sizes.formulas.push_back(each.text());
    SizedProgram out;
    out.formulas = std::move(formulas);
    out.places = largest()->buffers;
    const Program& program = probe_.program();
    const std::string source = print(catalog_, program);
    std::string all = source;
    for (size_t d = 0; d < serves_.size(); ++d) {
      const auto& [low, high, step] = serves_[d];
      sizes.dims.push_back({program.dims[d].name, low, high, step, probe_.sizes()[d]});
      all += fmt::format("{} {} {} {}\n", low, high, step, probe_.sizes()[d]);
    }
    out.serves = serves_;
    const Compiled& chosen = *probe_.at(probe_.sizes());
    out.program.hash = short_hash(all);
    out.program.kernels = kernels_of(chosen);
    const GlueInput input{chosen.program,      chosen.launches,  out.places,
                          out.program.kernels, out.program.hash, source};
    out.program.glue = emit_glue(input, &sizes);
    out.program.manifest = emit_manifest(input, &sizes);
    return out;
  }

  const Catalog& catalog_;
  SizeProbe& probe_;
  std::vector<SizeRange> serves_;
  std::string rest_;  // of the tables, at every size
};

}  // namespace

Result<SizedProgram> emit_sized(const Catalog& catalog, SizeProbe& probe) {
  return SizedEmitter(catalog, probe).run();
}

}  // namespace uc
