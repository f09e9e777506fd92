#pragma once
// Why: a program that is being tried travels with everything that is known of it before it runs: its text,
// what checking said, its modelled time, and the same changes made at the reduced sizes, where its meaning
// can be tried on the CPU.
#include <memory>
#include <optional>
#include <string>

#include "catalog/catalog.h"
#include "compiler/pipeline.h"
#include "ir/program.h"

namespace uc {

struct Candidate {
  Program program;                           ///< as its text resolves: ids are those of the text
  std::optional<Program> reduced;            ///< the same at the recorded sizes; none when there are none
  std::string source;                        ///< canonical text, automatic knobs left open
  std::shared_ptr<const Compiled> compiled;  ///< every knob settled; see ok()
  double modelled_us = 0;                    ///< run-time launches; infinite when the check rejects it
  bool raw = false;  ///< `source` is CUDA C++ in place of a program, and `program` what it has to compute

  bool ok() const { return raw || (compiled != nullptr && compiled->ok()); }
  /// What artefacts store: with every knob settled, where there are knobs.
  const std::string& text() const { return !raw && ok() ? compiled->source : source; }
  /// Hash of the settled text; of the open text when the check rejects it.
  std::string hash() const;
};

/// One run-time launch of a candidate with its modelled time.
struct LaunchCost {
  StepId step;
  std::string summary;  ///< "linear y, bias relu"
  Estimate estimate;
};

/// Prints, resolves, checks and costs a program.
Candidate make_candidate(const Catalog& catalog, const Program& program,
                         const std::optional<Program>& reduced, const DeviceSpec& device);

/// The same from text, at full size only.
Candidate make_candidate(const Catalog& catalog, const std::string& source, const DeviceSpec& device);

/// CUDA C++ that says that it computes `program`: nothing is known of it before it is built and judged.
Candidate make_raw_candidate(const Program& program, std::string source);

/// The candidate with one rewrite applied at both sizes; its text is unchanged when the rewrite does not
/// apply.
Candidate apply_rewrite(const RewriteSpec& rewrite, const Site& site, const Candidate& to,
                        const RewriteContext& context);

std::vector<LaunchCost> costs_of(const Catalog& catalog, const Compiled& compiled, const DeviceSpec& device);

}  // namespace uc
