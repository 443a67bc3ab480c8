#pragma once
// One-way delays joined inside ClickHouse, from the packets of any number of collectors.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/clickhouse_store.h"

namespace sojourn {

/// Every shard joins its own labels; only histogram cells are transferred.  The direction is
/// determined by the clock offset that a collector found from traffic in both directions, otherwise
/// by the majority of the readings.  The rest is read from the collectors' cells.
class ClickHouseJoin : public Store {
 public:
  static constexpr Duration window = std::chrono::seconds{10};  ///< largest plausible delay
  /// Packets with the same label further apart than about this are different packets.
  static constexpr Duration stretch = std::chrono::minutes{10};

  static Result<std::unique_ptr<Store>> open(const std::string& name);

  Result<void> write(const StoreWrite&) override { return failure("it is open for reading"); }
  Result<std::vector<PointLedger>> ledgers() override { return cells_->ledgers(); }
  Result<StoreAge> age() override { return cells_->age(); }
  Result<std::vector<SubjectSummary>> subjects() override;
  Result<std::optional<SegmentClock>> clock(const std::string& subject, Timestamp from,
                                            Timestamp to) override {
    return cells_->clock(subject, from, to);
  }
  Result<void> read(const StoreRead& read, const BlockVisitor& visit) override;
  Result<std::optional<Timestamp>> newest(const std::string& subject) override;

 private:
  /// Packets from one point to another: those whose time there minus time here is above
  /// `threshold_ns`.
  struct Direction {
    std::string from, to;
    std::int64_t threshold_ns = 0;
    Timestamp newest{};

    std::string name() const { return from + ":" + to; }
  };

  explicit ClickHouseJoin(std::unique_ptr<Store> cells) : cells_(std::move(cells)) {}
  const std::vector<clickhouse::Server>& shards() const {
    return static_cast<const ClickHouseStore&>(*cells_).shards();
  }
  Result<void> find_directions();
  /// The stretches of [from, to) with packets of the point, as numbers of stretches since 1970.
  Result<std::set<std::int64_t>> stretches_of(const std::string& point, Timestamp from,
                                              Timestamp to) const;
  Result<void> read_stretch(const Direction& direction, Timestamp from, Timestamp to,
                            const BlockVisitor& visit);
  const Direction* direction_named(const std::string& subject) const;

  std::unique_ptr<Store> cells_;
  std::vector<Direction> directions_;
};

}  // namespace sojourn
