#pragma once
// Delays by reference packets in the store's file.

#include <cstdint>
#include <span>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "store/references/reference_visitor.h"
#include "store/sqlite/database.h"

namespace sojourn {

/// Within the transactions of whoever holds the database, which must outlive it.
class SqliteReferences {
 public:
  explicit SqliteReferences(SqliteDatabase& database) : database_(database) {}

  /// Makes the tables where they are missing.
  Result<void> prepare();
  Result<void> write(std::span<const PointReferences> all);
  /// Intervals that began before, and runs that have none left.
  Result<void> drop_old(Timestamp before);
  Result<void> read(const ReferenceQuestion& question, const ReferenceVisitor& visit);

 private:
  Result<std::int64_t> run_number(const PointReferences& references);
  Result<void> read_run(std::int64_t run, const ReferenceQuestion& question,
                        PointReferences& references, const ReferenceVisitor& visit);

  SqliteDatabase& database_;
};

}  // namespace sojourn
