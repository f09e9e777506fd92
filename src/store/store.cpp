#include "store/store.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/hash.h"
#include "platform/files.h"
#include "store/schema.h"

namespace uc {
namespace {

constexpr std::array<std::string_view, 4> kStates{"running", "done", "interrupted", "failed"};
constexpr std::array<std::string_view, 4> kKinds{"none", "measured", "modelled", "reported"};

template <class Enum, size_t N>
Enum parse(const std::array<std::string_view, N>& names, std::string_view text) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return Enum{};
}

constexpr std::string_view kRunColumns =
    "id, problem, problem_path, problem_hash, options, device, folder, version, baselines, summary, state, "
    "started, ended, source, imported";

RunRecord run_of(const SqlRow& row) {
  RunRecord run;
  std::string* const texts[] = {&run.id,        &run.problem, &run.problem_path, &run.problem_hash,
                                &run.options,   &run.device,  &run.folder,       &run.version,
                                &run.baselines, &run.summary};
  size_t at = 0;
  for (std::string* text : texts) *text = row.text(at++);
  run.state = parse<RunState>(kStates, row.text(at++));
  run.started = row.real(at++);
  run.ended = row.real(at++);
  run.source = row.text(at++);
  run.imported = row.text(at);
  return run;
}

constexpr std::string_view kAttemptColumns =
    "run, number, parent, proposer, rewrite, hypothesis, cause, expected_speedup, program, program_hash, "
    "kernel_hashes, "
    "diagnostics, build_log, label, reason, message, correctness, time_kind, time_us, timing, started, ended";

AttemptRecord attempt_of(const SqlRow& row) {
  AttemptRecord out;
  size_t at = 0;
  out.run = row.text(at++);
  out.number = row.integer(at++);
  out.parent = row.integer(at++);
  for (std::string* text : {&out.proposer, &out.rewrite, &out.hypothesis, &out.cause}) *text = row.text(at++);
  out.expected_speedup = row.real(at++);
  for (std::string* text : {&out.program, &out.program_hash, &out.kernel_hashes, &out.diagnostics,
                            &out.build_log, &out.label, &out.reason, &out.message, &out.correctness}) {
    *text = row.text(at++);
  }
  out.time_kind = parse<TimeKind>(kKinds, row.text(at++));
  out.time_us = row.real(at++);
  out.timing = row.text(at++);
  out.started = row.real(at++);
  out.ended = row.real(at);
  return out;
}

LessonRecord lesson_of(const SqlRow& row) {
  LessonRecord out;
  out.id = row.integer(0);
  out.run = row.text(1);
  out.problem = row.text(2);
  out.rewrite = row.text(3);
  out.device = row.text(4);
  out.kind = parse<TimeKind>(kKinds, row.text(5));
  out.expected = row.real(6);
  out.observed = row.real(7);
  out.conditions = row.text(8);
  out.text = row.text(9);
  out.created = row.real(10);
  return out;
}

template <class Record, class Make>
Result<std::vector<Record>> records(Result<std::vector<SqlRow>> rows, Make make) {
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Record> out;
  for (const SqlRow& row : *rows) out.push_back(make(row));
  return out;
}

// Sorts by time; the tail keeps runs of one second, and of several machines, apart.
std::string new_id(double seconds, const std::string& salt) {
  const auto whole = static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(whole),
                     content_hash(fmt::format("{}/{}/{}", seconds, getpid(), salt)).substr(0, 4));
}

Result<> only_status(Result<std::vector<SqlRow>> rows) {
  if (!rows) return tl::unexpected(rows.error());
  return {};
}

}  // namespace

std::string_view name(RunState state) { return kStates[static_cast<size_t>(state)]; }
std::string_view name(TimeKind kind) { return kKinds[static_cast<size_t>(kind)]; }

Result<std::unique_ptr<Store>> Store::open(const std::string& path, Clock& clock) {
  if (const size_t slash = path.rfind('/'); slash != std::string::npos && slash != 0) {
    if (auto made = real_files().make_folder(path.substr(0, slash)); !made)
      return tl::unexpected(made.error());
  }
  auto database = Database::open(path);
  if (!database) return tl::unexpected(database.error());
  // WAL: readers never wait, a killed writer leaves a whole file. FULL: a recorded attempt survives a power
  // cut too.
  auto ready =
      (*database)->script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (ready) ready = schema::migrate(**database);
  if (!ready) return tl::unexpected(ready.error());
  return std::unique_ptr<Store>(new Store(std::move(*database), clock, true));
}

