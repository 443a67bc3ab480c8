#ifdef SOJOURN_WITH_SQLITE
// Counts of marking points in the store's file: a row for each flow and interval.

#include "store/or_return.h"
#include "store/sqlite_store.h"

namespace sojourn {
namespace {

/// The same count again is the same row.  Of two that differ (a clock was set back, and the point
/// read an interval of that number once more) the one in doubt stays, then the one read last:
/// whichever comes first.
constexpr const char* put_mark =
    "insert into marks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "on conflict do update set interval = excluded.interval, read_ns = excluded.read_ns, "
    "doubt = excluded.doubt, packets = excluded.packets, pulses = excluded.pulses, "
    "pulse_ns = excluded.pulse_ns, late_ns = excluded.late_ns, early_ns = excluded.early_ns, "
    "middle = excluded.middle, contrary = excluded.contrary, other = excluded.other, "
    "marked_before = excluded.marked_before, repeats = excluded.repeats "
    "where (excluded.doubt <> '') > (doubt <> '') or "
    "((excluded.doubt <> '') = (doubt <> '') and excluded.read_ns > read_ns)";

std::int64_t stored_number(std::uint64_t count) { return static_cast<std::int64_t>(count); }
std::uint64_t count_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

void bind_run(SqliteStatement& put, const PointMarks& marks) {
  const MarkingRun& run = marks.run;
  put.bind(1, marks.point)
      .bind(2, stored_number(marks.instance))
      .bind(3, run.duty)
      .bind(4, run.method)
      .bind(5, run.carrier)
      .bind(6, std::int64_t{run.exponent})
      .bind(8, to_ns(run.since))
      .bind(9, std::int64_t{run.copies})
      .bind(10, std::int64_t{run.ended});
  if (run.clock_error)
    put.bind(7, to_ns(*run.clock_error));
  else
    put.bind_null(7);
}

}  // namespace

Result<std::int64_t> SqliteStore::run_number(const PointMarks& marks) {
  auto put = database_.prepare(
      "insert into marking_runs (point, instance, duty, method, carrier, exponent, "
      "clock_error_ns, since_ns, copies, ended) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict "
      "do update set ended = max(ended, excluded.ended)");
  if (!put) return std::unexpected(put.error());
  bind_run(*put, marks);
  SOJOURN_OR_RETURN(put->run());
  auto select = database_.prepare("select id from marking_runs where point = ? and instance = ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, marks.point).bind(2, stored_number(marks.instance));
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  return select->number(0);
}

Result<std::int64_t> SqliteStore::flow_number(const std::string& flow) {
  if (flow.empty()) return 0;
  if (const auto known = mark_flows_.find(flow); known != mark_flows_.end()) return known->second;
  auto put = database_.prepare("insert into mark_flows (flow) values (?) on conflict do nothing");
  if (!put) return std::unexpected(put.error());
  put->bind(1, flow);
  SOJOURN_OR_RETURN(put->run());
  auto select = database_.prepare("select id from mark_flows where flow = ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, flow);
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  // Strangers may name any number of flows; the memory of this is not theirs.
  if (mark_flows_.size() > 100'000) mark_flows_.clear();
  return mark_flows_.emplace(flow, select->number(0)).first->second;
}

Result<void> SqliteStore::write_marks(const StoreWrite& write) {
  if (write.marks.empty()) return drop_old_marks(write.now);
  auto put = database_.prepare(put_mark);
  if (!put) return std::unexpected(put.error());
  for (const PointMarks& marks : write.marks) {
    const auto run = run_number(marks);
    if (!run) return std::unexpected(run.error());
    for (const MarkCount& count : marks.counts) {
      const auto flow = flow_number(count.flow);
      if (!flow) return std::unexpected(flow.error());
      put->bind(1, *run)
          .bind(2, to_ns(count.start))
          .bind(3, *flow)
          .bind(4, count.interval)
          .bind(5, to_ns(count.read_at))
          .bind(6, count.doubt)
          .bind(7, stored_number(count.packets))
          .bind(8, std::int64_t{count.pulses})
          .bind(9, to_ns(count.pulse_time))
          .bind(10, to_ns(count.late))
          .bind(11, to_ns(count.early))
          .bind(12, stored_number(count.middle))
          .bind(13, stored_number(count.contrary))
          .bind(14, stored_number(count.other))
          .bind(15, stored_number(count.marked_before))
          .bind(16, std::int64_t{count.repeats});
      SOJOURN_OR_RETURN(put->run());
    }
  }
  return drop_old_marks(write.now);
}

/// Every ten minutes, run by run, since rows lie in that order.
Result<void> SqliteStore::drop_old_marks(Timestamp now) {
  if (now >= marks_dropped_ && now - marks_dropped_ < std::chrono::minutes{10}) return {};
  auto drop = database_.prepare(
      "delete from marks where start_ns < ?1 and run in (select id from marking_runs)");
  if (!drop) return std::unexpected(drop.error());
  drop->bind(1, to_ns(now - marks_kept));
  SOJOURN_OR_RETURN(drop->run());
  SOJOURN_OR_RETURN(database_.run(
      "delete from marking_runs where not exists (select 1 from marks where run = id)"));
  marks_dropped_ = now;
  return {};
}

Result<std::vector<PointMarks>> SqliteStore::marks(const std::string& point, Timestamp from,
                                                   Timestamp to) {
  std::vector<PointMarks> all;
  // A file of an earlier version, which no collector has written to since.
  const auto known = database_.number("select count(*) from sqlite_master where name = 'marks'");
  if (!known) return std::unexpected(known.error());
  if (*known == 0) return all;
  // All of the answer must be of one moment.
  SOJOURN_OR_RETURN(database_.run("begin"));
  const auto found = [&]() -> Result<void> {
    auto select = database_.prepare(
        "select id, instance, duty, method, carrier, exponent, clock_error_ns, since_ns, copies, "
        "ended from marking_runs where point = ? order by since_ns, id");
    if (!select) return std::unexpected(select.error());
    select->bind(1, point);
    while (true) {
      const auto row = select->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return {};
      PointMarks marks{.point = point,
                       .instance = count_of(select->number(1)),
                       .run = {.duty = select->text(2),
                               .method = select->text(3),
                               .carrier = select->text(4),
                               .exponent = static_cast<int>(select->number(5)),
                               .since = timestamp_from_ns(select->number(7)),
                               .copies = select->number(8) != 0,
                               .ended = select->number(9) != 0},
                       .counts = {}};
      if (!select->is_null(6)) marks.run.clock_error = Duration{select->number(6)};
      SOJOURN_OR_RETURN(read_counts(select->number(0), from, to, marks));
      if (!marks.counts.empty()) all.push_back(std::move(marks));
    }
  }();
  (void)database_.run("commit");
  if (!found) return std::unexpected(found.error());
  return all;
}

Result<void> SqliteStore::read_counts(std::int64_t run, Timestamp from, Timestamp to,
                                      PointMarks& marks) {
  auto select = database_.prepare(
      "select start_ns, interval, read_ns, doubt, coalesce(mark_flows.flow, ''), packets, pulses, "
      "pulse_ns, late_ns, early_ns, middle, contrary, other, marked_before, repeats from marks "
      "left join mark_flows on mark_flows.id = marks.flow where run = ? and start_ns >= ? and "
      "start_ns < ? order by start_ns, marks.flow");
  if (!select) return std::unexpected(select.error());
  select->bind(1, run).bind(2, to_ns(from)).bind(3, to_ns(to));
  while (true) {
    const auto row = select->step();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    marks.counts.push_back({.interval = select->number(1),
                            .start = timestamp_from_ns(select->number(0)),
                            .read_at = timestamp_from_ns(select->number(2)),
                            .doubt = select->text(3),
                            .flow = select->text(4),
                            .packets = count_of(select->number(5)),
                            .pulses = static_cast<std::uint32_t>(select->number(6)),
                            .pulse_time = timestamp_from_ns(select->number(7)),
                            .late = Duration{select->number(8)},
                            .early = Duration{select->number(9)},
                            .middle = count_of(select->number(10)),
                            .contrary = count_of(select->number(11)),
                            .other = count_of(select->number(12)),
                            .marked_before = count_of(select->number(13)),
                            .repeats = static_cast<std::uint32_t>(select->number(14))});
  }
}

}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
