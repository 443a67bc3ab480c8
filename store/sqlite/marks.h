#pragma once
// Counts of marking points in the store's file.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "store/marks/mark_count.h"
#include "store/sqlite/database.h"

namespace sojourn {

/// Within the transactions of whoever holds the database, which must outlive it.
class SqliteMarks {
 public:
  explicit SqliteMarks(SqliteDatabase& database) : database_(database) {}

  /// Makes the tables where they are missing.
  Result<void> prepare();
  Result<void> write(std::span<const PointMarks> all);
  /// Marks of intervals that began before, runs that have none left, and flows that none needs.
  Result<void> drop_old(Timestamp before);
  Result<std::vector<PointMarks>> read(const std::string& point, Timestamp from, Timestamp to);
  /// The transaction was rolled back: numbers that it gave are void.
  void forget() { flows_.clear(); }

 private:
  struct KnownFlow {
    std::int64_t id = 0;
    Timestamp until{};  ///< as it is in the file
  };

  Result<std::int64_t> run_number(const PointMarks& marks);
  Result<std::int64_t> flow_number(const std::string& flow, Timestamp start);
  Result<void> read_counts(std::int64_t run, Timestamp from, Timestamp to, PointMarks& marks);

  SqliteDatabase& database_;
  std::unordered_map<std::string, KnownFlow> flows_;
};

}  // namespace sojourn
