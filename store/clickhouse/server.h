#pragma once
// One ClickHouse server, asked over HTTP.  Written for 18.16 and later: no type or function that
// either of old and new versions lacks.

#include <string>
#include <string_view>

#include "core/result.h"
#include "store/clickhouse/address.h"
#include "store/clickhouse/http_client.h"

namespace sojourn::clickhouse {

class Server {
 public:
  /// The password is read from CLICKHOUSE_PASSWORD, so that no list of processes shows it.
  Server(HostPort host, const Address& address);

  /// Does it answer at all?
  Result<void> ping() const;
  /// The rows of a select, in the format that it names.
  Result<std::string> select(const std::string& sql) const;
  Result<void> run(const std::string& sql) const;
  /// Rows as RowBinary.  `columns` in brackets, or empty for all.
  Result<void> insert(const std::string& table_and_columns, std::string_view rows) const;
  /// Outside of the database, to make it.
  Result<void> create_database() const;

  const HostPort& host() const { return host_; }

 private:
  Result<std::string> post(const std::string& query, std::string_view body, bool in_database) const;

  HostPort host_;
  std::string database_;
  std::string headers_;
};

/// As a literal in SQL, whatever bytes it holds.
std::string quoted(std::string_view text);

}  // namespace sojourn::clickhouse
