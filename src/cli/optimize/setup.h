#pragma once
// Why: before anything is tried there is a problem to read, a run to find or to begin, and a first program;
// each can fail in a way that the user can mend.
#include <map>
#include <memory>

#include "agent/controller.h"
#include "agent/problem.h"
#include "cli/optimize/settings.h"
#include "platform/lock.h"

namespace uc::cli {

/// What one optimization works on. Filled by prepare().
struct RunSetup {
  OptimizeSettings settings;  ///< those of the run when it is resumed
  std::unique_ptr<Store> store;
  std::unique_ptr<Lock> lock;  ///< nobody else works on the run
  RunRecord run;
  Target target;
  Problem problem;
  RunOptions options;
  StartingPoint start;
  std::map<std::string, GraphTensorId, std::less<>> tensors;  ///< of the reduced graph, by name
  bool resumed = false;
  bool finished = false;  ///< `run` is a run that did this work already; nothing else is filled
};

/// Errors: a store that cannot be used, a problem that cannot be read, captured or imported, a run that is
/// not there or is being worked on, no GPU.
Result<RunSetup> prepare(const Context& context, OptimizeSettings settings);

/// How far the store has a problem, without changing anything.
struct ProblemStanding {
  OptimizeSettings settings;  ///< those of the run when it is resumed
  bool gpu = false;
  bool finished = false;  ///< with settings.reuse: done before
  int64_t made = 0;       ///< attempts of the run that would be gone on with
};

/// `store` null: there is none. A .py file is not captured, so nothing is known of it. Errors: as prepare().
Result<ProblemStanding> standing_of(const Context& context, OptimizeSettings settings, Store* store);

}  // namespace uc::cli
