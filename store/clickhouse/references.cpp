// Delays by reference packets in ClickHouse, on the first shard.  They need no batch: the same row
// twice is one.

#include "store/clickhouse/references.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <tuple>

#include "store/clickhouse/row_batch.h"
#include "store/clickhouse/row_binary.h"
#include "store/common/or_return.h"

namespace sojourn::clickhouse {
namespace {

RowWriter& append_run(RowWriter& rows, const PointReferences& references,
                      const ReferenceInterval& interval) {
  const ReferenceRun& run = references.run;
  return rows.text(references.point)
      .number(to_ns(run.since))
      .number(references.instance)
      .number(to_ns(run.every))
      .number(run.clock_error ? to_ns(*run.clock_error) : unknown_clock)
      .number(to_ns(interval.begin))
      .number(to_ns(interval.end));
}

void append_seen(RowWriter& rows, const ReferenceSeen& seen) {
  for (const std::uint64_t count :
       {seen.references, seen.lost, seen.reordered, seen.of_others, seen.off, seen.before_first,
        seen.after_last, seen.no_room, seen.unread})
    rows.number(count);
}

void append_flow(RowWriter& rows, const ReferenceFlow& flow) {
  rows.fixed(sixteen_bytes(flow.key.source))
      .number(flow.key.source_port)
      .fixed(sixteen_bytes(flow.key.destination))
      .number(flow.key.destination_port)
      .number(flow.key.protocol)
      .number(flow.packets)
      .number(flow.estimated)
      .number(flow.left_only)
      .number(flow.mean_ns)
      .number(flow.deviation_ns);
}

ReferenceSeen seen_in(RowReader& in) {
  ReferenceSeen seen;
  for (std::uint64_t* const count :
       {&seen.references, &seen.lost, &seen.reordered, &seen.of_others, &seen.off,
        &seen.before_first, &seen.after_last, &seen.no_room, &seen.unread})
    *count = in.number<std::uint64_t>();
  return seen;
}

IpAddress address_in(RowReader& in) {
  const std::string_view bytes = in.fixed(16);
  return bytes.size() == 16 ? address_of(bytes) : IpAddress{};
}

ReferenceFlow flow_in(RowReader& in) {
  ReferenceFlow flow;
  flow.key.source = address_in(in);
  flow.key.source_port = in.number<std::uint16_t>();
  flow.key.destination = address_in(in);
  flow.key.destination_port = in.number<std::uint16_t>();
  flow.key.protocol = in.number<std::uint8_t>();
  flow.packets = in.number<std::uint64_t>();
  flow.estimated = in.number<std::uint64_t>();
  flow.left_only = in.number<std::uint64_t>();
  flow.mean_ns = in.number<double>();
  flow.deviation_ns = in.number<double>();
  return flow;
}

/// Who, and in which order: by name, then by begin.
using RunKey = std::tuple<std::string, std::int64_t, std::uint64_t>;
struct RunAnswer {
  RunAnswer(PointReferences who, const ReferenceVisitor& visit)
      : run(std::move(who)), joiner(run, visit) {}
  PointReferences run;
  ReferenceJoiner joiner;
};
using RunAnswers = std::map<RunKey, std::unique_ptr<RunAnswer>>;

RunAnswer& answer_in(RowReader& in, RunAnswers& answers, const ReferenceVisitor& visit) {
  PointReferences who;
  who.point = in.text();
  who.run.since = time_in(in);
  who.instance = in.number<std::uint64_t>();
  who.run.every = Duration{in.number<std::int64_t>()};
  if (const auto error = in.number<std::int64_t>(); error != unknown_clock)
    who.run.clock_error = Duration{error};
  auto& answer = answers[{who.point, to_ns(who.run.since), who.instance}];
  if (!answer) answer = std::make_unique<RunAnswer>(std::move(who), visit);
  return *answer;
}

/// Rows in the order of their keys, each of them once.
Result<std::string> rows_of(const Server& server, std::string_view table, std::string_view columns,
                            std::string_view key, const ReferenceQuestion& question) {
  return server.select(fmt::format(
      "select distinct point, since_ns, instance, every_ns, clock_error_ns, begin_ns, end_ns, {} "
      "from {} where {} and begin_ns >= {} and begin_ns < {} order by point, since_ns, instance, "
      "begin_ns{} format RowBinary",
      columns, table,
      question.point.empty() ? std::string{"1"} : "point = " + quoted(question.point),
      to_ns(question.from), to_ns(question.to), key));
}

}  // namespace

Result<void> send_references(const Server& server, std::span<const PointReferences> all) {
  RowBatch intervals{server, "reference_intervals"}, flows{server, "reference_flows"};
  for (const PointReferences& references : all)
    for (const ReferenceInterval& interval : references.intervals) {
      if (interval.seen) {
        append_seen(append_run(intervals.rows(), references, interval), *interval.seen);
        SOJOURN_OR_RETURN(intervals.added(interval.begin));
      }
      for (const ReferenceFlow& flow : interval.flows) {
        append_flow(append_run(flows.rows(), references, interval), flow);
        SOJOURN_OR_RETURN(flows.added(interval.begin));
      }
    }
  SOJOURN_OR_RETURN(intervals.send());
  return flows.send();
}

Result<void> read_references(const Server& server, const ReferenceQuestion& question,
                             const ReferenceVisitor& visit) {
  const auto known = has_table(server, "reference_flows");
  if (!known) return std::unexpected(known.error());
  if (!*known) return {};  // of an earlier version
  RunAnswers answers;
  const auto intervals =
      rows_of(server, "reference_intervals",
              "used, lost, reordered, of_others, off, before_first, after_last, no_room, unread",
              "", question);
  if (!intervals) return std::unexpected(intervals.error());
  RowReader seen{*intervals};
  while (!seen.done()) {
    RunAnswer& answer = answer_in(seen, answers, visit);
    const Timestamp begin = time_in(seen), end = time_in(seen);
    answer.joiner.interval(begin, end, seen_in(seen));
  }
  const auto flows =
      rows_of(server, "reference_flows",
              "source, source_port, destination, destination_port, protocol, packets, measured, "
              "left_only, mean_ns, deviation_ns",
              ", source, source_port, destination, destination_port, protocol", question);
  if (!flows) return std::unexpected(flows.error());
  RowReader in{*flows};
  while (!in.done()) {
    RunAnswer& answer = answer_in(in, answers, visit);
    const Timestamp begin = time_in(in), end = time_in(in);
    const ReferenceFlow flow = flow_in(in);
    if (in.failed()) break;
    // Rows are in the order of runs: those before this one are complete.
    while (answers.begin()->second.get() != &answer) {
      answers.begin()->second->joiner.finish();
      answers.erase(answers.begin());
    }
    answer.joiner.flow(begin, end, flow);
  }
  if (seen.failed() || in.failed()) return failure("a row of references is damaged");
  for (auto& [run, answer] : answers) answer->joiner.finish();
  return {};
}

}  // namespace sojourn::clickhouse
