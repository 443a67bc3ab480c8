#pragma once
// A store in one or more ClickHouse servers, for more data than one machine can hold.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/clickhouse/row_binary.h"
#include "store/clickhouse/server.h"
#include "store/cover.h"
#include "store/store.h"

namespace sojourn {

/// Cells are distributed over the shards by subject and prefix; a reader queries all shards and
/// adds up, so that the servers need no configuration.
///
/// There are no transactions: a write stores its cells under its own number (writer, batch).  They
/// count as soon as the row exists that declares the number valid, together with the ledgers.  A
/// write that failed, or whose response was lost, is declared void by the next one.
class ClickHouseStore : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& name, bool to_write);

  bool wants_packets() const override { return true; }
  Result<void> write(const StoreWrite& write) override;
  Result<std::vector<PointLedger>> ledgers() override;
  Result<StoreAge> age() override;
  Result<std::vector<SubjectSummary>> subjects() override;
  Result<std::optional<SegmentClock>> clock(const std::string& subject, Timestamp from,
                                            Timestamp to) override;
  Result<void> read(const StoreRead& read, const BlockVisitor& visit) override;
  Result<std::optional<Timestamp>> newest(const std::string& subject) override;
  Result<std::vector<PointMarks>> marks(const std::string& point, Timestamp from,
                                        Timestamp to) override;
  Result<void> references(const ReferenceQuestion& question,
                          const ReferenceVisitor& visit) override;

  const std::vector<clickhouse::Server>& shards() const { return shards_; }

 private:
  /// A row of the table `state`.
  struct StateRow {
    std::string what, name;
    std::uint64_t number = 0;
    std::string text;
    std::vector<std::pair<std::string, std::int64_t>> values;

    std::optional<std::int64_t> operator[](std::string_view value_name) const;
  };

  explicit ClickHouseStore(clickhouse::Address address);

  const clickhouse::Server& first() const { return shards_.front(); }
  std::size_t shard_of(const std::string& subject, const CellSeries& series) const;

  /// Whether this slice of the tier has been added to the next one.
  bool is_merged(std::size_t tier, const CellSeries& series) const {
    return tier + 1 < state_.tiers.size() && series.slice < state_.merged_until[tier];
  }

  // clickhouse_store.cpp
  Result<void> prepare_schema(bool may_create);
  Result<void> send_cells(const StoreWrite& write);
  Result<void> send_packets(const StoreWrite& write);
  Result<void> commit(const StoreWrite& write);
  Result<void> read_range(const clickhouse::Server& shard, const StoreRead& read,
                          const TierRange& range, const BlockVisitor& visit);

  // clickhouse_state.cpp
  Result<std::vector<StateRow>> state_of(const std::string& what, const std::string& name = {});
  static void append(clickhouse::RowWriter& rows, const StateRow& row, std::uint64_t version);
  Result<void> load_state();
  StateRow ledger_row(const PointLedger& ledger) const;
  StateRow own_batches() const;
  std::string valid_batches() const;

  // clickhouse_tiers.cpp
  Result<void> merge_tiers(Timestamp now);
  Result<void> merge_range(std::size_t tier, Timestamp from, Timestamp to);
  Result<void> merge_what_others_missed();
  Result<void> drop_old(std::size_t tier, Timestamp until);
  Result<void> drop_partitions(const std::string& table, std::int64_t first, std::int64_t last,
                               const std::function<bool(std::int64_t)>& is_old);

  clickhouse::Address address_;
  std::vector<clickhouse::Server> shards_;
  TierState state_;
  std::uint64_t version_ = 0;  ///< of the newest row of state
  std::uint64_t writer_ = 0;   ///< random, drawn when opened for writing; 0 is for merged tiers
  std::uint64_t batch_ = 0;
  std::set<std::uint64_t> void_batches_;  ///< of this writer
  /// By writer: valid up to this batch, except for some.
  std::map<std::uint64_t, std::uint64_t> valid_until_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> void_of_all_;
  std::set<std::pair<std::string, std::uint16_t>> known_series_;
  Timestamp earliest_in_batch_{};
};

}  // namespace sojourn
