#pragma once
// Rows of a point's counts on their way into a table: as many at a time as a server takes.

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "core/result.h"
#include "core/time.h"
#include "store/clickhouse/row_binary.h"
#include "store/clickhouse/schema.h"
#include "store/clickhouse/server.h"
#include "store/clickhouse/values.h"

namespace sojourn::clickhouse {

class RowBatch {
 public:
  RowBatch(const Server& server, std::string table) : server_(server), table_(std::move(table)) {}

  RowWriter& rows() { return rows_; }
  /// A row is complete; its partition is that of this time.
  Result<void> added(Timestamp at) {
    partitions_.insert(to_ns(at) / 1'000'000'000 / clickhouse_partition_seconds[0]);
    return partitions_.size() > most_partitions || rows_.bytes().size() > most_bytes
               ? send()
               : Result<void>{};
  }
  Result<void> send() {
    if (!rows_.empty())
      if (auto sent = server_.insert(table_, rows_.bytes()); !sent) return sent;
    rows_.clear();
    partitions_.clear();
    return {};
  }

 private:
  const Server& server_;
  std::string table_;
  RowWriter rows_;
  std::set<std::int64_t> partitions_;
};

inline constexpr std::int64_t unknown_clock = -1;

inline Timestamp time_in(RowReader& in) { return timestamp_from_ns(in.number<std::int64_t>()); }

/// A table of an earlier version's store may not be there.
inline Result<bool> has_table(const Server& server, const std::string& name) {
  const auto known = server.select("exists table " + name + " format RowBinary");
  if (!known) return std::unexpected(known.error());
  return *known == std::string(1, '\1');
}

}  // namespace sojourn::clickhouse
