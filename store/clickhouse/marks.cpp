// Counts of marking points in ClickHouse, on the first shard.  They need no batch: the same row
// twice is one.

#include "store/clickhouse/marks.h"

#include <fmt/format.h>

#include "store/clickhouse/row_batch.h"
#include "store/clickhouse/row_binary.h"
#include "store/common/or_return.h"

namespace sojourn::clickhouse {
namespace {

void append_mark(RowWriter& rows, const PointMarks& marks, const MarkCount& count) {
  const MarkingRun& run = marks.run;
  rows.text(marks.point)
      .number(to_ns(run.since))
      .number(marks.instance)
      .text(run.duty)
      .text(run.method)
      .text(run.carrier)
      .number(static_cast<std::int8_t>(run.exponent))
      .number(run.clock_error ? to_ns(*run.clock_error) : unknown_clock)
      .number(static_cast<std::uint8_t>(run.copies))
      .number(to_ns(count.start))
      .text(count.flow)
      .number(count.interval)
      .number(to_ns(count.read_at))
      .text(count.doubt)
      .number(count.packets)
      .number(count.pulses)
      .number(to_ns(count.pulse_time))
      .number(to_ns(count.late))
      .number(to_ns(count.early))
      .number(count.middle)
      .number(count.contrary)
      .number(count.other)
      .number(count.marked_before)
      .number(count.repeats);
}

}  // namespace

Result<void> send_marks(const Server& server, std::span<const PointMarks> all) {
  RowBatch batch{server, "marks"};
  for (const PointMarks& marks : all)
    for (const MarkCount& count : marks.counts) {
      append_mark(batch.rows(), marks, count);
      SOJOURN_OR_RETURN(batch.added(count.start));
    }
  return batch.send();
}

/// Of two readings of one interval the one in doubt counts, then the one read last.
Result<std::vector<PointMarks>> read_marks(const Server& server, const std::string& point,
                                           Timestamp from, Timestamp to) {
  std::vector<PointMarks> all;
  const auto known = has_table(server, "marks");
  if (!known) return std::unexpected(known.error());
  if (!*known) return all;  // of an earlier version
  const auto bytes = server.select(fmt::format(
      "select since_ns, instance, duty, method, carrier, exponent, clock_error_ns, copies, "
      "start_ns, flow, number, read_ns, doubt, packets, pulses, pulse_ns, late_ns, early_ns, "
      "middle, contrary, other, marked_before, repeats from marks where point = {} and "
      "start_ns >= {} and start_ns < {} order by since_ns, instance, start_ns, flow, "
      "doubt != '' desc, read_ns desc limit 1 by since_ns, instance, start_ns, flow "
      "format RowBinary",
      quoted(point), to_ns(from), to_ns(to)));
  if (!bytes) return std::unexpected(bytes.error());
  RowReader in{*bytes};
  while (!in.done()) {
    PointMarks run{.point = point, .instance = 0, .run = {}, .counts = {}};
    run.run.since = time_in(in);
    run.instance = in.number<std::uint64_t>();
    run.run.duty = in.text();
    run.run.method = in.text();
    run.run.carrier = in.text();
    run.run.exponent = in.number<std::int8_t>();
    if (const auto error = in.number<std::int64_t>(); error != unknown_clock)
      run.run.clock_error = Duration{error};
    run.run.copies = in.number<std::uint8_t>() != 0;
    MarkCount count;
    count.start = time_in(in);
    count.flow = in.text();
    count.interval = in.number<std::int64_t>();
    count.read_at = time_in(in);
    count.doubt = in.text();
    count.packets = in.number<std::uint64_t>();
    count.pulses = in.number<std::uint32_t>();
    count.pulse_time = time_in(in);
    count.late = Duration{in.number<std::int64_t>()};
    count.early = Duration{in.number<std::int64_t>()};
    count.middle = in.number<std::uint64_t>();
    count.contrary = in.number<std::uint64_t>();
    count.other = in.number<std::uint64_t>();
    count.marked_before = in.number<std::uint64_t>();
    count.repeats = in.number<std::uint32_t>();
    if (in.failed()) return failure("a row of marks is damaged");
    if (all.empty() || all.back().instance != run.instance || all.back().run != run.run)
      all.push_back(std::move(run));
    all.back().counts.push_back(std::move(count));
  }
  return all;
}

}  // namespace sojourn::clickhouse
