#include "pipeline/point/point_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "capture/files/open.h"
#include "ipfix/session.h"
#include "pipeline/point/point_secret.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const std::string demo = std::string{SOJOURN_CAPTURES} + "/demo.pcapng";

/// All reports that a capture gives.
struct Replayed {
  std::vector<FlowRecord> records;
  std::vector<RttCell> cells;
  PointCounters counters;
  std::optional<Selection> selection;
  std::optional<ClockState> clock;
  std::uint64_t packets = 0;
  std::vector<PointCounters> all_counters;
  std::vector<std::uint64_t> numbers;  ///< of messages
};

Replayed replay(PointOptions options) {
  auto spool = ipfix::Spool::open({.instance = options.point.instance});
  options.point.name = "north";
  PointRun run{options, **spool};
  auto source = open_capture(demo);
  EXPECT_TRUE(source) << source.error().message;
  std::vector<Packet> batch(256);
  Replayed replayed;
  while (true) {
    const Source::Filled filled = (*source)->next(batch);
    run.process({batch.data(), filled.count});
    if (filled.count > 0) run.advance(batch[filled.count - 1].time);
    if (filled.end) break;
  }
  run.finish();
  replayed.packets = (*source)->counters().packets;
  ipfix::Session session;
  PointReport report;
  for (const auto& message : ipfix::template_messages(options.writer, {}))
    session.decode(message, report);
  while (const auto message = (*spool)->next()) {
    EXPECT_TRUE(session.decode(*message, report).from_a_point);
    replayed.records.insert(replayed.records.end(), report.records.begin(), report.records.end());
    replayed.cells.insert(replayed.cells.end(), report.cells.begin(), report.cells.end());
    if (report.counters) replayed.counters = *report.counters;
    if (report.counters) replayed.all_counters.push_back(*report.counters);
    if (report.selection) replayed.selection = report.selection;
    if (report.clock) replayed.clock = report.clock;
    replayed.numbers.push_back(report.number);
    (*spool)->sent({});
  }
  EXPECT_EQ(session.troubles().total(), 0u);
  return replayed;
}

PointOptions options_with(double sampling) {
  PointOptions options;
  options.point.instance = 7;
  options.oneway.sampling = sampling;
  options.secret_fingerprint = 42;
  options.every = 1s;
  options.cells.slice = 1s;
  return options;
}

TEST(PointRun, EveryPacketIsInTheLedger) {
  const Replayed all = replay(options_with(1));
  EXPECT_GT(all.all_counters.size(),
            3u);  // 8.7 s of traffic, at most a report a batch of 256 packets
  EXPECT_EQ(all.counters.packets_seen, all.packets);
  EXPECT_EQ(all.counters.packets_in_cache, 0u);
  std::uint64_t in_records = 0;
  for (const FlowRecord& record : all.records) in_records += record.packets;
  EXPECT_EQ(in_records, all.counters.packets_selected);
  for (const PointCounters& counters : all.all_counters) {
    EXPECT_EQ(counters.packets_seen, counters.packets_selected + counters.packets_not_selected);
    EXPECT_EQ(counters.packets_selected, counters.packets_in_cache + counters.packets_exported +
                                             counters.packets_spooled + counters.packets_discarded);
  }
  // A collector takes a message with a known number for a repetition.
  for (std::size_t i = 0; i < all.numbers.size(); ++i) EXPECT_EQ(all.numbers[i], i + 1);
  ASSERT_TRUE(all.selection && all.clock);
  EXPECT_EQ(all.selection->secret_fingerprint, 42u);
  EXPECT_EQ(all.selection->sampling, 1);
}

