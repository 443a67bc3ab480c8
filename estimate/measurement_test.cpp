#include "estimate/measurement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "estimate/unanswered.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon = timestamp_from_ns(1'794'052'800'000'000'000);

Sample sample(Kind kind, Leg leg, Duration delay, Timestamp time = noon) {
  Sample sample;
  sample.time = time;
  sample.kind = kind;
  sample.leg = leg;
  sample.delay = delay;
  sample.responder = *IpAddress::parse("192.0.2.1");
  return sample;
}

TEST(Measurement, DoesNotAverageAHandshakeWithItsHalves) {
  Measurement measurement;
  measurement.add(sample(Kind::handshake, Leg::client, 1ms));
  measurement.add(sample(Kind::handshake, Leg::server, 20ms));
  measurement.add(sample(Kind::handshake, Leg::sum, 21ms));
  EXPECT_EQ(measurement.pooled(Kind::handshake).count(), 1u);
  EXPECT_EQ(measurement.pooled(Kind::handshake).mean(), 21ms);
  EXPECT_EQ(measurement.leg(Kind::handshake, Leg::server).mean(), 20ms);
}

TEST(Measurement, PoolsTheLegsOfTcpAndLooksAgainAfterMoreSamples) {
  Measurement measurement;
  measurement.add_light(Kind::tcp, Leg::server, noon, 20ms);
  EXPECT_EQ(measurement.pooled(Kind::tcp).mean(), 20ms);
  measurement.add_light(Kind::tcp, Leg::client, noon, 10ms);
  EXPECT_EQ(measurement.pooled(Kind::tcp).mean(), 15ms);
  measurement.add_light(Kind::tcp, Leg::client, noon, 3ms);
  EXPECT_EQ(measurement.pooled(Kind::tcp).mean(), 11ms);
  EXPECT_EQ(measurement.samples(), 3u);
}

/// Halves are no headline even if no whole was measured: requests are counted for the whole.
TEST(Measurement, PoolsHalvesOfNoKind) {
  for (const Kind kind : {Kind::handshake, Kind::flow, Kind::quic}) {
    Measurement measurement;
    measurement.add(sample(kind, Leg::server, 20ms));
    measurement.add(sample(kind, Leg::client, 10ms));
    EXPECT_TRUE(measurement.pooled(kind).empty());
    EXPECT_EQ(measurement.samples(), 0u);
    measurement.add(sample(kind, Leg::sum, 30ms));
    EXPECT_EQ(measurement.pooled(kind).mean(), 30ms);
    EXPECT_TRUE(headline_is_sum(kind));
  }
}

