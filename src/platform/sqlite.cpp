#include "platform/sqlite.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/text.h"
#include "platform/files.h"

namespace uc {
namespace {

// What a failed SQLite call means to a user.
Error sql_error(std::string_view doing, const std::string& path, int code, int system_errno,
                const char* detail) {
  const std::string at = fmt::format("cannot {} {}", doing, path);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {at + ": no space left on device",
              "free some space and run the command again; what was stored before is safe", 1};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {at + ": another process keeps it locked",
              "wait until the other ucutlass process is done, or use another file with --store", 1};
    case SQLITE_NOTADB:
      return {at + ": the file is not a database", "name another file with --store, or move this one away",
              1};
    case SQLITE_CORRUPT:
      return {at + ": the database is damaged",
              "move the file away, or rescue what is readable with `sqlite3 FILE .recover`", 1};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {at + ": it may not be written",
              "change the file's permissions, or name another file with --store", 1};
    case SQLITE_CANTOPEN:
      return {at + ": it cannot be opened",
              "check that the folder exists and may be written, or name another file with --store", 1};
    case SQLITE_IOERR:
      if (system_errno == ENOSPC || system_errno == EDQUOT)
        return sql_error(doing, path, SQLITE_FULL, 0, detail);
      return {fmt::format("{}: input/output error ({})", at, detail),
              "check the disk, or name another file with --store", 1};
    default: return {fmt::format("{}: {}", at, detail), "name another file with --store", 1};
  }
}

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  ~SqliteDatabase() override { sqlite3_close_v2(handle_); }
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Result<> script(const std::string& sql) override {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return tl::unexpected(error());
  }

  Result<std::vector<SqlRow>> query(std::string_view sql, const std::vector<SqlValue>& values) override {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
        SQLITE_OK) {
      return tl::unexpected(error());
    }
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(statement, &sqlite3_finalize);
    for (size_t i = 0; i < values.size(); ++i) {
      if (bind(statement, static_cast<int>(i) + 1, values[i]) != SQLITE_OK) return tl::unexpected(error());
    }
    std::vector<SqlRow> rows;
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) rows.push_back(row_of(statement));
    if (code != SQLITE_DONE) return tl::unexpected(error());
    return rows;
  }

  const std::string& path() const override { return path_; }

 private:
  Error error() const {
    return sql_error("use", path_, sqlite3_extended_errcode(handle_), sqlite3_system_errno(handle_),
                     sqlite3_errmsg(handle_));
  }

  static int bind(sqlite3_stmt* statement, int at, const SqlValue& value) {
    if (const auto* whole = std::get_if<int64_t>(&value)) return sqlite3_bind_int64(statement, at, *whole);
    if (const auto* number = std::get_if<double>(&value)) return sqlite3_bind_double(statement, at, *number);
    if (const auto* text = std::get_if<std::string>(&value)) {
      return sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    }
    return sqlite3_bind_null(statement, at);
  }

  static SqlRow row_of(sqlite3_stmt* statement) {
    std::vector<SqlValue> out;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      switch (sqlite3_column_type(statement, i)) {
        case SQLITE_INTEGER:
          out.emplace_back(static_cast<int64_t>(sqlite3_column_int64(statement, i)));
          break;
        case SQLITE_FLOAT: out.emplace_back(sqlite3_column_double(statement, i)); break;
        case SQLITE_NULL: out.emplace_back(nullptr); break;
        default: {
          const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, i));
          out.emplace_back(std::string(bytes == nullptr ? "" : bytes,
                                       static_cast<size_t>(sqlite3_column_bytes(statement, i))));
        }
      }
    }
    return SqlRow(std::move(out));
  }

  sqlite3* handle_;
  std::string path_;
};

// A file without a log beside it is whole. Read as one that nobody changes it needs no lock and no files
// beside it, so a folder that may not be written does.
std::string address_of(const std::string& path, Database::Mode mode) {
  struct stat log{};
  const bool whole = ::stat((path + "-wal").c_str(), &log) != 0 || log.st_size == 0;
  std::string out = "file:";
  for (const char c : path) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '_' || c == '-';
    out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return mode == Database::Mode::read_only && whole ? out + "?immutable=1" : out;
}

}  // namespace

int64_t SqlRow::integer(size_t column) const {
  if (const auto* whole = std::get_if<int64_t>(&values_[column])) return *whole;
  if (const auto* number = std::get_if<double>(&values_[column])) return to_integer(*number);
  if (const auto* text = std::get_if<std::string>(&values_[column]))
    return std::strtoll(text->c_str(), nullptr, 10);
  return 0;
}

double SqlRow::real(size_t column) const {
  if (const auto* number = std::get_if<double>(&values_[column])) return *number;
  if (const auto* text = std::get_if<std::string>(&values_[column]))
    return std::strtod(text->c_str(), nullptr);
  return static_cast<double>(integer(column));
}

std::string SqlRow::text(size_t column) const {
  if (const auto* text = std::get_if<std::string>(&values_[column])) return *text;
  if (const auto* number = std::get_if<double>(&values_[column])) return shortest_float(*number);
  return null(column) ? std::string() : std::to_string(integer(column));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode, Millis patience) {
  sqlite3* handle = nullptr;
  const int flags =
      mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(address_of(path, mode).c_str(), &handle, flags | SQLITE_OPEN_URI, nullptr);
  auto database = std::make_unique<SqliteDatabase>(handle, path);
  if (code != SQLITE_OK) {
    const int system = handle == nullptr ? 0 : sqlite3_system_errno(handle);
    return tl::unexpected(sql_error("open", path, code, system, sqlite3_errstr(code)));
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(patience.count()));
  // The first read tells whether the file is a database at all.
  if (auto first = database->query("SELECT count(*) FROM sqlite_master", {}); !first)
    return tl::unexpected(first.error());
  return std::unique_ptr<Database>(std::move(database));
}

Result<Transaction> Transaction::begin(Database& database) {
  if (auto begun = database.script("BEGIN IMMEDIATE"); !begun) return tl::unexpected(begun.error());
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->script("ROLLBACK");
}

Result<> Transaction::commit() {
  auto done = database_->script("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace uc
