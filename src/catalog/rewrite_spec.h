#pragma once
// Why: one way to make a program better is one row; the search proposer and `sol` hints read the same rows.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/device_spec.h"
#include "catalog/work_rule.h"
#include "ir/program.h"

namespace uc {

class Catalog;
class Simplifier;

/// What a rewrite claims about the numbers.
enum class Claim : uint8_t { exact, algebraic, precision };
/// What a speedup is booked under.
enum class Cause : uint8_t { precision, prepack, algebra, kernel };

/// Where a rewrite applies: the anchor step (and op) and which variant.
struct Site {
  StepId step;
  OpId op;
  uint32_t variant = 0;
  std::string what;  ///< for people: "fuse gelu into the linear of step 2"
};

struct RewriteContext {
  const Catalog& catalog;
  const DeviceSpec& device;
  Precision allowed = Precision::strict;  ///< licence of the run
};

struct RewriteSpec {
  std::string_view id;  ///< "fuse-epilogue"
  std::string_view summary;
  Claim claim = Claim::exact;
  Cause cause = Cause::kernel;
  int implementation_risk = 1;  ///< 1 to 5
  int performance_risk = 1;     ///< 1 to 5
  bool knobs_only = false;      ///< changes how fast, in no way what
  /// Leaves less work or traffic in every case: speed of light applies it to find the least work. Its sites
  /// are found and applied without a device.
  bool simplifies = false;
  Holds holds = Holds::always;          ///< `observed`: reads Value::observed; the optimizer leaves it alone
  std::string_view justification = {};  ///< of rows that simplify: why the results are the same
  /// Of rows that simplify: the rule itself, which changes a program in place (plan/simplifier.h); `find` and
  /// `apply` are made of it.
  std::optional<ValueId> (*simplify)(Simplifier&, OpId) = nullptr;
  std::vector<Site> (*find)(const Program&, const RewriteContext&) = nullptr;
  Program (*apply)(const Program&, const Site&, const RewriteContext&) = nullptr;
};

}  // namespace uc
