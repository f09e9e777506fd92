#pragma once
// Why: how fast could this program be on this device? Two ceilings that are never mixed: certified
// (theoretical rates at the highest clock; no correct implementation is faster) and calibrated (the best
// rates seen; a very good one gets there).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/work_rule.h"
#include "ir/program.h"

namespace uc {

/// Time of some work on one ceiling, microseconds. `total` is the largest of the units' times: they overlap.
struct SolTime {
  double tensor_us = 0;
  double fma_us = 0;
  double special_us = 0;
  double integer_us = 0;
  double memory_us = 0;
  double total_us = 0;
  std::string_view by;  ///< "tensor", "fma", "special", "integer" or "memory"; empty without work
};

/// Work by unit, never added up across units.
struct SolWork {
  double dense_flops = 0;    ///< of contractions as written, a multiply-add counts 2
  double minimum_flops = 0;  ///< less what declared structure makes zero
  double fma_ops = 0;        ///< scalar multiply-add instructions
  double special_ops = 0;    ///< special-function results
  double integer_ops = 0;    ///< integer instructions
  double read_bytes = 0;     ///< each distinct byte once
  double write_bytes = 0;
};

/// A named reason why the least work is less than the work as written.
struct SolRule {
  std::string_view id;  ///< of a RewriteSpec that simplifies, or of a WorkRule
  std::string where;    ///< "matmul of `y`"
  Holds holds = Holds::always;
  std::string_view justification;
};

/// One step as written; of a captured problem, one operator.
struct SolStep {
  std::string names;     ///< its results: "q, k, v"
  std::string what;      ///< its operators in order: "linear bias gelu to"
  std::string math;      ///< how it multiplies; empty without a contraction
  std::string shapes;    ///< operands and result of its main operator
  bool at_load = false;  ///< runs once when weights are loaded: no part of any time
  SolWork work;
  SolTime calibrated;
  double share = 0;            ///< of the calibrated times of all steps, 0 to 1
  bool covered = true;         ///< false: some operator of it counts its bytes only
  std::vector<SolRule> rules;  ///< what made its minimum FLOPs or its bytes less
};

/// A way to cut the program into kernels.
struct SolLevel {
  std::string_view name;  ///< "fused", "cached", "grouped", "written", "unfused"
  std::string_view summary;
  size_t kernels = 0;
  double theoretical_us = 0;
  double calibrated_us = 0;
};

/// What the whole program would take if its f32 data were multiplied in another way; inputs and results keep
/// their types.
struct SolWhatIf {
  std::string_view math;       ///< "tf32"
  std::string_view precision;  ///< the header that allows it
  SolTime certified;
  SolTime calibrated;
  std::string_view tolerance;  ///< relative error that it is expected to pass; empty: none
};

struct SolVerdict {
  double time_us = 0;
  double over_certified = 0;   ///< time / certified
  double over_calibrated = 0;  ///< time / calibrated
  /// "impossible": below 0.9 x certified. "review": below calibrated, so either wrong or the calibration was
  /// too low. "plausible" otherwise.
  std::string_view word;
  std::optional<double> score;  ///< with a baseline: 1 at the certified bound, 0.5 at the baseline
};

struct SolOptions {
  std::optional<Precision> precision;  ///< default: the program's own
  std::optional<double> clock_mhz;     ///< SM clock when known (locked or sampled); default: the highest
  std::optional<double> time_us;       ///< a measured time to judge
  std::optional<double> base_us;       ///< baseline of the score
};

struct SolReport {
  std::string program;  ///< the program's name; may be empty
  std::string device;   ///< DeviceSpec::name
  std::string device_name;
  double clock_mhz = 0;
  double dram_tbps = 0;  ///< theoretical
  double calibrated_dram_tbps = 0;
  Precision precision = Precision::strict;
  SolWork work;       ///< as written, of the whole as one kernel
  SolWork minimum;    ///< what all rules leave, the observed ones too: the work of `certified`
  SolTime certified;  ///< no correct implementation is faster on inputs like those that were captured
  SolTime
      promised;  ///< the same by rules that always hold: no correct implementation is faster on any inputs
  SolTime calibrated;            ///< what rules that always hold leave, at the best rates seen
  double launch_floor_us = 0;    ///< least time of one launch: in neither bound
  double intensity = 0;          ///< FLOP of the tensor unit a byte
  double ridge = 0;              ///< intensity at which the certified tensor time equals the memory time
  std::vector<SolLevel> levels;  ///< fastest first
  std::vector<SolStep> steps;
  std::vector<SolWhatIf> what_if;
  double coverage = 1;                 ///< share of operators whose work is counted, not their bytes alone
  std::vector<std::string> uncovered;  ///< operators that count their bytes only, each once
  std::vector<SolRule> rules;          ///< all that made `minimum` less than `work`
  std::vector<std::string> structure;  ///< what declared structure reduced
  std::string confidence;              ///< "high", or "reduced"
  std::vector<std::string> reasons;    ///< why it is reduced
  std::optional<SolVerdict> verdict;
};

/// Requires a program that resolved without errors. Milliseconds for hundreds of operators.
SolReport speed_of_light(const Catalog& catalog, const Program& program, const DeviceSpec& device,
                         const SolOptions& options = {});

/// What a device would need to reach a time: each unit's least rate, in bytes, FLOPs and instructions a
/// second. A device of these rates and unlimited others has its certified bound at that time.
struct SolNeed {
  double time_us = 0;
  double memory_bytes_per_second = 0;
  double tensor_flops_per_second = 0;
  double fma_ops_per_second = 0;
  double special_ops_per_second = 0;
  double integer_ops_per_second = 0;
};
SolNeed sol_needed(const SolReport& report, double time_us);

/// The same as judged for a time alone (the judge has the report already).
SolVerdict sol_verdict(const SolReport& report, double time_us, std::optional<double> base_us = {});

/// 1 / (1 + (t - t_sol) / (t_base - t_sol)) within [0, 1]; t_sol / t when the baseline is not slower than
/// t_sol.
double sol_score(double time_us, double sol_us, double base_us);

/// For people. JSON: schema ucutlass.sol/1 (docs/schemas/sol.schema.json).
std::string sol_text(const SolReport& report, bool color = false);
std::string sol_json(const SolReport& report);

}  // namespace uc
