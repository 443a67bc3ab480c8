#ifdef SOJOURN_WITH_SQLITE
// Ageing of slices: merged into longer ones, and dropped after their retention time.

#include <algorithm>

#include "store/common/or_return.h"
#include "store/second_values.h"
#include "store/sqlite_store.h"

namespace sojourn {

Result<std::vector<SqliteStore::Series>> SqliteStore::all_series() {
  auto select = database_.prepare("select subject, kind from series");
  if (!select) return std::unexpected(select.error());
  std::vector<Series> all;
  while (true) {
    const auto row = select->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return all;
    all.push_back({select->number(0), select->number(1)});
  }
}

Result<void> SqliteStore::merge_tiers(Timestamp now) {
  const auto changed = grow_old(
      state_, now,
      [this](std::size_t tier, Timestamp from, Timestamp to) {
        return merge_range(tier, from, to);
      },
      [this](std::size_t tier, Timestamp before) { return drop_old(tier, before); });
  if (!changed) return std::unexpected(changed.error());
  if (!*changed) return {};
  for (std::size_t tier = 0; tier < state_.tiers.size(); ++tier) {
    auto put = database_.prepare("insert or replace into tiers values (?, ?, ?)");
    if (!put) return std::unexpected(put.error());
    put->bind(1, static_cast<std::int64_t>(tier))
        .bind(2, seconds_of(state_.merged_until[tier]))
        .bind(3, seconds_of(state_.dropped_until[tier]));
    SOJOURN_OR_RETURN(put->run());
  }
  return {};
}

Result<void> SqliteStore::merge_range(std::size_t tier, Timestamp from, Timestamp to) {
  const auto series = all_series();
  if (!series) return std::unexpected(series.error());
  for (const Series& each : *series) SOJOURN_OR_RETURN(merge_series(tier, each, from, to));
  return {};
}

/// One long slice after the other, so that memory is bounded by one slice's prefixes.
Result<void> SqliteStore::merge_series(std::size_t tier, const Series& series, Timestamp from,
                                       Timestamp to) {
  const Duration longer = state_.tiers[tier + 1].slice;
  std::map<std::int64_t, CellBlock> blocks;  // by prefix
  std::optional<Timestamp> current;
  const auto put_away = [&]() -> Result<void> {
    for (const auto& [prefix, block] : blocks)
      SOJOURN_OR_RETURN(add_block(tier + 1, series, *current, prefix, block));
    blocks.clear();
    return {};
  };
  select_range_.bind(1, static_cast<std::int64_t>(tier))
      .bind(2, series.subject)
      .bind(3, series.kind)
      .bind(4, seconds_of(from))
      .bind(5, seconds_of(to));
  CellBlock block;
  while (true) {
    const auto row = select_range_.step();
    if (!row) return std::unexpected(row.error());
    if (!*row) break;
    const Timestamp slice = slice_of(at_second(select_range_.number(0)), longer);
    if (current && slice != *current)
      if (auto done = put_away(); !done) {
        select_range_.reset();
        return done;
      }
    current = slice;
    const auto bytes = select_range_.bytes(2);
    if (!decode(bytes.data(), bytes.size(), block)) {
      select_range_.reset();
      return failure("a block of cells is damaged");
    }
    blocks[select_range_.number(1)].add(block);
  }
  select_range_.reset();
  return put_away();
}

Result<void> SqliteStore::drop_old(std::size_t tier, Timestamp until) {
  const auto series = all_series();
  if (!series) return std::unexpected(series.error());
  auto drop = database_.prepare(
      "delete from blocks where tier = ? and subject = ? and kind = ? and slice < ?");
  if (!drop) return std::unexpected(drop.error());
  for (const Series& each : *series) {
    drop->bind(1, static_cast<std::int64_t>(tier))
        .bind(2, each.subject)
        .bind(3, each.kind)
        .bind(4, seconds_of(until));
    SOJOURN_OR_RETURN(drop->run());
  }
  return {};
}

}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
