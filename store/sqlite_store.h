#pragma once
// A store in one file.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/cover.h"
#include "store/sqlite/database.h"
#include "store/sqlite/marks.h"
#include "store/sqlite/references.h"
#include "store/store.h"

namespace sojourn {

/// Blocks of cells by tier, subject, kind, slice and prefix, in the order of the queries.  A write
/// is one transaction with its ledgers: a killed collector leaves the state after one of its
/// writes.  Write-ahead log, so that a query does not block the collector.
class SqliteStore : public Store {
 public:
  static constexpr std::int64_t schema_version = 1;
  static constexpr std::int64_t application_id = 0x536f6a31;  ///< "Soj1"

  enum class Access : std::uint8_t { write, read };
  static Result<std::unique_ptr<Store>> open(const std::string& path, Access access);

  /// Simulates a disk with room for this many pages of 4 KiB: so tests see what a full one does.
  Result<void> limit_pages(std::int64_t pages);

  Result<void> write(const StoreWrite& write) override;
  Result<std::vector<PointLedger>> ledgers() override;
  Result<StoreAge> age() override;
  Result<std::vector<SubjectSummary>> subjects() override;
  Result<std::optional<SegmentClock>> clock(const std::string& subject, Timestamp from,
                                            Timestamp to) override;
  Result<void> read(const StoreRead& read, const BlockVisitor& visit) override;
  Result<std::optional<Timestamp>> newest(const std::string& subject) override;
  Result<std::vector<PointMarks>> marks(const std::string& point, Timestamp from,
                                        Timestamp to) override {
    return marks_.read(point, from, to);
  }
  Result<void> references(const ReferenceQuestion& question,
                          const ReferenceVisitor& visit) override {
    return references_.read(question, visit);
  }

 private:
  explicit SqliteStore(SqliteDatabase database) : database_(std::move(database)) {}

  /// One histogram over time: contiguous in the file.
  struct Series {
    std::int64_t subject, kind;
  };

  Result<void> prepare_schema(bool may_create);
  Result<void> prepare_statements();
  Result<void> load_state();
  Result<void> write_all(const StoreWrite& write);
  Result<void> write_block(const StoreWrite& write, const CellSeries& series,
                           const CellBlock& block);
  Result<void> add_block(std::size_t tier, const Series& series, Timestamp slice,
                         std::int64_t prefix, const CellBlock& block);
  Result<void> write_ledger(const PointLedger& ledger);
  Result<void> write_clock(const StoreWrite& write, const SegmentClock& clock);
  Result<void> write_counts(const StoreWrite& write);
  Result<void> merge_tiers(Timestamp now);
  Result<void> merge_range(std::size_t tier, Timestamp from, Timestamp to);
  Result<void> merge_series(std::size_t tier, const Series& series, Timestamp from, Timestamp to);
  Result<void> drop_old(std::size_t tier, Timestamp until);
  Result<std::vector<Series>> all_series();
  Result<std::int64_t> subject_number(const std::string& name);
  Result<std::int64_t> prefix_number(const CellSeries& series);
  Result<std::int64_t> find_subject(const std::string& name);
  Result<std::optional<CellSeries>> prefix_named(std::int64_t number);

  SqliteDatabase database_;
  SqliteMarks marks_{database_};
  SqliteReferences references_{database_};
  SqliteStatement insert_block_, select_block_, update_block_, select_range_;
  TierState state_;
  std::unordered_map<std::string, std::int64_t> subjects_, prefixes_;
  std::unordered_map<std::int64_t, CellSeries> prefixes_by_number_;
  std::map<std::pair<std::int64_t, std::int64_t>, bool> known_series_;
  Timestamp counts_dropped_{};  ///< of marks and references
};

}  // namespace sojourn