TEST(Measurement, JoinsThreadsAsIfOneHadMeasured) {
  MeasurementOptions options;
  options.window = 1s;
  options.grouping = *Grouping::parse("host");
  Measurement left{options}, right{options};
  for (int i = 0; i < 2000; ++i)
    (i % 2 == 0 ? left : right).add(sample(Kind::tcp, Leg::server, i * 1us, noon + i * 1ms));
  left.counters(Kind::tcp) = {2000, 1};
  right.counters(Kind::tcp) = {11, 3};
  EXPECT_EQ(left.pooled(Kind::tcp).count(), 1000u);
  left.merge(std::move(right));
  EXPECT_EQ(left.pooled(Kind::tcp).count(), 2000u);
  EXPECT_EQ(left.pooled(Kind::tcp).relative_error(), 0);
  EXPECT_EQ(left.pooled(Kind::tcp).quantile(0.5), 999'500ns);
  EXPECT_EQ(left.counters(Kind::tcp).requests, 2011u);
  EXPECT_EQ(left.counters(Kind::tcp).ambiguous, 4u);
  EXPECT_EQ(left.unmatched_requests(Kind::tcp), 7u);
  EXPECT_EQ(left.window_rows().size(), 2u);
  EXPECT_EQ(left.largest_groups(10).at(0).distribution->count(), 2000u);
}

/// Each answered request once: of a handshake its whole, not its halves.
TEST(Measurement, TheHeatmapCountsAnAnsweredRequestOnce) {
  MeasurementOptions options;
  options.heatmap = true;
  options.heatmap_column = 1s;
  Measurement measurement{options};
  for (const Leg leg : {Leg::server, Leg::client, Leg::sum})
    measurement.add(sample(Kind::handshake, leg, 10ms));
  for (const Leg leg : {Leg::server, Leg::client}) measurement.add(sample(Kind::tcp, leg, 10ms));
  const DelayHeatmap& heatmap = *measurement.heatmap();
  ASSERT_EQ(heatmap.columns(), 1u);
  EXPECT_EQ(heatmap.answered(0, Kind::handshake), 1);
  EXPECT_EQ(heatmap.answered(0, Kind::tcp), 2);
}

/// Ten requests, seven answered: three of those were sent twice, and are kept or not.
TEST(Measurement, CountsAmbiguousRequestsOnceAmongTheAnswered) {
  for (const bool keep : {false, true}) {
    MeasurementOptions options;
    options.keep_ambiguous = keep;
    Measurement measurement{options};
    KindCounters& counters = measurement.counters(Kind::dns);
    counters.requests = 10;
    counters.ambiguous = 3;
    counters.estimated_ambiguous = 3;
    for (int i = 0; i < (keep ? 7 : 4); ++i) measurement.add_light(Kind::dns, Leg::server, {}, 1ms);
    EXPECT_EQ(measurement.unmatched_requests(Kind::dns), 3u);
    EXPECT_DOUBLE_EQ(measurement.estimated_unanswered(Kind::dns), 3) << keep;
    counters.left_out[LeftOut::by_chance] = 1;  // then the share is by weights
    EXPECT_DOUBLE_EQ(unanswered_share(measurement, Kind::dns).value, 0.3) << keep;
  }
}

TEST(Measurement, ASliceAndAGroupOverEverythingAgreeWithTheWhole) {
  MeasurementOptions options;
  options.window = std::chrono::hours{1};
  options.grouping = *Grouping::parse("host");
  Measurement measurement{options};
  for (int i = 0; i < 2000; ++i) {
    Sample one = sample(Kind::tcp, Leg::server, (i * i % 7919) * 1us);
    one.flow = static_cast<std::uint64_t>(1 + i % 100) * 0x9e3779b97f4a7c15u;
    measurement.add(one);
  }
  const Distribution& whole = measurement.pooled(Kind::tcp);
  const auto rows = measurement.window_rows();
  const auto groups = measurement.largest_groups(10);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(groups.size(), 1u);
  for (const Distribution* part : {rows[0].distribution, groups[0].distribution}) {
    EXPECT_EQ(part->effective_samples(), whole.effective_samples());
    for (const double q : {0.05, 0.5, 0.95}) {
      EXPECT_EQ(part->quantile(q), whole.quantile(q)) << q;
      EXPECT_EQ(part->interval(q)->high, whole.interval(q)->high) << q;
    }
  }
}

TEST(Measurement, CutsSlicesAtMultiplesOfTheirLength) {
  MeasurementOptions options;
  options.window = 10s;
  Measurement measurement{options};
  measurement.add_light(Kind::dns, Leg::server, noon + 9'999'999'999ns, 1ms);
  measurement.add_light(Kind::dns, Leg::server, noon + 10s, 2ms);
  measurement.add_light(Kind::tcp, Leg::server, noon + 12s, 3ms);
  measurement.add_light(Kind::dns, Leg::server, noon - 1ns, 4ms);
  measurement.add_light(Kind::handshake, Leg::server, noon, 5ms);
  measurement.add_light(Kind::handshake, Leg::client, noon, 7ms);
  measurement.add_light(Kind::dns, Leg::server, timestamp_from_ns(-1), 6ms);
  const auto rows = measurement.window_rows();
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].start, timestamp_from_ns(-10'000'000'000));
  EXPECT_EQ(rows[1].start, noon - 10s);
  EXPECT_EQ(rows[2].start, noon);
  EXPECT_EQ(rows[2].leg, Leg::server);
  EXPECT_EQ(rows[2].distribution->mean(), 5ms);
  EXPECT_EQ(rows[3].leg, Leg::client);
  EXPECT_EQ(rows[3].distribution->mean(), 7ms);
  EXPECT_EQ(rows[4].distribution->mean(), 1ms);
  EXPECT_EQ(rows[5].start, noon + 10s);
  EXPECT_EQ(rows[5].kind, Kind::tcp);
  EXPECT_EQ(rows[6].kind, Kind::dns);
}

TEST(Measurement, BoundsTheNumberOfSlicesAndCountsTheRest) {
  MeasurementOptions options;
  options.window = 1s;
  options.max_slices = 3;
  Measurement left{options}, right{options};
  for (int i = 0; i < 5; ++i) left.add_light(Kind::tcp, Leg::server, noon + i * 1s, 1ms);
  for (int i = 2; i < 7; ++i) right.add_light(Kind::tcp, Leg::server, noon + i * 1s, 1ms);
  EXPECT_EQ(left.samples_beyond_windows(), 2u);
  left.merge(std::move(right));
  EXPECT_EQ(left.window_rows().size(), 3u);
  EXPECT_EQ(left.samples_beyond_windows(), 2 + 2 + 2u);
  EXPECT_EQ(left.pooled(Kind::tcp).count(), 10u);
}

TEST(Measurement, ListsTheLargestGroupsFirst) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  Measurement measurement{options};
  Sample one = sample(Kind::tcp, Leg::server, 1ms);
  for (const auto& [port, count] : {std::pair{80, 2}, {443, 5}, {22, 2}, {25, 1}})
    for (int i = 0; i < count; ++i) {
      one.responder_port = static_cast<std::uint16_t>(port);
      measurement.add(one);
    }
  std::vector<std::string> labels;
  for (const auto& group : measurement.largest_groups(3)) labels.push_back(group.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"port 443", "port 22", "port 80"}));
  EXPECT_EQ(measurement.group_count(), 4u);
  EXPECT_TRUE(measurement.largest_groups(0).empty());
}

