// Ageing of slices in ClickHouse: each shard adds up its own, old partitions are dropped.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "store/clickhouse/schema.h"
#include "store/clickhouse_store.h"
#include "store/common/or_return.h"
#include "store/second_values.h"

namespace sojourn {

Result<void> ClickHouseStore::merge_tiers(Timestamp now) {
  const auto changed = grow_old(
      state_, now,
      [this](std::size_t tier, Timestamp from, Timestamp to) {
        return merge_range(tier, from, to);
      },
      [this](std::size_t tier, Timestamp before) { return drop_old(tier, before); });
  if (!changed) return std::unexpected(changed.error());
  if (!*changed) return {};
  clickhouse::RowWriter rows;
  for (std::size_t tier = 0; tier < state_.tiers.size(); ++tier)
    append(rows,
           {"tier",
            {},
            tier,
            {},
            {{"merged_until", seconds_of(state_.merged_until[tier])},
             {"dropped_until", seconds_of(state_.dropped_until[tier])}}},
           ++version_);
  return first().insert("state", rows.bytes());
}

/// Repeating it gives the same rows, or larger ones if data came in between: readers take the
/// largest.  So any collector may do it, any number of times.
Result<void> ClickHouseStore::merge_range(std::size_t tier, Timestamp from, Timestamp to) {
  const std::string sql = fmt::format(
      "insert into cells select {}, subject, kind, longer, address, prefix_length, flow_group, "
      "bin, "
      "sum(w), sum(s), groupBitOr(m), toUInt64(0), toUInt64(0), toUInt8(0) from (select subject, "
      "kind, slice - (slice % {} + {}) % {} as longer, address, prefix_length, flow_group, bin, "
      "max(weight) as w, max(squares) as s, groupBitOr(marks) as m from cells where tier = {} and "
      "slice >= {} and slice < {} and handed_on = 0 and {} group by subject, kind, slice, address, "
      "prefix_length, flow_group, bin, writer, batch) group by subject, kind, longer, address, "
      "prefix_length, flow_group, bin",
      tier + 1, seconds_of(Timestamp{state_.tiers[tier + 1].slice}),
      seconds_of(Timestamp{state_.tiers[tier + 1].slice}),
      seconds_of(Timestamp{state_.tiers[tier + 1].slice}), tier, seconds_of(from), seconds_of(to),
      valid_batches());
  for (const clickhouse::Server& shard : shards_) SOJOURN_OR_RETURN(shard.run(sql));
  return {};
}

/// Another collector may have merged since this one's last batch without knowing of it: the
/// affected slices are merged again.
Result<void> ClickHouseStore::merge_what_others_missed() {
  const TierState before = state_;
  SOJOURN_OR_RETURN(load_state());
  if (batch_ == 0) return {};
  for (std::size_t tier = 0; tier + 1 < state_.tiers.size(); ++tier) {
    const Timestamp from = std::max(before.merged_until[tier],
                                    slice_of(earliest_in_batch_, state_.tiers[tier + 1].slice));
    if (from < state_.merged_until[tier])
      SOJOURN_OR_RETURN(merge_range(tier, from, state_.merged_until[tier]));
  }
  return {};
}

Result<void> ClickHouseStore::drop_old(std::size_t tier, Timestamp until) {
  const std::int64_t length = clickhouse_partition_seconds[tier];
  const std::int64_t base = static_cast<std::int64_t>(tier) * clickhouse_partitions_per_tier;
  const std::int64_t half = clickhouse_partitions_per_tier / 2;
  const auto is_old = [&](std::int64_t place) { return (place + 1) * length <= seconds_of(until); };
  SOJOURN_OR_RETURN(drop_partitions("cells", base - half, base + half,
                                    [&](std::int64_t each) { return is_old(each - base); }));
  // Packets, marks and references are kept as long as the finest slices.
  if (tier > 0) return {};
  for (const char* table : {"marks", "reference_intervals", "reference_flows"})
    SOJOURN_OR_RETURN(drop_partitions(table, -half, half, is_old));
  return drop_partitions("packets", -half, half, is_old);
}

/// The old partitions from `first` to `last`, on every shard.
Result<void> ClickHouseStore::drop_partitions(const std::string& table, std::int64_t first_number,
                                              std::int64_t last_number,
                                              const std::function<bool(std::int64_t)>& is_old) {
  for (const clickhouse::Server& shard : shards_) {
    const auto bytes = shard.select(
        fmt::format("select distinct partition from system.parts where database = {} and table = "
                    "{} and active format RowBinary",
                    clickhouse::quoted(address_.database), clickhouse::quoted(table)));
    if (!bytes) return std::unexpected(bytes.error());
    clickhouse::RowReader in{*bytes};
    while (!in.done()) {
      const std::string name = in.text();
      std::int64_t partition = 0;
      std::from_chars(name.data(), name.data() + name.size(), partition);
      if (partition < first_number || partition > last_number || !is_old(partition)) continue;
      SOJOURN_OR_RETURN(shard.run("alter table " + table + " drop partition " + name));
    }
  }
  return {};
}

}  // namespace sojourn
