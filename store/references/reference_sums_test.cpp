#include "store/references/reference_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sojourn {
namespace {

FlowKey key_of(std::uint16_t port) {
  return {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"), port, 9, 17};
}

ReferenceFlow flow_of(const std::vector<double>& delays, std::uint16_t port) {
  ReferenceFlow flow{.key = key_of(port), .packets = delays.size() + 1, .estimated = delays.size()};
  double squares = 0;
  for (const double delay : delays) flow.mean_ns += delay;
  flow.mean_ns /= static_cast<double>(std::max<std::size_t>(delays.size(), 1));
  for (const double delay : delays) squares += (delay - flow.mean_ns) * (delay - flow.mean_ns);
  if (!delays.empty()) flow.deviation_ns = std::sqrt(squares / static_cast<double>(delays.size()));
  return flow;
}

// However packets are cut into intervals, mean and deviation are those of all of them.
TEST(ReferenceSums, AreThoseOfAllPackets) {
  std::mt19937_64 random{3};
  // A year off, as clocks may be: sums of squares would have lost the microsecond.
  std::normal_distribution<double> delay{3.15e16, 1'000};
  std::vector<double> all;
  ReferenceSums sums;
  std::uint64_t packets = 0;
  for (int i = 0; i < 40; ++i) {
    std::vector<double> some(random() % 9);  // none, too
    for (double& each : some) each = delay(random);
    all.insert(all.end(), some.begin(), some.end());
    ReferenceInterval interval;
    interval.begin = timestamp_from_ns(i * 10);
    interval.end = timestamp_from_ns(i * 10 + 10);
    interval.flows = {flow_of(some, 1), flow_of({5}, 2)};
    interval.seen = ReferenceSeen{.references = 3, .lost = 1, .before_first = 1, .no_room = 2};
    packets += interval.packets();
    sums.add(interval);
  }
  const ReferenceInterval total = sums.total();
  EXPECT_EQ(sums.intervals(), 40u);
  EXPECT_EQ(to_ns(total.begin), 0);
  EXPECT_EQ(to_ns(total.end), 400);
  ASSERT_EQ(total.flows.size(), 2u);
  const ReferenceFlow expected = flow_of(all, 1);
  EXPECT_EQ(total.flows[0].estimated, all.size());
  EXPECT_NEAR(total.flows[0].mean_ns, expected.mean_ns, 20);  // a double has steps of 4 there
  EXPECT_NEAR(total.flows[0].deviation_ns, expected.deviation_ns, 20);
  EXPECT_EQ(total.flows[1].mean_ns, 5);
  EXPECT_EQ(total.flows[1].deviation_ns, 0);
  EXPECT_EQ(total.packets(), packets);
  ASSERT_TRUE(total.seen);
  EXPECT_EQ(total.seen->references, 120u);
  EXPECT_EQ(total.seen->lost, 40u);
  EXPECT_EQ(total.seen->without_flow(), 80u);
}

TEST(ReferenceIntervals, PartsOfOneIntervalAreJoined) {
  std::vector<ReferenceInterval> list;
  const auto part = [](int second, std::uint16_t port, bool seen) {
    ReferenceInterval interval;
    interval.begin = timestamp_from_ns(second);
    interval.end = timestamp_from_ns(second + 1);
    if (port > 0) interval.flows = {flow_of({1}, port)};
    if (seen) interval.seen.emplace();
    return interval;
  };
  append_part(list, part(1, 0, true));
  append_part(list, part(1, 7, false));
  append_part(list, part(2, 8, true));
  append_part(list, part(2, 9, false));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].records(), 2u);
  EXPECT_EQ(list[1].records(), 3u);
  append_part(list, part(2, 9, true));  // another point's, or a clock was set back
  EXPECT_EQ(list.size(), 3u);
}

TEST(ReferenceInterval, AddsUpItsFlows) {
  ReferenceInterval interval;
  EXPECT_EQ(interval.mean_ns(), 0);
  interval.flows = {{.key = {}, .packets = 10, .estimated = 9, .left_only = 2, .mean_ns = 100},
                    {.key = {}, .packets = 5, .estimated = 1, .left_only = 1, .mean_ns = 200}};
  EXPECT_EQ(interval.packets(), 15u);
  EXPECT_EQ(interval.estimated(), 10u);
  EXPECT_EQ(interval.left_only(), 3u);
  EXPECT_DOUBLE_EQ(interval.mean_ns(), 110);
}

}  // namespace
}  // namespace sojourn
