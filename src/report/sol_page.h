#pragma once
// Why: a bound convinces when one sees what it is made of: the roofline, the ladder of levels, each operator,
// the rules that were used, and measured times beside it.
#include <span>
#include <string>
#include <vector>

#include "report/markup.h"
#include "sol/sol.h"

namespace uc {

/// A time of the whole problem on the report's device.
struct MeasuredTime {
  std::string name;  ///< "PyTorch eager_tf32"
  double time_us = 0;
  Precision precision = Precision::strict;  ///< the least licence that allows it
  bool modelled = false;
  bool own_io = true;  ///< keeps the problem's types of inputs and results
  std::string note;    ///< where it comes from
  bool given = false;  ///< to be judged: the verdict of the report is about it
};

/// A report with what a page shows beside it.
struct SolSubject {
  SolReport report;
  const DeviceSpec* device = nullptr;  ///< the report's
  std::vector<MeasuredTime> times;
  std::string command;  ///< that makes this page
  std::string missing;  ///< why the bounds are not there: the device lacks a unit
};

/// True when the report's bounds hold for this time: its precision allows it, and it keeps the problem's
/// types.
bool is_bound(const SolReport& report, const MeasuredTime& time);

/// The fastest of the times that the bounds hold for; null without any.
const MeasuredTime* best_time(const SolSubject& subject);

/// A page of one file: of one subject, or a table of several, each below it unless they are too many.
/// Requires at least one.
std::string sol_html(std::span<const SolSubject> subjects);

}  // namespace uc
