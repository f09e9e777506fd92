#pragma once
// Why: nothing that was tried may be lost. Each attempt is in the file, on disk, before the next one begins,
// so a run can be killed at any moment and goes on from there.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/clock.h"
#include "platform/sqlite.h"

namespace uc {

enum class RunState : uint8_t { running, done, interrupted, failed };
std::string_view name(RunState state);

/// One optimization of one problem. `problem_hash` and `options` together say which runs are the same work.
struct RunRecord {
  std::string id;       ///< "20260301-142301-7f3a": given by begin_run
  std::string problem;  ///< name for people
  std::string problem_path;
  std::string problem_hash;  ///< of the captured problem
  std::string options;       ///< JSON, canonical: device, attempts, precision, seed, ...
  std::string device;        ///< "h200"
  std::string folder;        ///< where the run's artefacts are
  std::string version;       ///< of ucutlass
  std::string baselines;     ///< JSON; empty until measured
  std::string summary;       ///< JSON of the final report; empty until then
  std::string source;        ///< who made it: empty for ucutlass, "kernelbench", "sol-execbench"
  /// Where this store has it from; empty: it was made here. Its results are not proven here, and it stands in
  /// for no work of ours.
  std::string imported;
  RunState state = RunState::running;
  double started = 0;  ///< seconds since 1970, UTC
  double ended = 0;    ///< 0 while running
};

/// Where a time comes from. A modelled time is never shown as a measured one; a reported one is what somebody
/// else says to have measured.
enum class TimeKind : uint8_t { none, measured, modelled, reported };
std::string_view name(TimeKind kind);

/// One program that was tried. Fields that its fate did not reach are empty.
struct AttemptRecord {
  std::string run;
  int64_t number = 0;           ///< from 1, within the run
  int64_t parent = 0;           ///< number of the attempt that it was made from; 0: none
  std::string proposer;         ///< "search"
  std::string rewrite;          ///< id of the rewrite row; "import" for the first program
  std::string hypothesis;       ///< what was tried and why, one line
  std::string cause;            ///< precision, prepack, algebra, kernel
  double expected_speedup = 0;  ///< over the parent; 0: none stated
  std::string program;          ///< source as proposed
  std::string program_hash;     ///< of the resolved source; empty when the check rejected it
  std::string kernel_hashes;    ///< JSON array
  std::string diagnostics;      ///< JSON array, as `ucutlass check --json`
  std::string build_log;        ///< path of the log
  std::string label;            ///< one of kLabels (schedule/labels.h)
  std::string reason;           ///< stable word: rejected, build_failed, wrong_result, timed_out, ...
  std::string message;          ///< one line for people
  std::string correctness;      ///< JSON
  TimeKind time_kind = TimeKind::none;
  double time_us = 0;  ///< of one run of the program
  std::string timing;  ///< JSON: everything known about the time
  double started = 0, ended = 0;
};

/// What an experiment taught, in one line, with the conditions under which it holds.
struct LessonRecord {
  int64_t id = 0;
  std::string run;
  std::string problem;
  std::string rewrite;
  std::string device;
  TimeKind kind = TimeKind::none;
  double expected = 0;  ///< speedup
  double observed = 0;  ///< speedup; 0: it failed
  std::string conditions;
  std::string text;
  double created = 0;
};

class Store {
 public:
  /// Opens or creates the file and brings its schema up to date. Errors: a folder that may not be written, a
  /// file that is not ours, one written by a newer version, a full disk.
  static Result<std::unique_ptr<Store>> open(const std::string& path, Clock& clock = real_clock());

  /// Opens a file that is there for reading runs and attempts, and leaves it as it is, of whatever schema. A
  /// lock is waited for two seconds at most. Errors: an empty file, one that is not ours, one written by a
  /// newer version.
  static Result<std::unique_ptr<Store>> open_for_reading(const std::string& path,
                                                         Clock& clock = real_clock());

  /// Gives the run an id and a start, and stores it.
  Result<RunRecord> begin_run(RunRecord run);
  Result<> set_state(const std::string& run, RunState state);
  Result<> set_baselines(const std::string& run, const std::string& json);
  Result<> set_summary(const std::string& run, const std::string& json);
  Result<> set_folder(const std::string& run, const std::string& folder);
  /// Flushed to disk on return. Recording the same number again replaces it.
  Result<> record(const AttemptRecord& attempt);
  /// The same text of the same run is kept once.
  Result<> add_lesson(const LessonRecord& lesson);

  /// As it is, its id and times with it. Errors: there already.
  Result<> add_run(const RunRecord& run);
  /// As it is, `created` with it; the id is this store's.
  Result<> restore_lesson(const LessonRecord& lesson);
  /// The run with its attempts, lessons and exchanges.
  Result<> forget_run(const std::string& run);

  /// By id alone; nothing: there is none.
  Result<std::optional<RunRecord>> run_of_id(const std::string& id);
  /// By id, by a prefix that only one id has, or "last". Errors: no such run, more than one.
  Result<RunRecord> find_run(const std::string& id);
  /// Newest first.
  Result<std::vector<RunRecord>> runs(size_t limit);
  /// The newest run of this problem with these options that did not come to its end. None that was imported.
  Result<std::optional<RunRecord>> find_unfinished(const std::string& problem_hash,
                                                   const std::string& options);
  /// The newest run of this problem with these options that came to its end and has its report. None
  /// that was imported.
  Result<std::optional<RunRecord>> find_finished(const std::string& problem_hash, const std::string& options);
  Result<std::vector<AttemptRecord>> attempts(const std::string& run);
  /// In the order in which they were learned.
  Result<std::vector<LessonRecord>> lessons_of(const std::string& run);
  /// Newest first; of one rewrite when named. None of imported runs.
  Result<std::vector<LessonRecord>> lessons(const std::string& rewrite, size_t limit);

  Database& database() { return *database_; }

 private:
  Result<std::optional<RunRecord>> find_same(const std::string& problem_hash, const std::string& options,
                                             std::string_view condition);
  Store(std::unique_ptr<Database> database, Clock& clock, bool knows_origins)
      : database_(std::move(database)), clock_(&clock), knows_origins_(knows_origins) {}
  std::string run_columns() const;
  std::unique_ptr<Database> database_;
  Clock* clock_;
  bool knows_origins_;  ///< its schema has where runs come from: all but older files that are only read
};

}  // namespace uc
