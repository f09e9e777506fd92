#pragma once
// Why: a sweep's result is a row a problem and the few numbers that sum it up.
#include <string>
#include <vector>

#include "base/result.h"

namespace uc::cli {

/// What came of one problem.
struct SweepRow {
  std::string name;
  std::string problem;  ///< as captured: "23_Softmax"
  std::string state;    ///< done, nothing right, failed, interrupted
  std::string message;  ///< of a failure
  std::string run;
  std::string kind;      ///< measured or modelled
  double us = 0;         ///< the best program's
  std::string baseline;  ///< PyTorch's best, of any precision
  double baseline_us = 0, eager_us = 0;
  double sol_us = 0;  ///< calibrated
  size_t attempts = 0;
  size_t flagged = 0;  ///< of them labelled gaming and the like
  double seconds = 0;
  bool from_before = false;  ///< the run was in the store already
};

/// The row of a report of schema ucutlass.optimize/1. Errors: what a report of
/// schema ucutlass.error/1 says; not a report.
Result<SweepRow> row_of_report(const std::string& json);

std::string table_head();
std::string table_line(const SweepRow& row);
/// Geometric means with 95 % bootstrap intervals over problems, and how many were faster, failed, or flagged.
std::string summary_text(const std::vector<SweepRow>& rows);
/// How attempts were given on line; empty: they were not.
struct SweepSchedule {
  std::string sweep, policy;
};

/// One JSON object, schema ucutlass.sweep/1.
std::string sweep_json(const std::vector<SweepRow>& rows, const SweepSchedule& schedule = {});

}  // namespace uc::cli
