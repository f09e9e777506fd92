#include "agent/nvcc_builder.h"

#include "compiler/emission.h"

namespace uc {

NvccBuilder::NvccBuilder(const Catalog& catalog, const Toolchain& toolchain, Processes& processes,
                         Files& files)
    : catalog_(catalog),
      processes_(processes),
      builder_(toolchain, {.cache = {}, .jobs = 1, .progress = {}}, processes_, files) {}

Result<BuildOutcome> NvccBuilder::build(const Candidate& candidate, const std::string& output) {
  if (candidate.raw) {
    auto built = builder_.raw({candidate.source, candidate.program.inputs.size(),
                               candidate.program.params.size(), candidate.program.results.size()},
                              output);
    if (!built) return tl::unexpected(built.error());
    return BuildOutcome{built->library, {}, built->seconds, false, built->log};
  }
  const EmittedProgram emitted = emit_program(catalog_, *candidate.compiled);
  auto built = builder_.program(emitted.kernels, emitted.glue, output);
  if (!built) return tl::unexpected(built.error());
  BuildOutcome out;
  out.library = built->library;
  out.seconds = built->seconds;
  out.cached = true;
  for (const BuiltKernel& kernel : built->kernels) {
    out.kernel_hashes.push_back(kernel.hash);
    out.cached = out.cached && kernel.cached;
  }
  if (!built->kernels.empty()) out.log = built->kernels.back().folder;
  return out;
}

}  // namespace uc
