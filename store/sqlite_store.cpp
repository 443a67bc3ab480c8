#ifdef SOJOURN_WITH_SQLITE
#include "store/sqlite_store.h"

#include <fmt/format.h>

#include "store/common/or_return.h"
#include "store/second_values.h"
#include "store/sqlite/schema.h"

namespace sojourn {
namespace {

/// 4 or 16 bytes of address and the length.
std::string prefix_text(const CellSeries& series) {
  const auto bytes = series.prefix.bytes();
  std::string text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  text.push_back(static_cast<char>(series.prefix_length));
  return text;
}

}  // namespace

Result<std::unique_ptr<Store>> SqliteStore::open(const std::string& path, Access access) {
  const int flags = access == Access::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                            : SQLITE_OPEN_READWRITE;  // WAL readers share memory
  auto database = SqliteDatabase::open(path, flags);
  if (!database && access == Access::read)
    database = SqliteDatabase::open(path, SQLITE_OPEN_READONLY);
  if (!database) return std::unexpected(database.error().while_doing("cannot open " + path));
  std::unique_ptr<SqliteStore> store{new SqliteStore{std::move(*database)}};
  if (auto made = store->prepare_schema(access == Access::write); !made)
    return std::unexpected(made.error().while_doing("cannot use " + path));
  if (auto ready = store->prepare_statements(); !ready)
    return std::unexpected(ready.error().while_doing("cannot use " + path));
  if (auto loaded = store->load_state(); !loaded)
    return std::unexpected(loaded.error().while_doing("cannot read " + path));
  return store;
}

Result<void> SqliteStore::prepare_schema(bool may_create) {
  const auto id = database_.number("pragma application_id");
  if (!id) return std::unexpected(id.error());
  const auto tables = database_.number("select count(*) from sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables == 0 && !may_create) return failure("it is empty");
  if (*tables > 0 && *id != application_id) return failure("it is a database of another program");
  if (*tables > 0) {
    const auto version = database_.number("pragma user_version");
    if (!version) return std::unexpected(version.error());
    if (*version != schema_version)
      return failure(fmt::format("its layout has version {}, this program knows version {}",
                                 *version, schema_version));
  }
  if (!may_create) return {};
  SOJOURN_OR_RETURN(
      database_.run("pragma journal_mode = wal; pragma synchronous = normal;"
                    "pragma wal_autocheckpoint = 4000; pragma cache_size = -65536"));
  const auto prepare_counts = [&]() -> Result<void> {
    SOJOURN_OR_RETURN(marks_.prepare());
    return references_.prepare();
  };
  if (*tables > 0) return prepare_counts();
  SOJOURN_OR_RETURN(database_.run("begin immediate"));
  auto made = database_.run(sqlite_schema);
  if (made) made = prepare_counts();
  if (!made) {
    (void)database_.run("rollback");
    return made;
  }
  SOJOURN_OR_RETURN(
      database_.run(fmt::format("pragma application_id = {}; pragma user_version = {}",
                                application_id, schema_version)
                        .c_str()));
  return database_.run("commit");
}

Result<void> SqliteStore::prepare_statements() {
  const auto make = [&](SqliteStatement& statement, const char* sql) -> Result<void> {
    auto made = database_.prepare(sql);
    if (!made) return std::unexpected(made.error());
    statement = std::move(*made);
    return {};
  };
  SOJOURN_OR_RETURN(
      make(insert_block_, "insert into blocks values (?, ?, ?, ?, ?, ?) on conflict do nothing"));
  SOJOURN_OR_RETURN(
      make(select_block_,
           "select cells from blocks where tier = ? and subject = ? and kind = ? and slice = ? "
           "and prefix = ?"));
  SOJOURN_OR_RETURN(
      make(update_block_,
           "update blocks set cells = ?6 where tier = ?1 and subject = ?2 and kind = ?3 and "
           "slice = ?4 and prefix = ?5"));
  return make(select_range_,
              "select slice, prefix, cells from blocks where tier = ? and subject = ? and kind = ? "
              "and slice >= ? and slice < ? order by slice, prefix");
}

Result<void> SqliteStore::load_state() {
  auto tiers = database_.prepare("select tier, merged_until, dropped_until from tiers");
  if (!tiers) return std::unexpected(tiers.error());
  while (true) {
    const auto row = tiers->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    const auto tier = static_cast<std::size_t>(tiers->number(0));
    if (tier >= state_.tiers.size()) return failure("a tier that this program does not know");
    state_.merged_until[tier] = at_second(tiers->number(1));
    state_.dropped_until[tier] = at_second(tiers->number(2));
  }
}

Result<void> SqliteStore::limit_pages(std::int64_t pages) {
  return database_.run(fmt::format("pragma max_page_count = {}", pages).c_str());
}

Result<void> SqliteStore::write(const StoreWrite& write) {
  SOJOURN_OR_RETURN(database_.run("begin immediate"));
  const TierState before = state_;
  auto done = write_all(write);
  if (done) done = database_.run("commit");
  if (done) return {};
  // Numbers assigned in this transaction are rolled back with it.
  (void)database_.run("rollback");
  state_ = before;
  subjects_.clear();
  prefixes_.clear();
  prefixes_by_number_.clear();
  known_series_.clear();
  marks_.forget();
  counts_dropped_ = {};
  return done;
}

Result<void> SqliteStore::write_all(const StoreWrite& write) {
  for (const auto& [series, block] : write.blocks)
    SOJOURN_OR_RETURN(write_block(write, series, block));
  for (const PointLedger& ledger : write.ledgers) SOJOURN_OR_RETURN(write_ledger(ledger));
  for (const SegmentClock& clock : write.clocks) SOJOURN_OR_RETURN(write_clock(write, clock));
  SOJOURN_OR_RETURN(write_counts(write));
  auto age = database_.prepare("insert or replace into age values (1, ?, ?)");
  if (!age) return std::unexpected(age.error());
  age->bind(1, to_ns(write.now)).bind(2, to_ns(write.judged_until));
  SOJOURN_OR_RETURN(age->run());
  return merge_tiers(write.now);
}

/// Old ones are dropped every ten minutes.
Result<void> SqliteStore::write_counts(const StoreWrite& write) {
  SOJOURN_OR_RETURN(marks_.write(write.marks));
  SOJOURN_OR_RETURN(references_.write(write.references));
  if (write.now >= counts_dropped_ && write.now - counts_dropped_ < std::chrono::minutes{10})
    return {};
  SOJOURN_OR_RETURN(marks_.drop_old(write.now - marks_kept));
  SOJOURN_OR_RETURN(references_.drop_old(write.now - marks_kept));
  counts_dropped_ = write.now;
  return {};
}

Result<std::int64_t> SqliteStore::find_subject(const std::string& name) {
  auto statement = database_.prepare("select id from subjects where name = ?");
  if (!statement) return std::unexpected(statement.error());
  statement->bind(1, name);
  const auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->number(0) : -1;
}

Result<std::int64_t> SqliteStore::subject_number(const std::string& name) {
  if (const auto known = subjects_.find(name); known != subjects_.end()) return known->second;
  auto number = find_subject(name);
  if (number && *number < 0) {
    auto insert = database_.prepare("insert into subjects (name) values (?)");
    if (!insert) return std::unexpected(insert.error());
    insert->bind(1, name);
    SOJOURN_OR_RETURN(insert->run());
    number = database_.last_row();
  }
  if (number) subjects_.emplace(name, *number);
  return number;
}

Result<std::int64_t> SqliteStore::prefix_number(const CellSeries& series) {
  const std::string text = prefix_text(series);
  if (const auto known = prefixes_.find(text); known != prefixes_.end()) return known->second;
  auto insert =
      database_.prepare("insert into prefixes (prefix) values (?) on conflict do nothing");
  if (!insert) return std::unexpected(insert.error());
  const std::span bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  insert->bind(1, bytes);
  SOJOURN_OR_RETURN(insert->run());
  auto select = database_.prepare("select id from prefixes where prefix = ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, bytes);
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  const std::int64_t number = select->number(0);
  prefixes_.emplace(text, number);
  return number;
}

Result<std::optional<CellSeries>> SqliteStore::prefix_named(std::int64_t number) {
  if (const auto known = prefixes_by_number_.find(number); known != prefixes_by_number_.end())
    return known->second;
  auto select = database_.prepare("select prefix from prefixes where id = ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, number);
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  const auto bytes = *row ? select->bytes(0) : std::span<const std::uint8_t>{};
  CellSeries series;
  const auto address = std::as_bytes(bytes);
  if (bytes.size() == 5)
    series.prefix = IpAddress::v4(address.first<4>());
  else if (bytes.size() == 17)
    series.prefix = IpAddress::v6(address.first<16>());
  else
    return std::optional<CellSeries>{};
  series.prefix_length = bytes.back();
  prefixes_by_number_.emplace(number, series);
  return series;
}

Result<void> SqliteStore::write_block(const StoreWrite& write, const CellSeries& series,
                                      const CellBlock& block) {
  const auto subject = subject_number(write.subjects[series.subject]);
  if (!subject) return std::unexpected(subject.error());
  const auto prefix = prefix_number(series);
  if (!prefix) return std::unexpected(prefix.error());
  const Series where{*subject, kind_number(series.measure, series.leg)};
  if (known_series_.try_emplace({where.subject, where.kind}, true).second) {
    auto insert = database_.prepare("insert into series values (?, ?) on conflict do nothing");
    if (!insert) return std::unexpected(insert.error());
    insert->bind(1, where.subject).bind(2, where.kind);
    SOJOURN_OR_RETURN(insert->run());
  }
  // A late one goes to every tier into which its slice has already been merged.
  for (std::size_t tier = 0; tier < state_.tiers.size(); ++tier) {
    const Timestamp slice = slice_of(series.slice, state_.tiers[tier].slice);
    const bool last = tier + 1 == state_.tiers.size();
    if (last || slice >= state_.dropped_until[tier])
      SOJOURN_OR_RETURN(add_block(tier, where, slice, *prefix, block));
    if (series.slice >= state_.merged_until[tier]) break;
  }
  return {};
}

Result<void> SqliteStore::add_block(std::size_t tier, const Series& series, Timestamp slice,
                                    std::int64_t prefix, const CellBlock& block) {
  const auto bind_key = [&](SqliteStatement& statement) -> SqliteStatement& {
    return statement.bind(1, static_cast<std::int64_t>(tier))
        .bind(2, series.subject)
        .bind(3, series.kind)
        .bind(4, seconds_of(slice))
        .bind(5, prefix);
  };
  std::vector<std::uint8_t> bytes = encode(block);
  SOJOURN_OR_RETURN(bind_key(insert_block_).bind(6, bytes).run());
  if (database_.changes() > 0) return {};

  const auto row = bind_key(select_block_).step();
  if (!row) return std::unexpected(row.error());
  CellBlock merged;
  const auto old = select_block_.bytes(0);
  const bool readable = *row && decode(old.data(), old.size(), merged);
  select_block_.reset();
  if (!readable) return failure("a block of cells is damaged");
  merged.add(block);
  bytes = encode(merged);
  return bind_key(update_block_).bind(6, bytes).run();
}

Result<void> SqliteStore::read(const StoreRead& read, const BlockVisitor& visit) {
  const auto subject = find_subject(read.subject);
  if (!subject) return std::unexpected(subject.error());
  if (*subject < 0) return {};
  // Another process may merge and drop tiers; the whole answer must come from one snapshot.
  SOJOURN_OR_RETURN(database_.run("begin"));
  auto done = load_state();
  CellBlock block;
  for (std::uint8_t leg = 0; done && leg < leg_count; ++leg)
    for (const TierRange& range : cover(state_, read.from, read.to, read.longest_slice)) {
      select_range_.bind(1, static_cast<std::int64_t>(range.tier))
          .bind(2, *subject)
          .bind(3, kind_number(read.measure, leg))
          .bind(4, seconds_of(range.from))
          .bind(5, seconds_of(range.to));
      while (done) {
        const auto row = select_range_.step();
        if (!row) done = std::unexpected(row.error());
        if (!row || !*row) break;
        auto prefix = prefix_named(select_range_.number(1));
        const auto bytes = select_range_.bytes(2);
        if (!prefix)
          done = std::unexpected(prefix.error());
        else if (!*prefix || !decode(bytes.data(), bytes.size(), block))
          done = failure("a block of cells is damaged");
        if (!done) break;
        CellSeries series = **prefix;
        series.slice = at_second(select_range_.number(0));
        series.measure = read.measure;
        series.leg = leg;
        visit(series, state_.tiers[range.tier].slice, block);
      }
      select_range_.reset();
      if (!done) break;
    }
  (void)database_.run("commit");
  return done;
}

}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
