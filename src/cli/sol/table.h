#pragma once
// Why: a suite of problems is bounded in one go, a row each, and held against times that were measured: where
// is PyTorch near light speed, where far, and is any time below a bound?
#include <string>
#include <vector>

#include "cli/bounded_devices.h"
#include "cli/command.h"
#include "cli/sol_output.h"
#include "sol/sol.h"

namespace uc::cli {

struct SolSuite {
  std::vector<std::string> paths;  ///< captures, programs, problems, and folders that hold captures
  DeviceChoice device;             ///< one
  std::string times;               ///< JSON lines of measured times, as data/pytorch_h200.jsonl; empty: none
  SolOptions options;
  SolOutput output;     ///< text, JSON lines, or a page
  bool json = false;    ///< JSON lines of schema ucutlass.sol-row/1
  bool strict = false;  ///< fail when some operator's work is not counted
};

/// kFindings when a file could not be read (it has a row that says why) or, with `strict`, an operator's work
/// is not counted; kRejected when a time lies below the bound of the precision that it multiplied in.
int sol_suite(const Context& context, const SolSuite& suite);

}  // namespace uc::cli
