// make_store STORE: a small store for the golden outputs of `sojourn query`, as a collector would
// have written it a moment ago.
// make_store STORE --empty: one to which nothing was written yet.
//
// `query --since 1h` shows 24 columns of 150 s.  All slices lie in the middle of such a column, so
// that it is the same one for at least 40 s after this.  Loss is known up to a minute ago.
//
//     north:south  one-way, 198.51.100.0/24: 10 ms, and from the 13th column on 14 ms; 1 % lost
//                  203.0.113.0/24: 20 ms; no loss, and some flows are never seen again
//     south:north  one-way, -1 ms: the clocks differ
//     north        tcp, leg server, two flows of two ports
//     "a,b...      icmp; a name as an older collector took it, which is to be printed safely
//
// and what points of marks and of reference packets counted.

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "naming/stored_group.h"
#include "store/cell_batch.h"
#include "store/store.h"

using namespace sojourn;
using namespace std::chrono_literals;

namespace {

const std::vector<std::string> subjects = {"north:south", "south:north", "north",
                                           "a,b\"c\n\x1b[31m"};

struct Stream {
  std::uint32_t subject;
  std::uint8_t measure, leg;
  const char* group;
};

void add(CellBatch& batch, const Stream& stream, Timestamp slice, std::int32_t bin, int packets) {
  const Prefix group = *parse_group(stream.group);
  const CellSeries series{.slice = slice,
                          .subject = stream.subject,
                          .measure = stream.measure,
                          .leg = stream.leg,
                          .prefix_length = static_cast<std::uint8_t>(group.length()),
                          .prefix = group.network()};
  for (int flow = 0; flow < packets; ++flow)
    batch.add(series, bin, FlowTag::numbered(static_cast<std::uint64_t>(flow)), 1);
}

std::int32_t bin_of(Duration delay) { return LogBuckets::index_of(to_ns(delay)); }

void add_losses(CellBatch& batch, const char* group, Timestamp slice, int sent, int arrived,
                int unseen) {
  const Stream losses{0, number_of(Measure::loss), 0, group};
  add(batch, losses, slice, static_cast<std::int32_t>(LossBin::sent), sent);
  add(batch, losses, slice, static_cast<std::int32_t>(LossBin::arrived), arrived);
  add(batch, losses, slice, static_cast<std::int32_t>(LossBin::unseen), unseen);
}

void add_column(CellBatch& batch, Timestamp slice, int column) {
  constexpr const char *one = "198.51.100.0/24", *other = "203.0.113.0/24";
  constexpr std::uint8_t oneway = number_of(Measure::oneway), server = 0;
  add(batch, {0, oneway, 0, one}, slice, bin_of(column < 12 ? 10ms : 14ms), 100);
  add_losses(batch, one, slice, 100, 99, 0);
  if (column % 4 > 0) return;
  add(batch, {0, oneway, 0, other}, slice, bin_of(20ms), 10);
  add_losses(batch, other, slice, 10, 10, 2);
  add(batch, {1, oneway, 0, "192.0.2.0/24"}, slice, bin_of(-1ms), 40);
  const auto tcp = number_of(Kind::tcp);
  add(batch, {2, tcp, server, "192.0.2.7:50001 > 198.51.100.1:443"}, slice, bin_of(10ms), 30);
  add(batch, {2, tcp, server, "192.0.2.7:50002 > 198.51.100.2:5432"}, slice, bin_of(40ms), 20);
  add(batch, {3, number_of(Kind::icmp), server, "192.0.2.0/24"}, slice, bin_of(1ms), 4);
}

PointLedger ledger_of(const std::string& point, Timestamp now) {
  using enum Account;
  PointLedger ledger;
  ledger.point = point;
  ledger.instance = 7;
  ledger.first_heard = now - 25h;
  ledger.last_heard = now;
  auto& counts = ledger.accounts;
  counts[packets_seen] = 1'000'000;
  counts[packets_not_selected] = 990'000;
  counts[packets_selected] = 10'000;
  counts[packets_exported] = 9'000;
  counts[packets_spooled] = 1'000;
  counts[records_exported] = 5'010;
  counts[received] = 5'000;
  counts[joined] = 4'900;
  counts[without_partner] = 100;
  counts[stored] = 4'900;
  return ledger;
}

/// Four intervals of a second, which end a minute ago; of the third one packet was lost.
PointMarks marks_of(const std::string& point, Timestamp end, bool is_last) {
  PointMarks marks{.point = point,
                   .instance = 1,
                   .run = {.duty = is_last ? "restore" : "mark",
                           .method = "multiplexed",
                           .carrier = "dscp:0",
                           .clock_error = 10us,
                           .since = end - 4100ms},
                   .counts = {}};
  for (int i = 0; i < 4; ++i) {
    const Timestamp start = end - (4 - i) * 1s;
    const MarkCount read{.interval = to_ns(start) / 1'000'000'000,
                         .start = start,
                         .read_at = start + 1500ms,
                         .doubt = {},
                         .flow = {}};
    marks.counts.push_back(read);
    MarkCount& count = marks.counts.emplace_back(read);
    count.flow = "any";
    count.packets = is_last && i == 2 ? 999 : 1000;
    count.pulses = 1;
    count.pulse_time = start + 500ms + (is_last ? 3ms : 0ms);
  }
  return marks;
}

/// Two intervals of ten seconds: a flow that was measured, and one whose packets were not.
PointReferences references_of(Timestamp end) {
  PointReferences references{
      .point = "south", .instance = 1, .run = {.since = end - 20s}, .intervals = {}};
  const FlowKey key{*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"), 1000, 53,
                    17};
  const FlowKey other{*IpAddress::parse("2001:db8::1"), *IpAddress::parse("2001:db8:1::2"), 0, 0,
                      58};
  for (int i = 0; i < 2; ++i)
    references.intervals.push_back(
        {.begin = references.run.since + i * 10s,
         .end = references.run.since + (i + 1) * 10s,
         .flows =
             {{.key = key, .packets = 100, .estimated = 90, .mean_ns = 1e6, .deviation_ns = 2e5},
              {.key = other, .packets = 3}},
         .seen = ReferenceSeen{.references = 12, .lost = 1}});
  return references;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto store = open_store(argv[1]);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  if (argc > 2 && std::string_view{argv[2]} == "--empty") return 0;
  const Timestamp now = slice_of(
      std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()), finest_slice);
  CellBatch batch;
  for (int column = 2; column < 22; ++column)
    if (column != 5)  // nothing passed then
      add_column(batch, now - 1h + column * 150s + 70s, column);
  std::vector ledgers = {ledger_of("north", now), ledger_of(subjects[3], now)};
  ledgers[1].accounts[Account::waiting] = 1;  // it does not add up
  const std::vector<SegmentClock> clocks = {
      {0, slice_of(now - 10min, 10min), 100'000, -50'000, 60'000},
      {1, slice_of(now - 10min, 10min), std::nullopt, std::nullopt, std::nullopt}};
  const std::vector marks = {marks_of("first", now - 1min, false),
                             marks_of("last", now - 1min, true)};
  const std::vector references = {references_of(now - 1min)};
  const auto done = (*store)->write(
      {now, now - 1min, subjects, batch.blocks(), ledgers, clocks, {}, marks, references});
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return 1;
}