TEST(PointRun, SamplingSelectsAboutItsShare) {
  const Replayed tenth = replay(options_with(0.1));
  // 2 081 packets: five standard deviations.
  EXPECT_NEAR(static_cast<double>(tenth.counters.packets_selected), 208, 5 * std::sqrt(208 * 0.9));
  EXPECT_EQ(tenth.counters.packets_seen, 2'081u);
}

/// With the kernel's engine: what was not selected there never comes here, and is in the ledger.
TEST(PointRun, PacketsThatStayedInTheKernelAreSeenAndNotSelected) {
  auto spool = ipfix::Spool::open({.instance = 7});
  PointOptions options = options_with(1);
  options.point.name = "north";
  PointRun run{options, **spool};
  auto source = open_capture(demo);
  std::vector<Packet> batch(256);
  const Source::Filled filled = (*source)->next(batch);
  run.process({batch.data(), filled.count});
  const PointCounters before = run.counters();
  run.note_passed_over(1'000);
  run.note_drops(3);
  const PointCounters after = run.counters();
  EXPECT_EQ(after.packets_seen, before.packets_seen + 1'000);
  EXPECT_EQ(after.packets_not_selected, before.packets_not_selected + 1'000);
  EXPECT_EQ(after.packets_selected, before.packets_selected);
  EXPECT_EQ(after.packets_dropped, 3u);
}

TEST(PointRun, TakesRoundTripsThatWereMeasuredElsewhere) {
  auto spool = ipfix::Spool::open({.instance = 7});
  PointRun run{options_with(1), **spool};
  Sample sample;
  sample.time = timestamp_from_ns(1'000'000'000);
  sample.delay = 5ms;
  sample.weight = 2;
  run.take({&sample, 1});
  EXPECT_EQ(run.samples(), 1u);
}

TEST(PointRun, CellsHoldAllRoundTrips) {
  PointOptions options = options_with(0.01);
  options.rtt.emplace();
  const Replayed replayed = replay(options);
  // What `sojourn rtt` finds in it (README): 623 tcp, 36 dns, 160 icmp.
  double tcp = 0, dns = 0, icmp = 0;
  for (const RttCell& cell : replayed.cells) {
    if (cell.kind == Kind::tcp) tcp += cell.weight;
    if (cell.kind == Kind::dns) dns += cell.weight;
    if (cell.kind == Kind::icmp) icmp += cell.weight;
    EXPECT_NE(cell.flow_marks, 0u);
    EXPECT_EQ(to_ns(cell.slice) % 1'000'000'000, 0);
  }
  EXPECT_EQ(tcp, 623);
  EXPECT_EQ(dns, 36);
  EXPECT_EQ(icmp, 160);
}

TEST(PointRun, AnIdlePointStillReportsAndEmptiesItsCache) {
  auto spool = ipfix::Spool::open({.instance = 7});
  PointOptions options = options_with(1);
  options.point.name = "north";
  PointRun run{options, **spool};
  auto source = open_capture(demo);
  std::vector<Packet> batch(256);
  const Source::Filled filled = (*source)->next(batch);
  run.process({batch.data(), filled.count});
  Timestamp now = batch[filled.count - 1].time;
  run.advance(now);
  EXPECT_GT(run.counters().packets_in_cache, 0u);
  for (int i = 0; i < 400; ++i) run.advance(now += 100ms);
  EXPECT_EQ(run.counters().packets_in_cache, 0u);
  EXPECT_GE((*spool)->counters().appended.messages, 39u);
}

TEST(PointSecret, FingerprintAndInitTellNothingOfEachOther) {
  const std::string a = "sixteen bytes at least", b = "sixteen bytes at leasu";
  const PointSecret first = PointSecret::of(std::as_bytes(std::span{a})),
                    again = PointSecret::of(std::as_bytes(std::span{a})),
                    other = PointSecret::of(std::as_bytes(std::span{b}));
  EXPECT_EQ(first.init, again.init);
  EXPECT_EQ(first.fingerprint, again.fingerprint);
  EXPECT_NE(first.init, other.init);
  EXPECT_NE(first.fingerprint, other.fingerprint);
  EXPECT_NE(first.init, static_cast<std::uint32_t>(first.fingerprint));
  EXPECT_NE(first.init, static_cast<std::uint32_t>(first.fingerprint >> 32));
  EXPECT_FALSE(PointSecret::read("/nonexistent"));
  EXPECT_FALSE(PointSecret::read("/dev/null"));
}

}  // namespace
}  // namespace sojourn
