#pragma once
// Why: what a run found must outlive any crash of it, so it goes into SQLite; this is the little of SQLite
// that we use, with errors that say what to do. The library's header stays inside sqlite.cpp.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "platform/clock.h"

namespace uc {

using SqlValue = std::variant<std::nullptr_t, int64_t, double, std::string>;

/// One row of an answer; reading a column as another type converts as SQLite does, and NULL reads as 0 or
/// empty.
class SqlRow {
 public:
  explicit SqlRow(std::vector<SqlValue> values) : values_(std::move(values)) {}
  bool null(size_t column) const { return std::holds_alternative<std::nullptr_t>(values_[column]); }
  int64_t integer(size_t column) const;
  double real(size_t column) const;
  std::string text(size_t column) const;
  size_t size() const { return values_.size(); }

 private:
  std::vector<SqlValue> values_;
};

/// An open database file. Not for several threads at once.
class Database {
 public:
  enum class Mode : uint8_t { read_write, read_only };
  /// Opens, or creates, the file. Other processes that write are waited for, `patience` at most. Read-only, a
  /// file whose log is empty is read as it lies: nothing is written beside it.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode = Mode::read_write,
                                                Millis patience = Millis(10000));
  virtual ~Database() = default;
  /// Runs statements without parameters or answers, separated by semicolons.
  virtual Result<> script(const std::string& sql) = 0;
  /// Runs one statement; `?1`, `?2`, ... are bound from `values`.
  virtual Result<std::vector<SqlRow>> query(std::string_view sql,
                                            const std::vector<SqlValue>& values = {}) = 0;
  virtual const std::string& path() const = 0;
};

/// A transaction that takes the write lock at once; undone unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace uc
