#include "store/clickhouse_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/hash.h"
#include "core/kind.h"
#include "store/clickhouse/marks.h"
#include "store/clickhouse/references.h"
#include "store/clickhouse/schema.h"
#include "store/clickhouse/values.h"
#include "store/common/or_return.h"
#include "store/second_values.h"

namespace sojourn {
namespace {

std::int64_t partition_of(std::size_t tier, Timestamp slice) {
  return static_cast<std::int64_t>(tier) * clickhouse_partitions_per_tier +
         seconds_of(slice) / clickhouse_partition_seconds[tier];
}

struct CellOrigin {
  std::uint64_t writer, batch;
  bool handed_on;
};

/// Rows for one shard.
struct CellInsert {
  clickhouse::RowWriter rows;
  std::set<std::int64_t> partitions;

  bool large() const {
    return partitions.size() > most_partitions || rows.bytes().size() > most_bytes;
  }
  void add(std::size_t tier, const std::string& subject, const CellSeries& series,
           const CellBlock& block, const CellOrigin& origin) {
    partitions.insert(partition_of(tier, series.slice));
    const std::string address = sixteen_bytes(series.prefix);
    for (const HistogramCell& cell : block.cells)
      rows.number(static_cast<std::uint8_t>(tier))
          .text(subject)
          .number(static_cast<std::uint16_t>(kind_number(series.measure, series.leg)))
          .number(seconds_of(series.slice))
          .fixed(address)
          .number(series.prefix_length)
          .number(cell.flow_group)
          .number(cell.bin)
          .number(cell.weight)
          .number(cell.squares)
          .number(block.marks[cell.flow_group])
          .number(origin.writer)
          .number(origin.batch)
          .number(static_cast<std::uint8_t>(origin.handed_on));
  }
};

}  // namespace

ClickHouseStore::ClickHouseStore(clickhouse::Address address) : address_(std::move(address)) {
  for (const HostPort& host : address_.shards) shards_.emplace_back(host, address_);
}

Result<std::unique_ptr<Store>> ClickHouseStore::open(const std::string& name, bool to_write) {
  auto address = clickhouse::Address::parse(name);
  if (!address) return std::unexpected(address.error());
  std::unique_ptr<ClickHouseStore> store{new ClickHouseStore{std::move(*address)}};
  if (to_write) {
    std::random_device random;
    do store->writer_ = static_cast<std::uint64_t>(random()) << 32 | random();
    while (store->writer_ == 0);
  }
  if (auto made = store->prepare_schema(to_write); !made)
    return std::unexpected(made.error().while_doing("cannot use " + name));
  if (auto loaded = store->load_state(); !loaded)
    return std::unexpected(loaded.error().while_doing("cannot read " + name));
  return store;
}

Result<void> ClickHouseStore::prepare_schema(bool may_create) {
  for (const clickhouse::Server& shard : shards_) {
    if (!may_create) {
      const auto tables = shard.select("exists table state format RowBinary");
      if (!tables) return std::unexpected(tables.error());
      if (*tables != std::string(1, '\1'))
        return failure(
            fmt::format("{}: there is no store: a collector makes one", shard.host().to_string()));
      continue;
    }
    SOJOURN_OR_RETURN(shard.create_database());
    SOJOURN_OR_RETURN(shard.run(clickhouse_cells));
    SOJOURN_OR_RETURN(shard.run(clickhouse_packets));
    SOJOURN_OR_RETURN(shard.run(clickhouse_marks));
    SOJOURN_OR_RETURN(shard.run(clickhouse_reference_intervals));
    SOJOURN_OR_RETURN(shard.run(clickhouse_reference_flows));
    SOJOURN_OR_RETURN(shard.run(clickhouse_state));
  }
  const auto layout = state_of("layout");
  if (!layout) return std::unexpected(layout.error());
  if (!layout->empty()) {
    const auto version = (*layout)[0]["version"], shards = (*layout)[0]["shards"];
    if (version != clickhouse_layout)
      return failure(fmt::format("its layout has version {}, this program knows version {}",
                                 version.value_or(0), clickhouse_layout));
    // If one were left out, its cells would be missing in every answer.
    if (shards && *shards > static_cast<std::int64_t>(shards_.size()))
      return failure(
          fmt::format("it was written to {} shards; name all of them, in the same order", *shards));
  }
  if (!may_create) return {};
  clickhouse::RowWriter rows;
  append(rows,
         {"layout",
          {},
          0,
          {},
          {{"version", clickhouse_layout}, {"shards", static_cast<std::int64_t>(shards_.size())}}},
         1 + shards_.size());
  return first().insert("state", rows.bytes());
}

std::size_t ClickHouseStore::shard_of(const std::string& subject, const CellSeries& series) const {
  const std::string key = subject + sixteen_bytes(series.prefix);
  std::uint64_t hash = series.prefix_length;
  for (const char each : key) {
    hash ^= static_cast<unsigned char>(each);
    hash = split_mix(hash);
  }
  return hash % shards_.size();
}

Result<void> ClickHouseStore::write(const StoreWrite& write) {
  // All of them, before any cell is sent: while one is down, nothing has to be declared void.
  for (const clickhouse::Server& shard : shards_) SOJOURN_OR_RETURN(shard.ping());
  SOJOURN_OR_RETURN(merge_what_others_missed());
  SOJOURN_OR_RETURN(merge_tiers(write.now));
  ++batch_;
  version_ = std::max(version_ + 1, static_cast<std::uint64_t>(to_ns(write.now)));
  auto done = send_packets(write);
  if (done) done = clickhouse::send_marks(first(), write.marks);
  if (done) done = clickhouse::send_references(first(), write.references);
  if (done) done = send_cells(write);
  if (done) done = commit(write);
  if (!done) void_batches_.insert(batch_);
  return done;
}

Result<void> ClickHouseStore::send_cells(const StoreWrite& write) {
  std::vector<CellInsert> inserts(shards_.size());
  const auto send = [&](std::size_t shard) -> Result<void> {
    if (!inserts[shard].rows.empty())
      SOJOURN_OR_RETURN(shards_[shard].insert("cells", inserts[shard].rows.bytes()));
    inserts[shard] = {};
    return {};
  };
  const auto put = [&](std::size_t tier, const CellSeries& series,
                       const CellBlock& block) -> Result<void> {
    if (tier + 1 < state_.tiers.size() && series.slice < state_.dropped_until[tier]) return {};
    const std::string& subject = write.subjects[series.subject];
    const std::size_t shard = shard_of(subject, series);
    inserts[shard].add(tier, subject, series, block, {writer_, batch_, is_merged(tier, series)});
    return inserts[shard].large() ? send(shard) : Result<void>{};
  };
  earliest_in_batch_ = Timestamp::max();
  // A late one goes to every tier into which its slice has already been merged.  Those of one
  // longer slice are added up first: a batch has one row for each cell.
  std::map<std::pair<std::size_t, CellSeries>, CellBlock> late;
  for (const auto& [series, block] : write.blocks) {
    earliest_in_batch_ = std::min(earliest_in_batch_, series.slice);
    SOJOURN_OR_RETURN(put(0, series, block));
    for (std::size_t tier = 0; is_merged(tier, series); ++tier) {
      CellSeries longer = series;
      longer.slice = slice_of(series.slice, state_.tiers[tier + 1].slice);
      late[{tier + 1, longer}].add(block);
    }
  }
  for (const auto& [where, block] : late) SOJOURN_OR_RETURN(put(where.first, where.second, block));
  for (std::size_t shard = 0; shard < shards_.size(); ++shard) SOJOURN_OR_RETURN(send(shard));
  return {};
}

/// One insert: the batch becomes valid together with these ledgers.
Result<void> ClickHouseStore::commit(const StoreWrite& write) {
  clickhouse::RowWriter rows;
  append(rows, own_batches(), version_);
  append(rows,
         {"age",
          {},
          0,
          {},
          {{"written_ns", to_ns(write.now)}, {"judged_until_ns", to_ns(write.judged_until)}}},
         version_);
  for (const PointLedger& ledger : write.ledgers) append(rows, ledger_row(ledger), version_);
  for (const SegmentClock& clock : write.clocks) {
    StateRow row{"clock",
                 write.subjects[clock.subject],
                 static_cast<std::uint64_t>(seconds_of(clock.slice)),
                 {},
                 {}};
    if (clock.error_ns) row.values.emplace_back("error_ns", *clock.error_ns);
    if (clock.offset_low_ns) row.values.emplace_back("offset_low_ns", *clock.offset_low_ns);
    if (clock.offset_high_ns) row.values.emplace_back("offset_high_ns", *clock.offset_high_ns);
    append(rows, row, version_);
  }
  std::set<std::pair<std::string, std::uint16_t>> fresh;
  for (const auto& [series, block] : write.blocks) {
    const auto kind = static_cast<std::uint16_t>(kind_number(series.measure, series.leg));
    const std::pair key{write.subjects[series.subject], kind};
    if (!known_series_.contains(key) && fresh.insert(key).second)
      append(rows, {"series", key.first, kind, {}, {}}, version_);
  }
  SOJOURN_OR_RETURN(first().insert("state", rows.bytes()));
  known_series_.merge(fresh);
  return {};
}

Result<std::vector<PointMarks>> ClickHouseStore::marks(const std::string& point, Timestamp from,
                                                       Timestamp to) {
  return clickhouse::read_marks(first(), point, from, to);
}

Result<void> ClickHouseStore::references(const ReferenceQuestion& question,
                                         const ReferenceVisitor& visit) {
  return clickhouse::read_references(first(), question, visit);
}

Result<void> ClickHouseStore::read(const StoreRead& read, const BlockVisitor& visit) {
  SOJOURN_OR_RETURN(load_state());
  for (const TierRange& range : cover(state_, read.from, read.to, read.longest_slice))
    for (const clickhouse::Server& shard : shards_)
      SOJOURN_OR_RETURN(read_range(shard, read, range, visit));
  return {};
}

Result<void> ClickHouseStore::read_range(const clickhouse::Server& shard, const StoreRead& read,
                                         const TierRange& range, const BlockVisitor& visit) {
  const auto rows = shard.select(fmt::format(
      "select kind, slice, address, prefix_length, flow_group, bin, sum(w), sum(s), groupBitOr(m) "
      "from (select kind, slice, address, prefix_length, flow_group, bin, max(weight) as w, "
      "max(squares) as s, groupBitOr(marks) as m from cells where tier = {} and subject = {} and "
      "kind >= {} and kind < {} and slice >= {} and slice < {} and {} "
      "group by kind, slice, address, prefix_length, flow_group, bin, writer, batch) "
      "group by kind, slice, address, prefix_length, flow_group, bin "
      "order by kind, slice, address, prefix_length, flow_group, bin format RowBinary",
      range.tier, clickhouse::quoted(read.subject), kind_number(read.measure, 0),
      kind_number(read.measure, 0) + 256, seconds_of(range.from), seconds_of(range.to),
      valid_batches()));
  if (!rows) return std::unexpected(rows.error());
  clickhouse::RowReader in{*rows};
  CellSeries current;
  CellBlock block;
  const auto give = [&] {
    if (!block.empty()) visit(current, state_.tiers[range.tier].slice, block);
    block = {};
  };
  while (!in.done()) {
    CellSeries series;
    series.measure = read.measure;
    series.leg = static_cast<std::uint8_t>(in.number<std::uint16_t>() % 256);
    series.slice = at_second(in.number<std::int64_t>());
    const std::string_view address = in.fixed(16);
    if (address.size() == 16) series.prefix = address_of(address);
    series.prefix_length = in.number<std::uint8_t>();
    HistogramCell cell;
    cell.flow_group = in.number<std::uint8_t>();
    cell.bin = in.number<std::int32_t>();
    cell.weight = in.number<double>();
    cell.squares = in.number<double>();
    const auto marks = in.number<std::uint64_t>();
    if (in.failed() || cell.flow_group >= FlowTag::groups || series.leg >= leg_count ||
        cell.bin < -LogBuckets::per_sign || cell.bin >= LogBuckets::per_sign)
      return failure("a row of cells is damaged");
    if (series != current) give();
    current = series;
    block.marks[cell.flow_group] |= marks;
    block.cells.push_back(cell);
  }
  give();
  return {};
}

}  // namespace sojourn
