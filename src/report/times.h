#pragma once
// Why: measured times come from files of JSON lines, ours and others' (docs/schemas, ucutlass.times/1).
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/program.h"

namespace uc {

/// Times that files may hold, microseconds: 1e-6 to 1e9 ms.
inline constexpr double kLeastTime = 1e-3, kMostTime = 1e12;

/// One time of one problem.
struct ProblemTime {
  std::string problem;                    ///< "level1/1_Square_matrix_multiplication_", or its last part
  std::string series;                     ///< "PyTorch"
  std::string what;                       ///< "eager_tf32"; may be empty
  std::string device;                     ///< "h200"; empty: the line does not say
  std::string date;                       ///< "2026-03-01"; empty: the line does not say
  Precision precision = Precision::tf32;  ///< the least licence that allows it
  /// Keeps the problem's types of inputs and results. Else it is the time of another problem: its bytes are
  /// fewer.
  bool own_io = true;
  bool modelled = false;
  double time_us = 0;
};

/// Lines of schema ucutlass.times/1, one time each, and of data/pytorch_h200.jsonl, several. Errors name
/// `file` and the line: no JSON object, no problem, no time, a time that is not above 0, an unknown
/// precision.
Result<std::vector<ProblemTime>> read_times(std::string_view text, std::string_view file);

/// True when what needs `precision` may run under `licence`.
bool within_licence(Precision precision, Precision licence);

/// True when a time's name of a problem means the capture at `path` ("level1/1_x", without ".json"): the
/// same, or one is the other without leading folders.
bool names_problem(std::string_view name, std::string_view path);

}  // namespace uc
