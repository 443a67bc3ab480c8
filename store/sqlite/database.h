#pragma once
// RAII wrappers for SQLite's C interface, with errors as a Result.  Compiled only if SQLite is
// available.

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

/// A prepared statement.  Parameters count from 1, columns from 0.
class SqliteStatement {
 public:
  SqliteStatement() = default;
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  SqliteStatement& bind(int at, std::int64_t value) {
    sqlite3_bind_int64(statement_.get(), at, value);
    return *this;
  }
  SqliteStatement& bind(int at, std::string_view text) {
    sqlite3_bind_text(statement_.get(), at, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
    return *this;
  }
  SqliteStatement& bind(int at, std::span<const std::uint8_t> bytes) {
    sqlite3_bind_blob(statement_.get(), at, bytes.data(), static_cast<int>(bytes.size()),
                      SQLITE_STATIC);
    return *this;
  }
  SqliteStatement& bind_real(int at, double value) {
    sqlite3_bind_double(statement_.get(), at, value);
    return *this;
  }
  SqliteStatement& bind_null(int at) {
    sqlite3_bind_null(statement_.get(), at);
    return *this;
  }

  /// True while there is a row.
  Result<bool> step() {
    const int status = sqlite3_step(statement_.get());
    if (status == SQLITE_ROW) return true;
    if (status == SQLITE_DONE) return false;
    Error error{sqlite3_errmsg(sqlite3_db_handle(statement_.get()))};
    sqlite3_reset(statement_.get());
    return std::unexpected(error);
  }
  /// Runs to the end and ignores rows.  Can be bound again afterwards.
  Result<void> run() {
    while (true) {
      const auto row = step();
      if (!row) return std::unexpected(row.error());
      if (!*row) break;
    }
    reset();
    return {};
  }
  void reset() { sqlite3_reset(statement_.get()); }

  std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double real(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  std::string text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    return bytes ? std::string{reinterpret_cast<const char*>(bytes),
                               static_cast<std::size_t>(
                                   sqlite3_column_bytes(statement_.get(), column))}
                 : std::string{};
  }
  std::span<const std::uint8_t> bytes(int column) const {
    return {static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column)),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteDatabase {
 public:
  static Result<SqliteDatabase> open(const std::string& path, int flags) {
    sqlite3* raw = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    SqliteDatabase database{raw};
    if (status != SQLITE_OK) return failure(raw ? sqlite3_errmsg(raw) : "out of memory");
    sqlite3_busy_timeout(raw, 10'000);
    return database;
  }

  Result<SqliteStatement> prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
      return failure(sqlite3_errmsg(database_.get()));
    return SqliteStatement{statement};
  }
  Result<void> run(const char* sql) {
    char* message = nullptr;
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
    Error error{message ? message : sqlite3_errmsg(database_.get())};
    sqlite3_free(message);
    return std::unexpected(error);
  }
  Result<std::int64_t> number(std::string_view sql) {
    auto statement = prepare(sql);
    if (!statement) return std::unexpected(statement.error());
    const auto row = statement->step();
    if (!row) return std::unexpected(row.error());
    return *row ? statement->number(0) : 0;
  }
  Result<bool> has_table(std::string_view name) {
    auto select = prepare("select count(*) from sqlite_master where name = ?");
    if (!select) return std::unexpected(select.error());
    select->bind(1, name);
    const auto row = select->step();
    if (!row) return std::unexpected(row.error());
    return select->number(0) > 0;
  }
  int changes() const { return sqlite3_changes(database_.get()); }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(database_.get()); }

 private:
  explicit SqliteDatabase(sqlite3* database) : database_(database) {}
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace sojourn
