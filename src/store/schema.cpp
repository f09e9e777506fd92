#include "store/schema.h"

#include <array>
#include <fmt/format.h>

namespace uc::schema {
namespace {

// Never edit a step that has shipped: add one.
constexpr std::array<std::string_view, 5> kMigrations{
    R"sql(
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  problem TEXT NOT NULL,
  problem_path TEXT NOT NULL,
  problem_hash TEXT NOT NULL,
  options TEXT NOT NULL,
  device TEXT NOT NULL,
  folder TEXT NOT NULL,
  version TEXT NOT NULL,
  baselines TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL,
  started REAL NOT NULL,
  ended REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_work ON runs (problem_hash, options, started);
CREATE TABLE attempts (
  run TEXT NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  proposer TEXT NOT NULL,
  rewrite TEXT NOT NULL,
  hypothesis TEXT NOT NULL,
  cause TEXT NOT NULL,
  expected_speedup REAL NOT NULL,
  program TEXT NOT NULL,
  program_hash TEXT NOT NULL,
  kernel_hashes TEXT NOT NULL,
  diagnostics TEXT NOT NULL,
  build_log TEXT NOT NULL,
  label TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  correctness TEXT NOT NULL,
  time_kind TEXT NOT NULL,
  time_us REAL NOT NULL,
  timing TEXT NOT NULL,
  started REAL NOT NULL,
  ended REAL NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_program ON attempts (program_hash);
)sql",
    R"sql(
CREATE TABLE lessons (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  problem TEXT NOT NULL,
  rewrite TEXT NOT NULL,
  device TEXT NOT NULL,
  kind TEXT NOT NULL,
  expected REAL NOT NULL,
  observed REAL NOT NULL,
  conditions TEXT NOT NULL,
  text TEXT NOT NULL,
  created REAL NOT NULL
) STRICT;
CREATE INDEX lessons_by_rewrite ON lessons (rewrite, created);
)sql",
    R"sql(
CREATE TABLE exchanges (
  run TEXT NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  kind TEXT NOT NULL,
  model TEXT NOT NULL,
  request TEXT NOT NULL,
  response TEXT NOT NULL,
  failure TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  answer_tokens INTEGER NOT NULL,
  usd REAL NOT NULL,
  estimated INTEGER NOT NULL,
  started REAL NOT NULL,
  ended REAL NOT NULL,
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
)sql",
    R"sql(
ALTER TABLE runs ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN imported TEXT NOT NULL DEFAULT '';
)sql",
    R"sql(
CREATE TABLE decisions (
  sweep TEXT NOT NULL,
  number INTEGER NOT NULL,
  policy TEXT NOT NULL,
  run TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  time_us REAL NOT NULL,
  cost REAL NOT NULL,
  PRIMARY KEY (sweep, number)
) STRICT, WITHOUT ROWID;
)sql"};

Result<int64_t> pragma(Database& database, std::string_view which) {
  auto rows = database.query(fmt::format("PRAGMA {}", which));
  if (!rows) return tl::unexpected(rows.error());
  return rows->empty() ? 0 : rows->front().integer(0);
}

Result<bool> is_empty(Database& database) {
  auto rows = database.query("SELECT count(*) FROM sqlite_master");
  if (!rows) return tl::unexpected(rows.error());
  return rows->front().integer(0) == 0;
}

// Errors: a database of another program, or of a newer version of this one.
Result<> ours(Database& database, int64_t application, int64_t version, bool may_be_new) {
  if (application != kApplicationId) {
    const auto empty = is_empty(database);
    if (!empty) return tl::unexpected(empty.error());
    if (!may_be_new || !*empty || application != 0 || version != 0) {
      return fail(fmt::format("{} is a database of another program", database.path()),
                  "name another file with --store");
    }
  }
  const auto newest = static_cast<int64_t>(kMigrations.size());
  if (version > newest) {
    return fail(fmt::format("{} was written by a newer ucutlass (schema {}, this one knows {})",
                            database.path(), version, newest),
                "use that version, or name another file with --store");
  }
  return {};
}

// Within the write lock: another process may have migrated while this one waited.
Result<> migrate_locked(Database& database) {
  const auto application = pragma(database, "application_id");
  if (!application) return tl::unexpected(application.error());
  const auto version = pragma(database, "user_version");
  if (!version) return tl::unexpected(version.error());
  if (auto fine = ours(database, *application, *version, true); !fine) return fine;
  const auto newest = static_cast<int64_t>(kMigrations.size());
  for (int64_t at = *version; at < newest; ++at) {
    if (auto done = database.script(std::string(kMigrations[static_cast<size_t>(at)])); !done) return done;
  }
  if (*version == newest) return {};
  return database.script(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
}

}  // namespace

std::span<const std::string_view> migrations() { return kMigrations; }

Result<> readable(Database& database) {
  const auto application = pragma(database, "application_id");
  if (!application) return tl::unexpected(application.error());
  const auto version = pragma(database, "user_version");
  if (!version) return tl::unexpected(version.error());
  return ours(database, *application, *version, false);
}

Result<> migrate(Database& database) {
  const auto application = pragma(database, "application_id");
  const auto version = pragma(database, "user_version");
  if (application && version && *application == kApplicationId &&
      *version == static_cast<int64_t>(kMigrations.size()))
    return {};
  auto transaction = Transaction::begin(database);
  if (!transaction) return tl::unexpected(transaction.error());
  if (auto done = migrate_locked(database); !done) return done;
  return transaction->commit();
}

}  // namespace uc::schema
