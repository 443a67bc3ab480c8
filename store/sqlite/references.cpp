#ifdef SOJOURN_WITH_SQLITE
// Delays by reference packets in the store's file: a row for each interval, and for each flow in
// it.

#include "store/sqlite/references.h"

#include <functional>

#include "store/common/or_return.h"
#include "store/sqlite/counts.h"
#include "store/sqlite/schema.h"

namespace sojourn {
namespace {

Result<void> put_seen(SqliteStatement& put, std::int64_t run, const ReferenceInterval& interval) {
  if (!interval.seen) return {};
  const ReferenceSeen& seen = *interval.seen;
  put.bind(1, run).bind(2, to_ns(interval.begin)).bind(3, to_ns(interval.end));
  int at = 4;
  for (const std::uint64_t count :
       {seen.references, seen.lost, seen.reordered, seen.of_others, seen.off, seen.before_first,
        seen.after_last, seen.no_room, seen.unread})
    put.bind(at++, stored_number(count));
  return put.run();
}

Result<void> put_flow(SqliteStatement& put, std::int64_t run, const ReferenceInterval& interval,
                      const ReferenceFlow& flow) {
  const FlowKey& key = flow.key;
  return put.bind(1, run)
      .bind(2, to_ns(interval.begin))
      .bind(3, key.source.to_string())
      .bind(4, std::int64_t{key.source_port})
      .bind(5, key.destination.to_string())
      .bind(6, std::int64_t{key.destination_port})
      .bind(7, std::int64_t{key.protocol})
      .bind(8, to_ns(interval.end))
      .bind(9, stored_number(flow.packets))
      .bind(10, stored_number(flow.estimated))
      .bind(11, stored_number(flow.left_only))
      .bind_real(12, flow.mean_ns)
      .bind_real(13, flow.deviation_ns)
      .run();
}

Result<ReferenceFlow> flow_in(const SqliteStatement& row) {
  const auto source = IpAddress::parse(row.text(2)), destination = IpAddress::parse(row.text(4));
  if (!source || !destination) return failure("a flow of reference packets is damaged");
  return ReferenceFlow{
      .key = {*source, *destination, static_cast<std::uint16_t>(row.number(3)),
              static_cast<std::uint16_t>(row.number(5)), static_cast<std::uint8_t>(row.number(6))},
      .packets = count_of(row.number(7)),
      .estimated = count_of(row.number(8)),
      .left_only = count_of(row.number(9)),
      .mean_ns = row.real(10),
      .deviation_ns = row.real(11)};
}

}  // namespace

Result<void> SqliteReferences::prepare() { return database_.run(sqlite_references_schema); }

Result<std::int64_t> SqliteReferences::run_number(const PointReferences& references) {
  auto put = database_.prepare(
      "insert into reference_runs (point, instance, since_ns, clock_error_ns, ended, every_ns) "
      "values (?, ?, ?, ?, ?, ?) on conflict do update set ended = max(ended, excluded.ended)");
  if (!put) return std::unexpected(put.error());
  bind_run(*put, references).bind(6, to_ns(references.run.every));
  SOJOURN_OR_RETURN(put->run());
  return stored_run(database_, "select id from reference_runs where point = ? and instance = ?",
                    references.point, references.instance);
}

/// The same row again changes nothing.
Result<void> SqliteReferences::write(std::span<const PointReferences> all) {
  if (all.empty()) return {};
  auto seen = database_.prepare(
      "insert into reference_intervals values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do "
      "nothing");
  if (!seen) return std::unexpected(seen.error());
  auto flow = database_.prepare(
      "insert into reference_flows values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do "
      "nothing");
  if (!flow) return std::unexpected(flow.error());
  for (const PointReferences& references : all) {
    const auto run = run_number(references);
    if (!run) return std::unexpected(run.error());
    for (const ReferenceInterval& interval : references.intervals) {
      SOJOURN_OR_RETURN(put_seen(*seen, *run, interval));
      for (const ReferenceFlow& each : interval.flows)
        SOJOURN_OR_RETURN(put_flow(*flow, *run, interval, each));
    }
  }
  return {};
}

/// Run by run, since rows lie in that order.
Result<void> SqliteReferences::drop_old(Timestamp before) {
  for (const char* sql : {"delete from reference_intervals where begin_ns < ? and run in "
                          "(select id from reference_runs)",
                          "delete from reference_flows where begin_ns < ? and run in "
                          "(select id from reference_runs)"})
    SOJOURN_OR_RETURN(run_before(database_, sql, before));
  return database_.run(
      "delete from reference_runs where not exists (select 1 from reference_intervals where "
      "run = id) and not exists (select 1 from reference_flows where run = id)");
}

Result<void> SqliteReferences::read(const ReferenceQuestion& question,
                                    const ReferenceVisitor& visit) {
  // A file of an earlier version, which no collector has written to since.
  const auto known = database_.has_table("reference_flows");
  if (!known) return std::unexpected(known.error());
  if (!*known) return {};
  // All of the answer must be of one moment.
  SOJOURN_OR_RETURN(database_.run("begin"));
  const auto found = [&]() -> Result<void> {
    auto select = database_.prepare(
        "select id, point, instance, since_ns, clock_error_ns, ended, every_ns from "
        "reference_runs where ?1 = '' or point = ?1 order by point, since_ns, id");
    if (!select) return std::unexpected(select.error());
    select->bind(1, question.point);
    while (true) {
      const auto row = select->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return {};
      PointReferences run{.point = select->text(1),
                          .instance = count_of(select->number(2)),
                          .run = {.since = timestamp_from_ns(select->number(3)),
                                  .every = Duration{select->number(6)},
                                  .ended = select->number(5) != 0},
                          .intervals = {}};
      if (!select->is_null(4)) run.run.clock_error = Duration{select->number(4)};
      SOJOURN_OR_RETURN(read_run(select->number(0), question, run, visit));
    }
  }();
  (void)database_.run("commit");
  return found;
}

Result<void> SqliteReferences::read_run(std::int64_t run, const ReferenceQuestion& question,
                                        PointReferences& references,
                                        const ReferenceVisitor& visit) {
  ReferenceJoiner joiner{references, visit};
  const auto each_row =
      [&](std::string_view sql,
          const std::function<Result<void>(const SqliteStatement&)>& take) -> Result<void> {
    auto select = database_.prepare(sql);
    if (!select) return std::unexpected(select.error());
    select->bind(1, run).bind(2, to_ns(question.from)).bind(3, to_ns(question.to));
    while (true) {
      const auto row = select->step();
      if (!row) return std::unexpected(row.error());
      if (!*row) return {};
      SOJOURN_OR_RETURN(take(*select));
    }
  };
  const auto time = [](const SqliteStatement& row, int column) {
    return timestamp_from_ns(row.number(column));
  };
  SOJOURN_OR_RETURN(each_row(
      "select begin_ns, end_ns, used, lost, reordered, of_others, off, before_first, after_last, "
      "no_room, unread from reference_intervals where run = ? and begin_ns >= ? and begin_ns < ?",
      [&](const SqliteStatement& row) -> Result<void> {
        const auto count = [&](int column) { return count_of(row.number(column)); };
        joiner.interval(time(row, 0), time(row, 1),
                        {.references = count(2),
                         .lost = count(3),
                         .reordered = count(4),
                         .of_others = count(5),
                         .off = count(6),
                         .before_first = count(7),
                         .after_last = count(8),
                         .no_room = count(9),
                         .unread = count(10)});
        return {};
      }));
  SOJOURN_OR_RETURN(each_row(
      "select begin_ns, end_ns, source, source_port, destination, destination_port, protocol, "
      "packets, measured, left_only, mean_ns, deviation_ns from reference_flows where run = ? and "
      "begin_ns >= ? and begin_ns < ? order by begin_ns",
      [&](const SqliteStatement& row) -> Result<void> {
        const auto flow = flow_in(row);
        if (!flow) return std::unexpected(flow.error());
        joiner.flow(time(row, 0), time(row, 1), *flow);
        return {};
      }));
  joiner.finish();
  return {};
}

}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
