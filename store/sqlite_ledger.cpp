#ifdef SOJOURN_WITH_SQLITE
// Ledgers, clocks and the list of subjects in the store's file.

#include <algorithm>

#include "store/common/or_return.h"
#include "store/second_values.h"
#include "store/sqlite_store.h"

namespace sojourn {
namespace {

void bind_or_null(SqliteStatement& statement, int at, const std::optional<std::int64_t>& value) {
  if (value)
    statement.bind(at, *value);
  else
    statement.bind_null(at);
}

std::optional<std::int64_t> number_or_null(const SqliteStatement& statement, int column) {
  if (statement.is_null(column)) return std::nullopt;
  return statement.number(column);
}

void take_account(PointLedger& ledger, const std::string& name, const SqliteStatement& row) {
  const auto found = std::ranges::find(account_names, name);
  if (found != account_names.end())
    ledger.accounts[static_cast<Account>(found - account_names.begin())] =
        static_cast<std::uint64_t>(row.number(3));
  else if (name == "reports")
    ledger.reports = row.text(3);
  else if (name == "first_heard_ns")
    ledger.first_heard = timestamp_from_ns(row.number(3));
  else if (name == "last_heard_ns")
    ledger.last_heard = timestamp_from_ns(row.number(3));
  else if (name == "clock_error_ns")
    ledger.clock_error_ns = row.number(3);
  else if (name == "marking")
    ledger.marking = marking_state_of(row.number(3));
  else if (name == "marking_interval_ns")
    ledger.marking_interval = Duration{row.number(3)};
}

}  // namespace

Result<void> SqliteStore::write_ledger(const PointLedger& ledger) {
  auto put = database_.prepare("insert or replace into ledgers values (?, ?, ?, ?)");
  if (!put) return std::unexpected(put.error());
  const auto instance = static_cast<std::int64_t>(ledger.instance);
  const auto put_number = [&](std::string_view name, std::int64_t value) {
    return put->bind(1, ledger.point).bind(2, instance).bind(3, name).bind(4, value).run();
  };
  for (std::size_t i = 0; i < account_names.size(); ++i) {
    const std::uint64_t value = ledger.in_store(static_cast<Account>(i));
    SOJOURN_OR_RETURN(put_number(account_names[i], static_cast<std::int64_t>(value)));
  }
  SOJOURN_OR_RETURN(put_number("first_heard_ns", to_ns(ledger.first_heard)));
  SOJOURN_OR_RETURN(put_number("last_heard_ns", to_ns(ledger.last_heard)));
  if (ledger.clock_error_ns)
    SOJOURN_OR_RETURN(put_number("clock_error_ns", *ledger.clock_error_ns));
  if (ledger.marking != MarkingState::none) {
    SOJOURN_OR_RETURN(put_number("marking", static_cast<std::int64_t>(ledger.marking)));
    SOJOURN_OR_RETURN(put_number("marking_interval_ns", to_ns(ledger.marking_interval)));
  }
  return put->bind(1, ledger.point)
      .bind(2, instance)
      .bind(3, "reports")
      .bind(4, ledger.reports)
      .run();
}

Result<std::vector<PointLedger>> SqliteStore::ledgers() {
  auto select = database_.prepare(
      "select point, instance, account, value from ledgers order by point, instance");
  if (!select) return std::unexpected(select.error());
  std::vector<PointLedger> all;
  while (true) {
    const auto row = select->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return all;
    std::string point = select->text(0);
    const auto instance = static_cast<std::uint64_t>(select->number(1));
    if (all.empty() || all.back().point != point || all.back().instance != instance) {
      all.emplace_back();
      all.back().point = std::move(point);
      all.back().instance = instance;
    }
    take_account(all.back(), select->text(2), *select);
  }
}

Result<void> SqliteStore::write_clock(const StoreWrite& write, const SegmentClock& clock) {
  const auto subject = subject_number(write.subjects[clock.subject]);
  if (!subject) return std::unexpected(subject.error());
  auto put = database_.prepare("insert or replace into clocks values (?, ?, ?, ?, ?)");
  if (!put) return std::unexpected(put.error());
  put->bind(1, *subject).bind(2, seconds_of(clock.slice));
  bind_or_null(*put, 3, clock.error_ns);
  bind_or_null(*put, 4, clock.offset_low_ns);
  bind_or_null(*put, 5, clock.offset_high_ns);
  return put->run();
}

Result<std::optional<SegmentClock>> SqliteStore::clock(const std::string& subject, Timestamp from,
                                                       Timestamp to) {
  const auto number = find_subject(subject);
  if (!number) return std::unexpected(number.error());
  // The worst error in that time, and the last interval.
  auto select = database_.prepare(
      "select max(error_ns), offset_low_ns, offset_high_ns, max(slice) from clocks "
      "where subject = ? and slice >= ? and slice < ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, *number).bind(2, seconds_of(from)).bind(3, seconds_of(to));
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  if (!*row || select->is_null(3)) return std::optional<SegmentClock>{};
  SegmentClock clock;
  clock.slice = at_second(select->number(3));
  clock.error_ns = number_or_null(*select, 0);
  auto last = database_.prepare(
      "select offset_low_ns, offset_high_ns from clocks where subject = ? and slice = ?");
  if (!last) return std::unexpected(last.error());
  last->bind(1, *number).bind(2, seconds_of(clock.slice));
  const auto found = last->step();
  if (!found) return std::unexpected(found.error());
  if (*found) {
    clock.offset_low_ns = number_or_null(*last, 0);
    clock.offset_high_ns = number_or_null(*last, 1);
  }
  return clock;
}

Result<StoreAge> SqliteStore::age() {
  auto select = database_.prepare("select written_ns, judged_until_ns from age");
  if (!select) return std::unexpected(select.error());
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  if (!*row) return StoreAge{};
  return StoreAge{timestamp_from_ns(select->number(0)), timestamp_from_ns(select->number(1))};
}

Result<std::vector<SubjectSummary>> SqliteStore::subjects() {
  auto select = database_.prepare(
      "select distinct name, kind / 256 from subjects join series on id = subject order by 1, 2");
  if (!select) return std::unexpected(select.error());
  std::vector<SubjectSummary> all;
  while (true) {
    const auto row = select->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return all;
    std::string name = select->text(0);
    if (all.empty() || all.back().name != name) all.push_back({std::move(name), {}});
    all.back().measures.push_back(static_cast<std::uint8_t>(select->number(1)));
  }
}

Result<std::optional<Timestamp>> SqliteStore::newest(const std::string& subject) {
  const auto number = find_subject(subject);
  if (!number) return std::unexpected(number.error());
  std::optional<Timestamp> newest;
  const auto series = all_series();
  if (!series) return std::unexpected(series.error());
  auto select = database_.prepare(
      "select max(slice) from blocks where tier = ? and subject = ? and kind = ?");
  if (!select) return std::unexpected(select.error());
  for (std::size_t tier = 0; tier < state_.tiers.size() && !newest; ++tier)
    for (const Series& each : *series) {
      if (each.subject != *number) continue;
      select->bind(1, static_cast<std::int64_t>(tier)).bind(2, each.subject).bind(3, each.kind);
      const auto row = select->step();
      if (!row) return std::unexpected(row.error());
      if (*row && !select->is_null(0)) {
        const Timestamp end = at_second(select->number(0)) + state_.tiers[tier].slice;
        if (!newest || end > *newest) newest = end;
      }
      select->reset();
    }
  return newest;
}

}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
