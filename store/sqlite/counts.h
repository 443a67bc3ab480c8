#pragma once
// What the tables of marks and of reference packets have in common: runs of points, and counts.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "store/common/or_return.h"
#include "store/sqlite/database.h"

namespace sojourn {

inline std::int64_t stored_number(std::uint64_t count) { return static_cast<std::int64_t>(count); }
inline std::uint64_t count_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// Parameters 1 to 5: point, instance, since_ns, clock_error_ns, ended.
template <class Counts>
SqliteStatement& bind_run(SqliteStatement& put, const Counts& counts) {
  put.bind(1, counts.point)
      .bind(2, stored_number(counts.instance))
      .bind(3, to_ns(counts.run.since))
      .bind(5, std::int64_t{counts.run.ended});
  return counts.run.clock_error ? put.bind(4, to_ns(*counts.run.clock_error)) : put.bind_null(4);
}

/// The number of a run that is there.
inline Result<std::int64_t> stored_run(SqliteDatabase& database, std::string_view sql,
                                       const std::string& point, std::uint64_t instance) {
  auto select = database.prepare(sql);
  if (!select) return std::unexpected(select.error());
  select->bind(1, point).bind(2, stored_number(instance));
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  return select->number(0);
}

/// A statement whose one parameter is a time.
inline Result<void> run_before(SqliteDatabase& database, std::string_view sql, Timestamp before) {
  auto statement = database.prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  statement->bind(1, to_ns(before));
  return statement->run();
}

}  // namespace sojourn