Result<std::unique_ptr<Store>> Store::open_for_reading(const std::string& path, Clock& clock) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) == 0 && !error)
    return fail(fmt::format("{} is empty: no run is stored there", path), "name another file with --store");
  auto database = Database::open(path, Database::Mode::read_only, Millis(2000));
  if (!database) return tl::unexpected(database.error());
  if (auto fine = schema::readable(**database); !fine) return tl::unexpected(fine.error());
  auto origins = (*database)->query("SELECT 1 FROM pragma_table_info('runs') WHERE name = 'imported'");
  if (!origins) return tl::unexpected(origins.error());
  return std::unique_ptr<Store>(new Store(std::move(*database), clock, !origins->empty()));
}

std::string Store::run_columns() const {
  return knows_origins_ ? std::string(kRunColumns)
                        : std::string(kRunColumns.substr(0, kRunColumns.find(", source"))) + ", '', ''";
}

Result<RunRecord> Store::begin_run(RunRecord run) {
  run.started = clock_->wall_seconds();
  run.state = RunState::running;
  for (int salt = 0;; ++salt) {
    run.id = new_id(run.started, std::to_string(salt) + run.problem);
    auto taken = database_->query("SELECT 1 FROM runs WHERE id = ?1", {run.id});
    if (!taken) return tl::unexpected(taken.error());
    if (taken->empty()) break;
  }
  if (auto done = add_run(run); !done) return tl::unexpected(done.error());
  return run;
}

Result<> Store::add_run(const RunRecord& run) {
  return only_status(database_->query(
      fmt::format("INSERT INTO runs ({}) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)",
                  kRunColumns),
      {run.id, run.problem, run.problem_path, run.problem_hash, run.options, run.device, run.folder,
       run.version, run.baselines, run.summary, std::string(name(run.state)), run.started, run.ended,
       run.source, run.imported}));
}

Result<> Store::forget_run(const std::string& run) {
  for (const char* table :
       {"exchanges WHERE run", "lessons WHERE run", "attempts WHERE run", "runs WHERE id"}) {
    auto done = database_->query(fmt::format("DELETE FROM {} = ?1", table), {run});
    if (!done) return tl::unexpected(done.error());
  }
  return {};
}

Result<> Store::set_state(const std::string& run, RunState state) {
  const double ended = state == RunState::running ? 0.0 : clock_->wall_seconds();
  return only_status(database_->query("UPDATE runs SET state = ?2, ended = ?3 WHERE id = ?1",
                                      {run, std::string(name(state)), ended}));
}

Result<> Store::set_baselines(const std::string& run, const std::string& json) {
  return only_status(database_->query("UPDATE runs SET baselines = ?2 WHERE id = ?1", {run, json}));
}

Result<> Store::set_summary(const std::string& run, const std::string& json) {
  return only_status(database_->query("UPDATE runs SET summary = ?2 WHERE id = ?1", {run, json}));
}

Result<> Store::set_folder(const std::string& run, const std::string& folder) {
  return only_status(database_->query("UPDATE runs SET folder = ?2 WHERE id = ?1", {run, folder}));
}

Result<> Store::record(const AttemptRecord& a) {
  return only_status(database_->query(
      fmt::format("INSERT OR REPLACE INTO attempts ({}) VALUES "
                  "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)",
                  kAttemptColumns),
      {a.run,           a.number,
       a.parent,        a.proposer,
       a.rewrite,       a.hypothesis,
       a.cause,         a.expected_speedup,
       a.program,       a.program_hash,
       a.kernel_hashes, a.diagnostics,
       a.build_log,     a.label,
       a.reason,        a.message,
       a.correctness,   std::string(name(a.time_kind)),
       a.time_us,       a.timing,
       a.started,       a.ended}));
}

Result<> Store::add_lesson(const LessonRecord& l) {
  return only_status(
      database_->query("INSERT INTO lessons (run, problem, rewrite, device, kind, expected, observed, "
                       "conditions, text, created) SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10 "
                       "WHERE NOT EXISTS (SELECT 1 FROM lessons WHERE run = ?1 AND text = ?9)",
                       {l.run, l.problem, l.rewrite, l.device, std::string(name(l.kind)), l.expected,
                        l.observed, l.conditions, l.text, clock_->wall_seconds()}));
}

Result<> Store::restore_lesson(const LessonRecord& l) {
  return only_status(
      database_->query("INSERT INTO lessons (run, problem, rewrite, device, kind, expected, observed, "
                       "conditions, text, created) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
                       {l.run, l.problem, l.rewrite, l.device, std::string(name(l.kind)), l.expected,
                        l.observed, l.conditions, l.text, l.created}));
}

