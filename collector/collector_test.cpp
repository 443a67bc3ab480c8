#include "collector/collector.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "collector/test_network.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> row = {"north", "mid", "south"};

CollectorOptions small(std::vector<std::string> path = {}) {
  CollectorOptions options;
  options.memory_bytes = std::size_t{32} << 20;
  options.path = std::move(path);
  return options;
}

void flush(Collector& collector, Timestamp now, TestSums& sums) {
  sums.take(collector.to_store(now));
  collector.stored();
}

/// All that the points report until `end`.
TestSums collect(TestNetwork& network, Collector& collector, Duration end) {
  TestSums sums;
  network.report(0s, end, [&](std::size_t, const PointReport& report, Timestamp now) {
    collector.advance(now);
    collector.take(report, now);
  });
  collector.advance(test_time(end + 70s));
  collector.finish(test_time(end + 70s));
  flush(collector, test_time(end + 70s), sums);
  for (const PointLedger& ledger : sums.ledgers()) EXPECT_EQ(ledger.fault(), "");
  return sums;
}

TEST(Collector, FindsTheSegmentsAndTheirDelays) {
  TestNetwork network{row, {{5ms, 7ms}, {20ms, 30ms}}, 1};
  network.run(0s, 60s, 100, true);
  Collector collector{small()};
  const TestSums sums = collect(network, collector, 200s);
  EXPECT_EQ(sums.segments(), (std::vector<std::string>{"mid:north", "mid:south", "north:mid",
                                                       "north:south", "south:mid", "south:north"}));
  for (const auto& [segment, delay] : std::map<std::string, Duration>{{"north:mid", 5ms},
                                                                      {"mid:north", 7ms},
                                                                      {"mid:south", 20ms},
                                                                      {"south:mid", 30ms},
                                                                      {"north:south", 25ms},
                                                                      {"south:north", 37ms}}) {
    const auto [near, all] = sums.delays_near(segment, delay);
    EXPECT_GT(all, 3'000) << segment;
    EXPECT_EQ(near, all) << segment;
  }
  for (const PointLedger& ledger : sums.ledgers())
    EXPECT_EQ(ledger[Account::joined], ledger[Account::received]);
}

// Clocks that are two seconds apart, beside delays of milliseconds: direction comes from traffic
// both ways, and the offset lies in its interval.
TEST(Collector, DirectionAndOffsetHoldWithClocksFarApart) {
  TestNetwork network{{"north", "south"}, {{5ms, 7ms}}, 2};
  network.offsets = {0s, -2s};
  network.run(0s, 60s, 100, true);
  Collector collector{small()};
  const TestSums sums = collect(network, collector, 200s);
  EXPECT_EQ(sums.segments(), (std::vector<std::string>{"north:south", "south:north"}));
  const auto [near, all] = sums.delays_near("north:south", 5ms - 2s);
  EXPECT_GT(all, 1'000);
  EXPECT_EQ(near, all);
  const SegmentClock& clock = sums.clocks.at("north:south");
  ASSERT_TRUE(clock.offset_low_ns && clock.offset_high_ns);
  EXPECT_LE(*clock.offset_low_ns, -2'000'000'000);
  EXPECT_GE(*clock.offset_high_ns, -2'000'000'000);
  EXPECT_LE(*clock.offset_high_ns - *clock.offset_low_ns, 13'000'000);
  EXPECT_EQ(clock.error_ns, 200'000);
}

// Loss of the named path comes out to the packet: everything that passed the first point after the
// start, and everything that passed the second.
TEST(Collector, LossOfANamedPathIsExact) {
  TestNetwork network{row, {{5ms, 5ms, 0.03}, {5ms, 5ms, 0.10}}, 3};
  network.run(0s, 120s, 100, true);
  Collector collector{small(row)};
  const TestSums sums = collect(network, collector, 300s);
  const std::array<std::tuple<const char*, std::size_t, std::size_t, bool>, 6> segments = {
      {{"north:mid", 0, 1, false},
       {"mid:south", 1, 2, false},
       {"north:south", 0, 2, false},
       {"south:mid", 2, 1, true},
       {"mid:north", 1, 0, true},
       {"south:north", 2, 0, true}}};
  for (const auto& [segment, from, to, backward] : segments) {
    const auto sent = static_cast<double>(network.packets_at(from, backward, 15s));
    const auto arrived = static_cast<double>(network.packets_at(to, backward, 15s));
    EXPECT_GT(sent, 10'000);
    EXPECT_EQ(sums.loss(segment, LossBin::sent), sent) << segment;
    EXPECT_EQ(sums.loss(segment, LossBin::arrived), arrived) << segment;
    EXPECT_EQ(sums.loss(segment, LossBin::unseen), 0) << segment;
  }
}

// Without a path, flows that nobody saw again may have gone elsewhere: they are counted apart.
TEST(Collector, LossOfAnUnnamedPathKeepsTheUnseenApart) {
  TestNetwork network{{"north", "south"}, {{5ms, 5ms, 0.05}}, 4};
  network.run(0s, 120s, 100, false);
  Collector collector{small()};
  const TestSums sums = collect(network, collector, 300s);
  const auto sent = static_cast<double>(network.packets_at(0, false, 15s));
  const auto arrived = static_cast<double>(network.packets_at(1, false, 15s));
  EXPECT_EQ(sums.loss("north:south", LossBin::sent) + sums.loss("north:south", LossBin::unseen),
            sent);
  EXPECT_EQ(sums.loss("north:south", LossBin::arrived), arrived);
  EXPECT_GT(sums.loss("north:south", LossBin::unseen), 0);
}

// A point that is cut off for two minutes and then sends what waited: late is not lost.
TEST(Collector, APointThatIsCutOffLosesNothing) {
  TestNetwork network{{"north", "south"}, {{5ms, 5ms, 0}}, 5};
  network.run(0s, 400s, 50, false);
  Collector collector{small({"north", "south"})};
  TestSums sums;
  std::vector<PointReport> spool;
  network.report(0s, 600s, [&](std::size_t point, const PointReport& report, Timestamp now) {
    collector.advance(now);
    const Duration since = now - test_time(0s);
    if (point == 1 && since >= 100s && since < 220s) {
      spool.push_back(report);
      return;
    }
    if (point == 1)
      for (const PointReport& waiting : std::exchange(spool, {})) collector.take(waiting, now);
    collector.take(report, now);
  });
  collector.finish(test_time(700s));
  flush(collector, test_time(700s), sums);
  EXPECT_EQ(sums.loss("north:south", LossBin::sent), sums.loss("north:south", LossBin::arrived));
  EXPECT_GT(sums.loss("north:south", LossBin::sent), 10'000);
  EXPECT_GT(sums.ledger("north")[Account::without_partner], 1'000u);
  for (const PointLedger& ledger : sums.ledgers()) EXPECT_EQ(ledger.fault(), "");
}

// Flows of their own each way, as between two hosts that only send: the hosts tell that they belong
// together, though no port does.  A named path does not turn them round.
TEST(Collector, TrafficBothWaysNeedsNoAnswers) {
  TestNetwork network{{"north", "south"}, {{5ms, 7ms}}, 13};
  network.ports_of_their_own = true;
  network.run(0s, 60s, 100, true);
  Collector collector{small({"north", "south"})};
  const TestSums sums = collect(network, collector, 200s);
  for (const auto& [segment, delay] :
       std::map<std::string, Duration>{{"north:south", 5ms}, {"south:north", 7ms}}) {
    const auto [near, all] = sums.delays_near(segment, delay);
    EXPECT_GT(all, 3'000) << segment;
    EXPECT_EQ(near, all) << segment;
  }
}

// A wait that is shorter than the usual warm-up: records are still there when the direction is
// known.
TEST(Collector, AShortWaitStillJoins) {
  TestNetwork network{{"north", "south"}, {{5ms, 7ms}}, 12};
  network.run(0s, 30s, 50, false);
  CollectorOptions options = small();
  options.wait = 8s;
  Collector collector{options};
  TestSums sums;
  network.report(0s, 100s, [&](std::size_t point, const PointReport& report, Timestamp now) {
    collector.take(report, now);
    for (Duration later = 1s; point == 1 && later < 9s; later += 1s) collector.advance(now + later);
  });
  collector.finish(test_time(200s));
  flush(collector, test_time(200s), sums);
  // But for some at the edges, whose partner is in the next report.
  EXPECT_GT(sums.ledger("north")[Account::joined] * 100,
            sums.ledger("north")[Account::received] * 99);
}

TEST(Collector, RefusesToJoinDifferentSelectionsAndSaysSo) {
  const auto differs = [](auto change) {
    TestNetwork network{{"north", "south"}, {{5ms, 5ms}}, 6};
    change(network.selections[1]);
    network.run(0s, 20s, 50, false);
    Collector collector{small()};
    const TestSums sums = collect(network, collector, 100s);
    EXPECT_TRUE(sums.segments().empty());
    EXPECT_EQ(sums.ledger("north")[Account::other_selection],
              sums.ledger("north")[Account::received]);
    const auto notices = collector.take_notices();
    return notices.size() == 1 ? notices.front() : "";
  };
  EXPECT_EQ(differs([](Selection& s) { s.secret_fingerprint = 7; }),
            "north and south select differently and are not joined: different secrets");
  EXPECT_EQ(differs([](Selection& s) { s.sampling = 0.01; }),
            "north and south select differently and are not joined: sampling 1 and 0.01");
  EXPECT_EQ(differs([](Selection& s) { s.hash = "ipsx"; }),
            "north and south select differently and are not joined: hash bob and ipsx");
  EXPECT_EQ(differs([](Selection& s) { s.payload_bytes = 8; }),
            "north and south select differently and are not joined: 40 and 8 payload bytes");
}

TEST(Collector, AClockAnHourAheadIsNamed) {
  TestNetwork network{{"north", "south"}, {{5ms, 5ms}}, 7};
  network.offsets = {0s, 1h};
  network.run(0s, 20s, 50, false);
  Collector collector{small()};
  const TestSums sums = collect(network, collector, 100s);
  EXPECT_TRUE(sums.segments().empty());
  EXPECT_EQ(sums.ledger("south")[Account::without_partner],
            sums.ledger("south")[Account::received]);
  const auto notices = collector.take_notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("the clock of south is 3600 s ahead"), std::string::npos) << notices[0];
}

// A clock that is set back by 50 ms in the middle: readings before and after go the right way.
TEST(Collector, DirectionsSurviveAClockThatSteps) {
  TestNetwork network{{"north", "south"}, {{5ms, 7ms}}, 8};
  network.run(0s, 60s, 100, true);
  network.offsets[1] = -50ms;
  network.run(60s, 120s, 100, true);
  network.offsets[1] = 0s;  // only the past is stamped with it
  Collector collector{small()};
  const TestSums sums = collect(network, collector, 300s);
  const auto before = sums.delays_near("north:south", 5ms),
             after = sums.delays_near("north:south", -45ms);
  EXPECT_GT(before.first, 1'000);
  EXPECT_GT(after.first, 1'000);
  EXPECT_GE(before.first + after.first, 0.98 * before.second);
  const auto notices = collector.take_notices();
  EXPECT_TRUE(std::ranges::any_of(notices, [](const std::string& notice) {
    return notice == "the clocks of north and south have moved against each other";
  }));
}

TEST(Collector, TooManyRecordsLeaveEarlyAndAreCounted) {
  TestNetwork network{{"north"}, {}, 9};
  network.run(0s, 60s, 1'000, false);
  CollectorOptions options = small();
  options.memory_bytes = 1'000'000;
  Collector collector{options};
  const TestSums sums = collect(network, collector, 100s);
  EXPECT_GT(sums.ledger("north")[Account::no_room], 10'000u);
}

// A host that is spoken to after it closed answers with the same reset again and again: which of
// them is which nobody can tell, and that is no lack of partners.
TEST(Collector, CopiesOfAPacketAreCountedApart) {
  Collector collector{small()};
  for (const char* name : {"north", "south"}) {
    PointReport report;
    report.point = {name, 1};
    report.number = 1;
    report.selection = Selection{};
    for (int i = 0; i < 5; ++i) {
      FlowRecord record;
      record.key = test_flow_key(7);
      record.packets = 1;
      record.first = record.last =
          test_time(20s + i * 1ms + (report.point.name == "north" ? 0ms : 5ms));
      record.first_label = record.last_label = 99;
      report.records.push_back(record);
    }
    collector.take(report, test_time(21s));
  }
  for (const Duration at : {40s, 200s}) collector.advance(test_time(at));
  for (const PointLedger& ledger : collector.ledgers()) {
    EXPECT_EQ(ledger[Account::joined], 1u);
    EXPECT_EQ(ledger[Account::ambiguous], 4u);
    EXPECT_EQ(ledger[Account::without_partner], 0u);
  }
}

TEST(Collector, RoundTripCellsAreStoredUnderThePoint) {
  Collector collector{small()};
  PointReport report;
  report.point = {"north", 1};
  RttCell cell;
  cell.slice = test_time(0s);
  cell.kind = Kind::dns;
  cell.bin = 1234;
  cell.weight = 3;
  cell.squared_weights = 5;
  cell.flow_marks = 1;
  report.cells = {cell};
  collector.take(report, test_time(1s));
  const StoreWrite write = collector.to_store(test_time(1s));
  ASSERT_EQ(write.blocks.size(), 1u);
  EXPECT_EQ(write.subjects[write.blocks[0].first.subject], "north");
  EXPECT_EQ(write.blocks[0].first.measure, number_of(Kind::dns));
  EXPECT_EQ(write.blocks[0].second.cells[0].weight, 3);
  EXPECT_EQ(write.ledgers[0][Account::cells_received], 1u);
}

TEST(Collector, CellsThatCannotBeAreInTheLedger) {
  Collector collector{small()};
  PointReport report;
  report.point = {"north", 1};
  RttCell good;
  good.slice = test_time(0s);
  good.weight = good.squared_weights = 1;
  good.flow_marks = 1;
  RttCell too_heavy = good, weightless = good, no_number = good, no_group = good;
  too_heavy.weight = 1e300;
  weightless.weight = 0;
  no_number.squared_weights = std::numeric_limits<double>::quiet_NaN();
  no_group.flow_group = FlowTag::groups;
  report.cells = {good, too_heavy, weightless, no_number, no_group};
  collector.take(report, test_time(1s));
  TestSums sums;
  flush(collector, test_time(1s), sums);
  const PointLedger& ledger = sums.ledger("north");
  EXPECT_EQ(ledger[Account::cells_received], 5u);
  EXPECT_EQ(ledger[Account::cells_stored], 1u);
  EXPECT_EQ(ledger[Account::cells_refused], 4u);
  EXPECT_EQ(ledger.fault(), "");
}

// Messages twice, out of order and lost, records twice, points and the collector restarted at any
// time: after each write the ledgers of the store add up, and no delay is there twice.
TEST(Collector, TheLedgerAddsUpWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random{seed};
    TestNetwork network{row, {{5ms, 7ms, 0.02}, {20ms, 30ms, 0.02}}, seed};
    network.run(0s, 60s, 40, true);
    CollectorOptions options = small();
    if (seed % 3 == 0) options.memory_bytes = 200'000;
    auto collector = std::make_unique<Collector>(options);
    TestSums sums;
    std::vector<PointReport> held;
    std::uint64_t most_ends = 0;
    std::array<std::uint64_t, 3> instances = {1, 1, 1}, numbers = {0, 0, 0};
    const auto check = [&] {
      for (const PointLedger& ledger : sums.ledgers())
        ASSERT_EQ(ledger.fault(), "") << "seed " << seed;
    };
    network.report(0s, 250s, [&](std::size_t point, PointReport report, Timestamp now) {
      if (random() % 40 == 0) {
        ++instances[point];
        numbers[point] = 0;
      }
      report.point.instance = instances[point];
      report.number = ++numbers[point];
      most_ends += 2 * 2 * report.records.size();
      for (const FlowRecord& record : std::vector{report.records})
        if (random() % 30 == 0) report.records.push_back(record);
      if (random() % 20 == 0) return;  // lost on the way
      held.push_back(report);
      if (random() % 10 == 0) held.push_back(report);  // sent again
      std::ranges::shuffle(held, random);
      while (!held.empty() && random() % 4 != 0) {
        collector->advance(now);
        collector->take(held.back(), now);
        held.pop_back();
      }
      if (random() % 3 == 0) flush(*collector, now, sums);
      check();
      if (random() % 40 == 0) {  // killed: what was not stored is gone
        const auto ledgers = sums.ledgers();
        collector = std::make_unique<Collector>(options);
        collector->resume(ledgers);
        flush(*collector, now, sums);
        check();
      }
    });
    collector->finish(test_time(400s));
    flush(*collector, test_time(400s), sums);
    check();
    double stored = 0;
    for (const std::string& segment : sums.segments())
      stored += sums.delays_near(segment, 5ms).second;
    EXPECT_GT(stored, 0);
    // Each packet weighs once per segment and end of its record: never more than it can.
    double packets = 0;
    for (std::size_t point = 0; point < 3; ++point)
      for (const bool backward : {false, true})
        packets += static_cast<double>(network.packets_at(point, backward, 0s));
    EXPECT_LE(stored, packets) << "seed " << seed;
  }
}

// The twin: a collector that forgets which messages it had counts them again.
TEST(Collector, TheCheckWouldNoticeAMessageCountedTwice) {
  TestNetwork network{{"north", "south"}, {{5ms, 5ms}}, 11};
  network.run(0s, 30s, 50, false);
  Collector collector{small()};
  TestSums sums;
  network.report(0s, 100s, [&](std::size_t, PointReport report, Timestamp now) {
    collector.take(report, now);
    collector.take(report, now);
  });
  flush(collector, test_time(100s), sums);
  const PointLedger& ledger = sums.ledger("north");
  EXPECT_EQ(ledger[Account::repeated] * 2, ledger[Account::received]);
  PointLedger wrong = ledger;
  wrong.accounts[Account::repeated] -= 1;
  EXPECT_NE(wrong.fault(), "");
}

PointReport report_of_marks(std::uint64_t number, std::size_t counts, bool ended = false) {
  PointReport report;
  report.point = {"north", 7};
  report.number = number;
  report.exported = test_time(0s);
  report.marking = MarkingRun{.duty = "mark", .method = "step", .carrier = "dscp:0"};
  report.marking->ended = ended;
  report.marks.resize(counts);
  return report;
}

TEST(Collector, MarksAreKeptAsTheyCameAndAddUp) {
  Collector collector{small()};
  TestSums sums;
  for (const std::uint64_t number : {1u, 3u, 2u, 3u, 1u})  // late, and twice
    collector.take(report_of_marks(number, 10 * number), test_time(1s));
  std::size_t kept = 0;
  const StoreWrite write = collector.to_store(test_time(2s));
  for (const PointMarks& marks : write.marks) {
    EXPECT_EQ(marks.point, "north");
    EXPECT_EQ(marks.instance, 7u);
    kept += marks.counts.size();
  }
  EXPECT_EQ(kept, 60u);
  sums.take(write);
  collector.stored();
  EXPECT_TRUE(collector.to_store(test_time(2s)).marks.empty());
  const PointLedger& ledger = sums.ledger("north", 7);
  EXPECT_EQ(ledger[Account::received], 100u);
  EXPECT_EQ(ledger[Account::repeated], 40u);
  EXPECT_EQ(ledger[Account::marks], 60u);
  EXPECT_EQ(ledger.fault(), "");
}

// A point whose confirmation was lost sends again, and the collector may have been restarted
// meanwhile.
TEST(Collector, AfterARestartItKnowsWhichReportsWereStored) {
  TestSums sums;
  {
    Collector collector{small()};
    for (const std::uint64_t number : {1u, 2u, 4u})
      collector.take(report_of_marks(number, 10), test_time(1s));
    flush(collector, test_time(2s), sums);
  }
  Collector collector{small()};
  collector.resume(sums.ledgers());
  for (const std::uint64_t number : {2u, 3u, 4u, 5u})
    collector.take(report_of_marks(number, 10), test_time(3s));
  flush(collector, test_time(4s), sums);
  const PointLedger& ledger = sums.ledger("north", 7);
  EXPECT_EQ(ledger[Account::received], 70u);
  EXPECT_EQ(ledger[Account::repeated], 20u);
  EXPECT_EQ(ledger[Account::marks], 50u);
  EXPECT_EQ(ledger.fault(), "");
}

TEST(Collector, SaysThatAMarkingPointFellSilentAndIsBack) {
  Collector collector{small()};
  TestSums sums;
  Duration now = 0s;
  const auto pass = [&](Duration time) {
    for (const Duration end = now + time; now < end; now += 200ms)
      collector.advance(test_time(now));
  };
  pass(1s);
  collector.take(report_of_marks(1, 1), test_time(now));
  EXPECT_TRUE(collector.has_news());
  flush(collector, test_time(now), sums);
  EXPECT_EQ(sums.ledger("north", 7).marking, MarkingState::running);
  EXPECT_FALSE(collector.has_news());
  pass(4s);
  EXPECT_TRUE(collector.has_news());
  const auto notices = collector.take_notices();
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("north has been silent for"), std::string::npos) << notices[0];
  flush(collector, test_time(now), sums);
  EXPECT_EQ(sums.ledger("north", 7).marking, MarkingState::silent);
  EXPECT_EQ(sums.ledger("north", 7)[Account::silences], 1u);
  collector.take(report_of_marks(2, 1), test_time(now));
  EXPECT_EQ(collector.take_notices().size(), 1u);
  collector.take(report_of_marks(3, 1, true), test_time(now));
  pass(10s);
  EXPECT_TRUE(collector.take_notices().empty());
  flush(collector, test_time(now), sums);
  EXPECT_EQ(sums.ledger("north", 7).marking, MarkingState::ended);
}

TEST(Collector, ReferencesAreKeptAsTheyCameAndAddUp) {
  Collector collector{small()};
  TestSums sums;
  const auto report_of = [](std::uint64_t number, std::size_t flows, bool ended = false) {
    PointReport report;
    report.point = {"north", 7};
    report.number = number;
    report.exported = test_time(0s);
    report.referencing = ReferenceRun{.since = test_time(0s), .every = 1s, .ended = ended};
    ReferenceInterval interval;
    interval.begin = test_time(1s * number);
    interval.end = interval.begin + 1s;
    interval.seen.emplace();
    interval.flows.resize(flows);
    report.references.push_back(interval);
    return report;
  };
  for (const std::uint64_t number : {1u, 3u, 2u, 3u, 1u})  // late, and twice
    collector.take(report_of(number, 10 * number), test_time(1s));
  const StoreWrite write = collector.to_store(test_time(2s));
  std::size_t kept = 0;
  for (const PointReferences& references : write.references) {
    EXPECT_EQ(references.point, "north");
    EXPECT_EQ(references.instance, 7u);
    for (const ReferenceInterval& interval : references.intervals) kept += interval.records();
  }
  EXPECT_EQ(kept, 63u);
  sums.take(write);
  collector.stored();
  EXPECT_TRUE(collector.to_store(test_time(2s)).references.empty());
  const PointLedger& ledger = sums.ledger("north", 7);
  EXPECT_EQ(ledger[Account::received], 105u);
  EXPECT_EQ(ledger[Account::repeated], 42u);
  EXPECT_EQ(ledger[Account::references], 63u);
  EXPECT_EQ(ledger.fault(), "");
  EXPECT_EQ(ledger.marking, MarkingState::running);
  // Whoever reports references is missed as marking points are, and may end as they do.
  // An interval of a second may wait two more for its last reference.
  Duration now = 2s;
  for (; now < 10s; now += 200ms) collector.advance(test_time(now));
  EXPECT_TRUE(collector.take_notices().empty());
  for (; now < 14s; now += 200ms) collector.advance(test_time(now));
  ASSERT_EQ(collector.take_notices().size(), 1u);
  collector.take(report_of(4, 1, true), test_time(now));
  flush(collector, test_time(now), sums);
  EXPECT_EQ(sums.ledger("north", 7).marking, MarkingState::ended);
}

/// Reports of marks by two instances of one name; what was said of them.
std::vector<std::string> notices_of_two(Collector& collector, TestSums& sums, bool by_turns,
                                        bool other_kind = false) {
  const auto report_at = [&](std::uint64_t instance, std::uint64_t number, Duration at) {
    PointReport report = report_of_marks(number, 1);
    report.point.instance = instance;
    report.exported = test_time(at);
    report.marking->since = test_time(instance == 1 ? 0s : 5s);
    if (other_kind && instance == 1) {
      report.marking.reset();
      report.marks.clear();
    }
    collector.take(report, test_time(at));
  };
  for (std::uint64_t i = 1; i <= 5; ++i) report_at(1, i, 1s * i);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    // Of the first one: live, or what it left in its spool.
    report_at(1, 5 + i, by_turns ? 5500ms + 1s * i : 4s);
    report_at(2, i, 5s + 1s * i);
  }
  flush(collector, test_time(20s), sums);
  std::vector<std::string> found;
  for (const std::string& sentence : collector.take_notices())
    if (sentence.find("two points called") != std::string::npos) found.push_back(sentence);
  return found;
}

TEST(Collector, SaysThatTwoPointsOfOneNameAreThere) {
  Collector collector{small()};
  TestSums sums;
  const auto notices = notices_of_two(collector, sums, true);
  ASSERT_EQ(notices.size(), 1u);  // once a day
  EXPECT_NE(notices[0].find("two points called north report marks"), std::string::npos);
  EXPECT_EQ(
      sums.ledger("north", 1)[Account::same_name] + sums.ledger("north", 2)[Account::same_name],
      8u);
  EXPECT_EQ(sums.ledger("north", 1).fault(), "");
}

// A restart with a spool, and points of other kinds on the same router, are no reason for alarm.
TEST(Collector, DoesNotTakeOnePointForTwo) {
  for (const bool other_kind : {false, true}) {
    Collector collector{small()};
    TestSums sums;
    EXPECT_TRUE(notices_of_two(collector, sums, other_kind, other_kind).empty()) << other_kind;
    EXPECT_EQ(sums.ledger("north", 1)[Account::same_name], 0u);
    EXPECT_EQ(sums.ledger("north", 2)[Account::same_name], 0u);
  }
}

}  // namespace
}  // namespace sojourn
