#ifdef SOJOURN_WITH_SQLITE
// Counts of marking points in the store's file: a row for each flow and interval.

#include "store/sqlite/marks.h"

#include <algorithm>

#include "store/common/or_return.h"
#include "store/sqlite/counts.h"
#include "store/sqlite/schema.h"

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

/// The time until which a flow is needed is stored this far ahead, so that it is seldom updated.
constexpr Duration noted_ahead = std::chrono::hours{1};
/// A peer may name any number of flows, so the memory for them is bounded.
constexpr std::size_t most_flows = 100'000;

}  // namespace

Result<void> SqliteMarks::prepare() {
  SOJOURN_OR_RETURN(database_.run(sqlite_marks_schema));
  const auto noted = database_.number(
      "select count(*) from pragma_table_info('mark_flows') where name = 'until_ns'");
  if (!noted) return std::unexpected(noted.error());
  if (*noted > 0) return {};
  // A file of an earlier version: all that is there may be needed as long as the newest mark.
  return database_.run(
      "alter table mark_flows add column until_ns integer;"
      "update mark_flows set until_ns = (select max(start_ns) from marks)");
}

Result<std::int64_t> SqliteMarks::run_number(const PointMarks& marks) {
  auto put = database_.prepare(
      "insert into marking_runs (point, instance, since_ns, clock_error_ns, ended, duty, method, "
      "carrier, exponent, copies) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict "
      "do update set ended = max(ended, excluded.ended)");
  if (!put) return std::unexpected(put.error());
  const MarkingRun& run = marks.run;
  bind_run(*put, marks)
      .bind(6, run.duty)
      .bind(7, run.method)
      .bind(8, run.carrier)
      .bind(9, std::int64_t{run.exponent})
      .bind(10, std::int64_t{run.copies});
  SOJOURN_OR_RETURN(put->run());
  return stored_run(database_, "select id from marking_runs where point = ? and instance = ?",
                    marks.point, marks.instance);
}

Result<std::int64_t> SqliteMarks::flow_number(const std::string& flow, Timestamp start) {
  if (flow.empty()) return 0;
  const auto known = flows_.find(flow);
  if (known != flows_.end() && start <= known->second.until) return known->second.id;
  const Timestamp until = start + noted_ahead;
  auto put = database_.prepare(
      "insert into mark_flows (flow, until_ns) values (?, ?) on conflict do update set "
      "until_ns = max(coalesce(until_ns, 0), excluded.until_ns)");
  if (!put) return std::unexpected(put.error());
  put->bind(1, flow).bind(2, to_ns(until));
  SOJOURN_OR_RETURN(put->run());
  auto select = database_.prepare("select id from mark_flows where flow = ?");
  if (!select) return std::unexpected(select.error());
  select->bind(1, flow);
  const auto row = select->step();
  if (!row) return std::unexpected(row.error());
  if (flows_.size() > most_flows) flows_.clear();
  flows_[flow] = {select->number(0), until};
  return select->number(0);
}

Result<void> SqliteMarks::write(std::span<const PointMarks> all) {
  if (all.empty()) return {};
  auto put = database_.prepare(put_mark);
  if (!put) return std::unexpected(put.error());
  for (const PointMarks& marks : all) {
    const auto run = run_number(marks);
    if (!run) return std::unexpected(run.error());
    for (const MarkCount& count : marks.counts) {
      const auto flow = flow_number(count.flow, count.start);
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
  return {};
}

/// Run by run, since rows lie in that order.
Result<void> SqliteMarks::drop_old(Timestamp before) {
  SOJOURN_OR_RETURN(run_before(
      database_, "delete from marks where start_ns < ? and run in (select id from marking_runs)",
      before));
  SOJOURN_OR_RETURN(database_.run(
      "delete from marking_runs where not exists (select 1 from marks where run = id)"));
  SOJOURN_OR_RETURN(
      run_before(database_, "delete from mark_flows where coalesce(until_ns, 0) < ?", before));
  std::erase_if(flows_, [&](const auto& flow) { return flow.second.until < before; });
  return {};
}

Result<std::vector<PointMarks>> SqliteMarks::read(const std::string& point, Timestamp from,
                                                  Timestamp to) {
  std::vector<PointMarks> all;
  // A file of an earlier version, which no collector has written to since.
  const auto known = database_.has_table("marks");
  if (!known) return std::unexpected(known.error());
  if (!*known) return all;
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

Result<void> SqliteMarks::read_counts(std::int64_t run, Timestamp from, Timestamp to,
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
