#pragma once
// Why: how much of a suite of problems the language says is a number that may only grow. It is counted by
// what happens to each problem - imported, checked, executed against torch's recorded outputs, emittable -
// and not by what operators claim.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "ir/graph.h"
#include "platform/files.h"

namespace uc {

/// Something that keeps a problem from the next stage.
struct Obstacle {
  std::string stage;  ///< "import", "check", "execute", "emit"
  std::string what;   ///< "aten.unfold.default", "case 2, seed 43, problem", "UC1907"
  std::string why;    ///< one line
};

/// How far one problem gets. Each stage is tried for every problem that is imported.
struct ProblemCoverage {
  std::string name;        ///< path below the folder, without .json: "level2/76_Gemm_Add_ReLU"
  int64_t level = 0;       ///< of KernelBench; 0 when the capture has none
  int64_t id = 0;          ///< within its level
  bool imported = false;   ///< its full graph is a program
  bool checked = false;    ///< that program's text is read without an error of the language
  bool executed = false;   ///< the reduced one gives torch's outputs in every recorded run
  bool emittable = false;  ///< under `precision tf32` every step has a kernel that the rule book allows
  size_t cases = 0;        ///< recorded runs that were tried
  std::set<std::string> targets;  ///< aten operators of the full graph
  std::set<std::string> refused;  ///< those of them that were not imported
  std::set<std::string> ops;      ///< operators of the program
  std::vector<Obstacle> obstacles;
};

/// The stages of a problem, in order, with their names in tables and JSON.
struct CoverageStage {
  std::string_view name;
  bool ProblemCoverage::* reached;
};
inline constexpr CoverageStage kCoverageStages[] = {{"imported", &ProblemCoverage::imported},
                                                    {"checked", &ProblemCoverage::checked},
                                                    {"executed", &ProblemCoverage::executed},
                                                    {"emittable", &ProblemCoverage::emittable}};

/// Tries every stage of one problem.
ProblemCoverage cover(const Catalog& catalog, const CapturedProblem& problem, std::string name);

/// Every capture in `folder` and the folders in it, in natural order, tried with as many threads as there are
/// cores. Errors: no such folder, no capture in it, one that cannot be read.
Result<std::vector<ProblemCoverage>> cover_all(const Catalog& catalog, const std::string& folder,
                                               Files& files);

/// A part of the suite: a level, or a list of problems that has a name.
struct CoverageGroup {
  std::string name;                              ///< "level 1", "kb59", "all"
  std::vector<const ProblemCoverage*> problems;  ///< into what cover_all gave
  size_t count(const CoverageStage& stage) const;
};

/// Levels in order, then `list`, a text like data/kb59.json ({"name", "levels": {"1": [ids]}}), unless it is
/// empty, then all. Errors: a list that is not such JSON or names a problem that is not there.
Result<std::vector<CoverageGroup>> coverage_groups(const std::vector<ProblemCoverage>& problems,
                                                   std::string_view list);

/// One operator over all problems.
struct OperatorCoverage {
  std::string name;     ///< aten target, or an operator of ours
  size_t problems = 0;  ///< that use it
  size_t good = 0;      ///< aten: that import it; ours: that equal torch
  bool kernel = false;  ///< ours: a back end makes something of it
};
std::vector<OperatorCoverage> aten_coverage(const std::vector<ProblemCoverage>& problems);
std::vector<OperatorCoverage> op_coverage(const Catalog& catalog,
                                          const std::vector<ProblemCoverage>& problems);

/// JSON of schema ucutlass.coverage/1, a line for each problem and operator, so that changes can be read as
/// diffs.
std::string coverage_json(const Catalog& catalog, const std::vector<ProblemCoverage>& problems,
                          const std::vector<CoverageGroup>& groups);

/// What differs from an earlier coverage_json.
struct CoverageChange {
  std::vector<std::string>
      lost;  ///< "level1/19_ReLU: executed": a stage no longer reached, or no such problem
  std::vector<std::string> gained;  ///< stages reached now and not then
};
Result<CoverageChange> compare_coverage(const std::vector<ProblemCoverage>& problems,
                                        std::string_view expected_json);

}  // namespace uc
