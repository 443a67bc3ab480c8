#pragma once
// The servers of a store's name: clickhouse://user@host1:8123,host2/database

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse.h"
#include "core/result.h"

namespace sojourn::clickhouse {

inline constexpr std::uint16_t usual_port = 8123;

struct Address {
  std::vector<HostPort> shards;  ///< at least one; the first one also keeps the ledgers
  std::string database;
  std::string user;  ///< empty: the server's default

  static constexpr std::string_view scheme = "clickhouse://";
  /// The name of a database is letters, digits and '_', so it needs no quotes in SQL.
  static Result<Address> parse(std::string_view text);
};

}  // namespace sojourn::clickhouse
