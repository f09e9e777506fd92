#pragma once
// Why: a program as CUTLASS shall judge it: what the checker says, and the kernels' sources even where the
// checker refuses, so that rules can be found too lax or too strict.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "emit/emitted.h"
#include "ir/kernel.h"

namespace uc::oracle {

/// One contraction of a trial.
struct TrialKernel {
  Launch launch;
  EmittedKernel emitted;
  std::string modelled;      ///< "stages 4 smem 215040", as probe.h prints it; empty: no model
  int64_t shared_bytes = 0;  ///< that a block of the device has
};

struct Trial {
  std::string name;
  std::string source;
  std::vector<std::string> errors;  ///< ids of the checker's errors, ascending, each once; empty: accepted
  std::vector<TrialKernel> kernels;
  std::string no_source;  ///< why nothing can be tried
  bool accepted() const { return errors.empty(); }
  /// Hash of what an answer is about: the program, and the sources that are emitted for it. Not of the
  /// support files that these include, which change more often than what CUTLASS would say.
  std::string key() const;
};

/// Checks the source and emits its contractions. Stages that the program leaves to the compiler are left to
/// CUTLASS, so that its number and the model's can be compared. A program that rules refuse is emitted all
/// the same.
Trial make_trial(const Catalog& catalog, std::string name, std::string_view source);

/// Ids of the errors that checking raises, ascending, each once.
std::vector<std::string> errors_of(const Catalog& catalog, std::string_view source);

/// Writes trials for oracle.py: sources, support files, cases.tsv. False when the folder cannot be written.
bool write_trials(const std::vector<Trial>& trials, const std::string& folder);

}  // namespace uc::oracle
