// Ledgers, clocks and other replaceable state in ClickHouse.

#include <fmt/format.h>

#include <algorithm>

#include "store/clickhouse_store.h"
#include "store/common/or_return.h"
#include "store/second_values.h"

namespace sojourn {
namespace {

/// Beyond this many of one writer, it takes a new number.
constexpr std::size_t most_void_batches = 1000;

}  // namespace

std::optional<std::int64_t> ClickHouseStore::StateRow::operator[](
    std::string_view value_name) const {
  for (const auto& [known, value] : values)
    if (known == value_name) return value;
  return std::nullopt;
}

void ClickHouseStore::append(clickhouse::RowWriter& rows, const StateRow& row,
                             std::uint64_t version) {
  rows.text(row.what).text(row.name).number(row.number).number(version).text(row.text);
  rows.count(row.values.size());
  for (const auto& value : row.values) rows.text(value.first);
  rows.count(row.values.size());
  for (const auto& value : row.values) rows.number(value.second);
}

/// The newest row of each name and number.
Result<std::vector<ClickHouseStore::StateRow>> ClickHouseStore::state_of(const std::string& what,
                                                                         const std::string& name) {
  const auto bytes = first().select(fmt::format(
      "select what, name, number, version, text, names, values from state where what = {}{} order "
      "by what, name, number, version desc limit 1 by what, name, number format RowBinary",
      clickhouse::quoted(what), name.empty() ? "" : " and name = " + clickhouse::quoted(name)));
  if (!bytes) return std::unexpected(bytes.error());
  std::vector<StateRow> all;
  clickhouse::RowReader in{*bytes};
  while (!in.done()) {
    StateRow row;
    row.what = in.text();
    row.name = in.text();
    row.number = in.number<std::uint64_t>();
    version_ = std::max(version_, in.number<std::uint64_t>());
    row.text = in.text();
    for (std::uint64_t left = in.count(); left > 0 && !in.failed(); --left)
      row.values.emplace_back(in.text(), 0);
    const std::uint64_t values = in.count();
    if (values != row.values.size()) return failure("a row of state is damaged");
    for (auto& value : row.values) value.second = in.number<std::int64_t>();
    all.push_back(std::move(row));
  }
  if (in.failed()) return failure("a row of state is damaged");
  return all;
}

Result<void> ClickHouseStore::load_state() {
  const auto tiers = state_of("tier");
  if (!tiers) return std::unexpected(tiers.error());
  for (const StateRow& row : *tiers) {
    if (row.number >= state_.tiers.size()) return failure("a tier that this program does not know");
    // If two collectors merge at the same time, either may write last.
    Timestamp& merged = state_.merged_until[row.number];
    Timestamp& dropped = state_.dropped_until[row.number];
    merged = std::max(merged, at_second(row["merged_until"].value_or(0)));
    dropped = std::max(dropped, at_second(row["dropped_until"].value_or(0)));
  }
  const auto batches = state_of("batches");
  if (!batches) return std::unexpected(batches.error());
  valid_until_.clear();
  void_of_all_.clear();
  for (const StateRow& row : *batches)
    for (const auto& [name, value] : row.values)
      if (name == "until")
        valid_until_[row.number] = static_cast<std::uint64_t>(value);
      else
        void_of_all_.emplace(row.number, static_cast<std::uint64_t>(value));
  // Only if its last attempt is known to have succeeded: then the old number's declaration is
  // final.
  if (void_batches_.size() > most_void_batches && !void_batches_.contains(batch_)) {
    ++writer_;
    batch_ = 0;
    void_batches_.clear();
  }
  return {};
}

/// Batches up to the current one are valid, except for those that were given up.
ClickHouseStore::StateRow ClickHouseStore::own_batches() const {
  StateRow row{"batches", {}, writer_, {}, {{"until", static_cast<std::int64_t>(batch_)}}};
  for (const std::uint64_t batch : void_batches_)
    row.values.emplace_back("void", static_cast<std::int64_t>(batch));
  return row;
}

/// A condition on `writer` and `batch`.
std::string ClickHouseStore::valid_batches() const {
  if (valid_until_.empty()) return "writer = 0";
  std::string writers, until, given_up;
  for (const auto& [writer, batch] : valid_until_) {
    writers += fmt::format("{}toUInt64({})", writers.empty() ? "" : ",", writer);
    until += fmt::format("{}toUInt64({})", until.empty() ? "" : ",", batch);
  }
  for (const auto& [writer, batch] : void_of_all_)
    given_up += fmt::format(" and not (writer = {} and batch = {})", writer, batch);
  return fmt::format("(writer = 0 or (batch <= transform(writer, [{}], [{}], toUInt64(0)){}))",
                     writers, until, given_up);
}

ClickHouseStore::StateRow ClickHouseStore::ledger_row(const PointLedger& ledger) const {
  StateRow row{"ledger", ledger.point, ledger.instance, ledger.reports, {}};
  for (std::size_t i = 0; i < account_names.size(); ++i) {
    // Their delays become valid with this row.
    const std::uint64_t value = ledger.in_store(static_cast<Account>(i));
    row.values.emplace_back(account_names[i], static_cast<std::int64_t>(value));
  }
  row.values.emplace_back("first_heard_ns", to_ns(ledger.first_heard));
  row.values.emplace_back("last_heard_ns", to_ns(ledger.last_heard));
  if (ledger.clock_error_ns) row.values.emplace_back("clock_error_ns", *ledger.clock_error_ns);
  row.values.emplace_back("marking", static_cast<std::int64_t>(ledger.marking));
  row.values.emplace_back("marking_interval_ns", to_ns(ledger.marking_interval));
  return row;
}

Result<std::vector<PointLedger>> ClickHouseStore::ledgers() {
  const auto rows = state_of("ledger");
  if (!rows) return std::unexpected(rows.error());
  std::vector<PointLedger> all;
  for (const StateRow& row : *rows) {
    PointLedger& ledger = all.emplace_back();
    ledger.point = row.name;
    ledger.instance = row.number;
    ledger.reports = row.text;
    for (std::size_t i = 0; i < account_names.size(); ++i)
      ledger.accounts[static_cast<Account>(i)] =
          static_cast<std::uint64_t>(row[account_names[i]].value_or(0));
    ledger.first_heard = timestamp_from_ns(row["first_heard_ns"].value_or(0));
    ledger.last_heard = timestamp_from_ns(row["last_heard_ns"].value_or(0));
    ledger.clock_error_ns = row["clock_error_ns"];
    ledger.marking = marking_state_of(row["marking"].value_or(0));
    ledger.marking_interval = Duration{row["marking_interval_ns"].value_or(0)};
  }
  return all;
}

Result<StoreAge> ClickHouseStore::age() {
  const auto rows = state_of("age");
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return StoreAge{};
  const auto time = [&](std::string_view name) -> std::optional<Timestamp> {
    const auto ns = rows->front()[name];
    return ns ? std::optional{timestamp_from_ns(*ns)} : std::nullopt;
  };
  return StoreAge{time("written_ns"), time("judged_until_ns")};
}

Result<std::vector<SubjectSummary>> ClickHouseStore::subjects() {
  const auto rows = state_of("series");
  if (!rows) return std::unexpected(rows.error());
  std::vector<SubjectSummary> all;
  for (const StateRow& row : *rows) {
    if (all.empty() || all.back().name != row.name) all.push_back({row.name, {}});
    const auto measure = static_cast<std::uint8_t>(row.number / 256);
    auto& measures = all.back().measures;
    if (measures.empty() || measures.back() != measure) measures.push_back(measure);
  }
  return all;
}

Result<std::optional<SegmentClock>> ClickHouseStore::clock(const std::string& subject,
                                                           Timestamp from, Timestamp to) {
  const auto rows = state_of("clock", subject);
  if (!rows) return std::unexpected(rows.error());
  std::optional<SegmentClock> clock;
  for (const StateRow& row : *rows) {  // by time
    const Timestamp slice = at_second(static_cast<std::int64_t>(row.number));
    if (slice < from || slice >= to) continue;
    // The worst error in that time, and the last interval.
    const auto worst = clock ? clock->error_ns : std::nullopt;
    clock.emplace();
    clock->slice = slice;
    clock->error_ns = std::max(worst, row["error_ns"]);
    clock->offset_low_ns = row["offset_low_ns"];
    clock->offset_high_ns = row["offset_high_ns"];
  }
  return clock;
}

Result<std::optional<Timestamp>> ClickHouseStore::newest(const std::string& subject) {
  SOJOURN_OR_RETURN(load_state());
  std::optional<Timestamp> newest;
  for (std::size_t tier = 0; tier < state_.tiers.size() && !newest; ++tier)
    for (const clickhouse::Server& shard : shards_) {
      const auto bytes = shard.select(
          fmt::format("select count(), max(slice) from cells where tier = {} and subject = {} and "
                      "{} format RowBinary",
                      tier, clickhouse::quoted(subject), valid_batches()));
      if (!bytes) return std::unexpected(bytes.error());
      clickhouse::RowReader in{*bytes};
      const auto count = in.number<std::uint64_t>();
      const Timestamp end = at_second(in.number<std::int64_t>()) + state_.tiers[tier].slice;
      if (in.failed()) return failure("an answer that cannot be read");
      if (count > 0 && (!newest || end > *newest)) newest = end;
    }
  return newest;
}

}  // namespace sojourn