/// Two legs of the same host that differ a thousandfold have no common median.
TEST(Measurement, KeepsTheLegsOfAGroupApart) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  Measurement measurement{options};
  for (int i = 0; i < 3; ++i) measurement.add(sample(Kind::tcp, Leg::server, 20ms));
  for (int i = 0; i < 2; ++i) measurement.add(sample(Kind::tcp, Leg::client, 20us));
  const auto groups = measurement.largest_groups(10);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].leg, Leg::server);
  EXPECT_EQ(groups[0].distribution->quantile(0.5), 20ms);
  EXPECT_EQ(groups[1].leg, Leg::client);
  EXPECT_EQ(groups[1].distribution->quantile(0.5), 20us);
}

TEST(Measurement, OrdersGroupsByDelayAndThoseWithFewSamplesLast) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  Measurement measurement{options};
  Sample one = sample(Kind::tcp, Leg::server, 1ms);
  const auto add = [&](std::uint16_t port, Duration usual, Duration tail, int count) {
    one.responder_port = port;
    for (int i = 0; i < count; ++i) {
      one.delay = i >= count * 9 / 10 ? tail : usual;
      measurement.add(one);
    }
  };
  add(1, 10ms, 11ms, 100);
  add(2, 1ms, 50ms, 20);
  add(3, 5ms, 900ms, 9);  // too few to head a list
  const auto order = [&](GroupOrder by) {
    std::string labels;
    for (const auto& group : measurement.groups_by(by, 10)) labels += group.label.substr(5);
    return labels;
  };
  EXPECT_EQ(order(GroupOrder::samples), "123");
  EXPECT_EQ(order(GroupOrder::median), "123");
  EXPECT_EQ(order(GroupOrder::p95), "213");
  EXPECT_EQ(order(GroupOrder::p99), "213");
  EXPECT_EQ(measurement.groups_by(GroupOrder::p95, 1).at(0).label, "port 2");
}

TEST(Windows, ASliceBeginsAtAMultipleOfItsLength) {
  Windows windows{10s};
  windows.add(noon + 3s, Kind::tcp, Leg::server, 20ms, 1, FlowTag::numbered(1));
  windows.add(noon + 10s, Kind::tcp, Leg::server, 20ms, 1, FlowTag::numbered(1));
  ASSERT_EQ(windows.slices().size(), 2u);
  EXPECT_EQ(windows.start_of(windows.slices().begin()->first), noon);
  EXPECT_EQ(windows.start_of(windows.slices().rbegin()->first), noon + 10s);
}

}  // namespace
}  // namespace sojourn
