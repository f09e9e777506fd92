#pragma once
// Why: a schedule that was followed can be looked at, and held against what replaying the finished runs
// gives.
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace uc {

/// Which run got an attempt, and what it brought.
struct DecisionRecord {
  std::string sweep;   ///< names the sweep: the same problems with the same options have one name
  int64_t number = 0;  ///< from 1, within the sweep
  std::string policy;
  std::string run;
  int64_t attempt = 0;  ///< of the run, from 1
  double time_us = 0;   ///< 0: it was not accepted
  double cost = 0;      ///< in what the policy counts
};

/// Flushed to disk on return. The same number again replaces it.
Result<> record_decision(Store& store, const DecisionRecord& decision);
/// In order. None in a file that was written before there were any.
Result<std::vector<DecisionRecord>> decisions_of(Store& store, const std::string& sweep);

}  // namespace uc