Result<std::optional<RunRecord>> Store::run_of_id(const std::string& id) {
  auto found = records<RunRecord>(
      database_->query(fmt::format("SELECT {} FROM runs WHERE id = ?1", run_columns()), {id}), run_of);
  if (!found) return tl::unexpected(found.error());
  return found->empty() ? std::nullopt : std::optional(found->front());
}

Result<RunRecord> Store::find_run(const std::string& id) {
  const bool last = id == "last";
  auto rows = last ? database_->query(fmt::format(
                         "SELECT {} FROM runs ORDER BY started DESC, id DESC LIMIT 1", run_columns()))
                   : database_->query(
                         fmt::format("SELECT {} FROM runs WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1 "
                                     "ORDER BY id = ?1 DESC, started DESC LIMIT 3",
                                     run_columns()),
                         {id});
  auto found = records<RunRecord>(std::move(rows), run_of);
  if (!found) return tl::unexpected(found.error());
  if (found->empty()) {
    return fail(last ? std::string("no run is stored yet") : fmt::format("no run is named `{}`", id),
                last ? "start one: `ucutlass optimize PROBLEM`"
                     : "`ucutlass show` lists the runs; an unambiguous beginning is enough");
  }
  if (found->size() > 1 && found->front().id != id) {
    return fail(fmt::format("`{}` is the beginning of several runs: {}, {}{}", id, (*found)[0].id,
                            (*found)[1].id, found->size() > 2 ? ", ..." : ""),
                "give more of the id");
  }
  return found->front();
}

Result<std::vector<RunRecord>> Store::runs(size_t limit) {
  return records<RunRecord>(
      database_->query(
          fmt::format("SELECT {} FROM runs ORDER BY started DESC, id DESC LIMIT ?1", run_columns()),
          {static_cast<int64_t>(limit)}),
      run_of);
}

Result<std::optional<RunRecord>> Store::find_same(const std::string& problem_hash, const std::string& options,
                                                  std::string_view condition) {
  auto found = records<RunRecord>(
      database_->query(
          fmt::format("SELECT {} FROM runs WHERE problem_hash = ?1 AND options = ?2 AND {} "
                      "ORDER BY started DESC, id DESC LIMIT 1",
                      run_columns(), std::string(condition) + (knows_origins_ ? " AND imported = ''" : "")),
          {problem_hash, options}),
      run_of);
  if (!found) return tl::unexpected(found.error());
  return found->empty() ? std::nullopt : std::optional(found->front());
}

Result<std::optional<RunRecord>> Store::find_unfinished(const std::string& problem_hash,
                                                        const std::string& options) {
  return find_same(problem_hash, options, "state <> 'done'");
}

Result<std::optional<RunRecord>> Store::find_finished(const std::string& problem_hash,
                                                      const std::string& options) {
  return find_same(problem_hash, options, "state = 'done' AND summary <> ''");
}

Result<std::vector<AttemptRecord>> Store::attempts(const std::string& run) {
  return records<AttemptRecord>(
      database_->query(fmt::format("SELECT {} FROM attempts WHERE run = ?1 ORDER BY number", kAttemptColumns),
                       {run}),
      attempt_of);
}

Result<std::vector<LessonRecord>> Store::lessons_of(const std::string& run) {
  auto table = database_->query("SELECT 1 FROM sqlite_master WHERE name = 'lessons'");
  if (!table) return tl::unexpected(table.error());
  if (table->empty()) return std::vector<LessonRecord>{};
  return records<LessonRecord>(
      database_->query("SELECT id, run, problem, rewrite, device, kind, expected, observed, conditions, "
                       "text, created FROM lessons WHERE run = ?1 ORDER BY id",
                       {run}),
      lesson_of);
}

Result<std::vector<LessonRecord>> Store::lessons(const std::string& rewrite, size_t limit) {
  return records<LessonRecord>(
      database_->query("SELECT id, run, problem, rewrite, device, kind, expected, observed, conditions, "
                       "text, created FROM lessons "
                       "WHERE (?1 = '' OR rewrite = ?1) AND run NOT IN (SELECT id FROM runs WHERE imported "
                       "<> '') ORDER BY created DESC, id DESC LIMIT ?2",
                       {rewrite, static_cast<int64_t>(limit)}),
      lesson_of);
}

}  // namespace uc
