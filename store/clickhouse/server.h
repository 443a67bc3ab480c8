#pragma once
// One ClickHouse server, queried over HTTP.  For 18.16 and later: uses only types and functions
// that old and new versions have.

#include <string>
#include <string_view>

#include "core/result.h"
#include "store/clickhouse/address.h"
#include "store/clickhouse/http_client.h"

namespace sojourn::clickhouse {

class Server {
 public:
  /// The password is read from CLICKHOUSE_PASSWORD, so that it is not visible in the process list.
  Server(HostPort host, const Address& address);

  /// Whether it responds.
  Result<void> ping() const;
  /// The rows of a select, in the format that it names.
  Result<std::string> select(const std::string& sql) const;
  Result<void> run(const std::string& sql) const;
  /// Rows as RowBinary.  `columns` in brackets, or empty for all.
  Result<void> insert(const std::string& table_and_columns, std::string_view rows) const;
  /// Without selecting the database, to create it.
  Result<void> create_database() const;

  const HostPort& host() const { return host_; }

 private:
  Result<std::string> post(const std::string& query, std::string_view body, bool in_database) const;

  HostPort host_;
  std::string database_;
  std::string headers_;
};

/// As a literal in SQL, for any bytes.
std::string quoted(std::string_view text);

}  // namespace sojourn::clickhouse
