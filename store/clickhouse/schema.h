#pragma once
// The tables of a store in ClickHouse, the same on every shard.  Times are seconds since 1970.

#include <array>
#include <cstdint>

namespace sojourn {

/// The duration of a partition, by tier: an eighth of the retention time, since old data is dropped
/// by partition.
inline constexpr std::array<std::int64_t, 4> clickhouse_partition_seconds = {21'600, 172'800,
                                                                             864'000, 15'552'000};
inline constexpr std::int64_t clickhouse_partitions_per_tier = 10'000'000;

/// A row per cell.  A repeated insert has the same key (writer, batch): readers take the larger of
/// the two, and ReplacingMergeTree eventually removes one of them.
/// `handed_on`: its writer has also added it to the next tier.
inline constexpr const char* clickhouse_cells = R"(
create table if not exists cells (
  tier UInt8, subject String, kind UInt16, slice Int64, address FixedString(16),
  prefix_length UInt8, flow_group UInt8, bin Int32, weight Float64, squares Float64, marks UInt64,
  writer UInt64, batch UInt64, handed_on UInt8)
engine = ReplacingMergeTree()
partition by toInt64(tier) * 10000000 +
  intDiv(slice, multiIf(tier = 0, 21600, tier = 1, 172800, tier = 2, 864000, 15552000))
order by (tier, subject, kind, slice, address, prefix_length, flow_group, bin, writer, batch)
)";

/// A row per selected packet that a point has reported, for two days, on the shard of its label: so
/// all points' rows of a packet are on one shard.  Repeated inserts are equal in all columns.
inline constexpr const char* clickhouse_packets = R"(
create table if not exists packets (
  slice Int64, flow UInt64, label UInt32, point String, instance UInt64, report UInt64,
  position UInt32, is_last UInt8, selection UInt64, time_ns Int64, packets UInt64,
  address FixedString(16), prefix_length UInt8, flow_group UInt8, marks UInt64)
engine = ReplacingMergeTree() partition by intDiv(slice, 21600)
order by (slice, flow, label, point, instance, report, position, is_last)
)";

/// A row per flow and interval of a marking point, for two days, on the first shard.  What was
/// inserted twice is equal in all columns.
inline constexpr const char* clickhouse_marks = R"(
create table if not exists marks (
  point String, since_ns Int64, instance UInt64, duty String, method String, carrier String,
  exponent Int8, clock_error_ns Int64, copies UInt8, start_ns Int64, flow String, number Int64,
  read_ns Int64, doubt String, packets UInt64, pulses UInt32, pulse_ns Int64, late_ns Int64,
  early_ns Int64, middle UInt64, contrary UInt64, other UInt64, marked_before UInt64,
  repeats UInt32)
engine = ReplacingMergeTree() partition by intDiv(start_ns, 21600000000000)
order by (point, since_ns, instance, start_ns, flow, read_ns, doubt)
)";

/// A row per interval of a point that learns delays from reference packets, and one per flow in it,
/// for two days, on the first shard.  What was inserted twice is equal in all columns.
inline constexpr const char* clickhouse_reference_intervals = R"(
create table if not exists reference_intervals (
  point String, since_ns Int64, instance UInt64, every_ns Int64, clock_error_ns Int64,
  begin_ns Int64, end_ns Int64, used UInt64, lost UInt64, reordered UInt64, of_others UInt64,
  off UInt64, before_first UInt64, after_last UInt64, no_room UInt64, unread UInt64)
engine = ReplacingMergeTree() partition by intDiv(begin_ns, 21600000000000)
order by (point, since_ns, instance, begin_ns)
)";
inline constexpr const char* clickhouse_reference_flows = R"(
create table if not exists reference_flows (
  point String, since_ns Int64, instance UInt64, every_ns Int64, clock_error_ns Int64,
  begin_ns Int64, end_ns Int64, source FixedString(16), source_port UInt16,
  destination FixedString(16), destination_port UInt16, protocol UInt8, packets UInt64,
  measured UInt64, left_only UInt64, mean_ns Float64, deviation_ns Float64)
engine = ReplacingMergeTree() partition by intDiv(begin_ns, 21600000000000)
order by (point, since_ns, instance, begin_ns, source, source_port, destination, destination_port,
  protocol)
)";

/// Everything that newer rows replace: ledgers, clocks, the progress of the tiers, and which
/// batches of cells are valid.  One insert of such rows is atomic.  On the first shard only.
inline constexpr const char* clickhouse_state = R"(
create table if not exists state (
  what String, name String, number UInt64, version UInt64, text String, names Array(String),
  values Array(Int64))
engine = ReplacingMergeTree(version) order by (what, name, number)
)";

inline constexpr std::int64_t clickhouse_layout = 1;

}  // namespace sojourn
