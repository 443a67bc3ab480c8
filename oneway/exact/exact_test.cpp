#include "oneway/exact/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "oneway/test_point.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

/// A packet with an identification and a source port, at a time of one of the points.
struct Seen {
  Point point;
  std::int64_t time_ns;
  std::uint32_t id;
  std::uint16_t port = 1000;
  bool answers = false;  ///< from the other end
};

Bytes bytes_of_seen(const Seen& seen) {
  Ends ends;
  ends.source_port = seen.port;
  if (seen.answers) {
    std::swap(ends.source, ends.destination);
    ends.source_port = 9;
  }
  const std::uint16_t from = seen.answers ? 9 : seen.port, to = seen.answers ? seen.port : 9;
  Bytes packet = ipv4(ends, IpProtocol::udp, udp(from, to, test::bytes_of(Be32{seen.id})));
  packet[4] = packet[5] = std::byte{0};  // identification 0: only the payload tells packets apart
  return packet;
}

/// Feeds the sightings in the order of their times.
OnewayResult measure(std::vector<Seen> seen, OnewayOptions options = {},
                     std::vector<DelaySample>* samples = nullptr) {
  std::ranges::sort(seen, {}, &Seen::time_ns);
  ExactMethod method{options};
  for (const Seen& one : seen) {
    const Bytes bytes = bytes_of_seen(one);
    const IpPacket packet = at_point(bytes, LinkType::raw, timestamp_from_ns(one.time_ns));
    one.point == Point::first ? method.first({&packet, 1}) : method.last({&packet, 1});
    if (samples) samples->insert(samples->end(), method.samples().begin(), method.samples().end());
  }
  method.release_samples();
  if (samples) samples->insert(samples->end(), method.samples().begin(), method.samples().end());
  return method.finish();
}

std::uint64_t counter(const OnewayResult& result, std::string_view name) {
  for (const auto& [key, count] : result.counters)
    if (key == name) return count;
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

constexpr auto first = Point::first, last = Point::last;

TEST(ExactMethod, KeepsSoManyFlowsAndBooksTheRestTogether) {
  const std::vector<Seen> seen = {
      {first, 100, 1, 1000}, {first, 200, 2, 2000}, {first, 300, 3, 3000},
      {first, 350, 4, 3000}, {last, 110, 1, 1000},  {last, 230, 2, 2000},
      {last, 340, 3, 3000},  {last, 400, 9, 1000},  {first, 380, 9, 1000}};
  std::vector<DelaySample> samples;
  const auto result = measure(seen, {.max_flows = 2}, &samples);
  ASSERT_EQ(result.flows.size(), 2u);
  EXPECT_EQ(result.flows[0].key.source_port, 1000);
  EXPECT_EQ(result.flows[1].key.source_port, 2000);
  EXPECT_EQ(counter(result, "without-room"), 2u);  // one arrived, one lost
  EXPECT_EQ(result.lost, 1u);
  EXPECT_EQ(result.total->packets, 4u);
  EXPECT_EQ(result.total->mean_ns, (10 + 30 + 40 + 20) / 4.0);
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(samples.size(), 4u);
  EXPECT_EQ(counter(measure(seen, {.max_flows = 3}), "without-room"), 0u);
}

TEST(ExactMethod, MeasuresEachPacketAndItsLoss) {
  const auto result = measure(
      {{first, 100, 1}, {first, 200, 2}, {first, 300, 3}, {last, 1100, 1}, {last, 1500, 3}});
  ASSERT_EQ(result.flows.size(), 1u);
  const FlowDelay& flow = result.flows[0];
  EXPECT_EQ(flow.key.source_port, 1000);
  EXPECT_EQ(flow.packets, 3u);
  EXPECT_EQ(flow.lost, 1u);
  EXPECT_EQ(flow.mean_ns, 1100);
  EXPECT_EQ(flow.stddev_ns, 100);
  EXPECT_EQ(flow.min_ns, 1000);
  EXPECT_EQ(flow.max_ns, 1200);
  EXPECT_EQ(result.sent, 3u);
}

TEST(ExactMethod, KeepsNegativeDelays) {
  const auto result = measure({{last, 100, 1}, {first, 350, 1}, {last, 400, 2}, {first, 600, 2}});
  EXPECT_EQ(result.total->min_ns, -250);
  EXPECT_EQ(result.total->mean_ns, -225);
}

TEST(ExactMethod, MatchesWithinTheWindowOnly) {
  const OnewayOptions options{.window = 1us};
  EXPECT_EQ(counter(measure({{first, 0, 1}, {last, 1000, 1}}, options), "matched"), 1u);
  EXPECT_EQ(counter(measure({{first, 0, 1}, {last, 1001, 1}}, options), "matched"), 0u);
  EXPECT_EQ(counter(measure({{last, 0, 1}, {first, 1000, 1}}, options), "matched"), 1u);
  EXPECT_EQ(counter(measure({{last, 0, 1}, {first, 1001, 1}}, options), "matched"), 0u);
}

TEST(ExactMethod, CountsApartWhatTheOtherPointCouldNotSee) {
  // The last point starts late and ends early: 1 and 9 may have passed it or not.
  const auto result = measure({{first, 100, 1},
                               {first, 200, 2},
                               {first, 300, 3},
                               {first, 400, 4},
                               {first, 500, 9},
                               {last, 250, 2},
                               {last, 450, 4}});
  EXPECT_EQ(result.lost, 1u);
  EXPECT_EQ(counter(result, "outside-first"), 2u);
  EXPECT_EQ(result.flows[0].packets, 3u);
  // The reverse: packets that only the last point saw.
  const auto mirrored = measure({{first, 200, 2},
                                 {first, 400, 4},
                                 {last, 100, 1},
                                 {last, 250, 2},
                                 {last, 350, 3},
                                 {last, 450, 4},
                                 {last, 500, 9}});
  EXPECT_EQ(counter(mirrored, "only-last"), 1u);
  EXPECT_EQ(counter(mirrored, "outside-last"), 2u);
}

TEST(ExactMethod, CallsItLostWhereTheOtherPointWatchedForAWindow) {
  // No packet sent later arrives, but the last point captured for a window before and after.
  const OnewayOptions options{.window = 1us};
  EXPECT_EQ(measure({{last, 0, 7}, {first, 1500, 1}, {last, 3000, 8}}, options).lost, 1u);
  EXPECT_EQ(measure({{last, 0, 7}, {first, 1500, 1}, {last, 2400, 8}}, options).lost, 0u);
  EXPECT_EQ(measure({{last, 600, 7}, {first, 1500, 1}, {last, 3000, 8}}, options).lost, 0u);
}

TEST(ExactMethod, MatchesIdenticalPacketsInOrder) {
  std::vector<DelaySample> samples;
  const auto result =
      measure({{first, 100, 1}, {first, 150, 1}, {last, 1000, 1}, {last, 1075, 1}}, {}, &samples);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].delay, 900ns);
  EXPECT_EQ(samples[1].delay, 925ns);
  EXPECT_EQ(counter(result, "ambiguous"), 1u);
}

TEST(ExactMethod, TakesTheFirstCopyOfADuplicate) {
  const auto result = measure(
      {{first, 100, 1}, {last, 1000, 1}, {last, 1075, 1}, {first, 200, 2}, {last, 1200, 2}});
  EXPECT_EQ(result.total->packets, 2u);
  EXPECT_EQ(result.total->min_ns, 900);
  EXPECT_EQ(result.lost, 0u);
  EXPECT_EQ(counter(result, "only-last"), 1u);
}

TEST(ExactMethod, NeedsNoMoreMemoryOnceOnePointHasEnded) {
  OnewayOptions options{.window = 1us};
  ExactMethod method{options};
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    const Bytes bytes = bytes_of_seen({first, 0, i});
    const IpPacket packet = at_point(bytes, LinkType::raw, timestamp_from_ns(i * 10));
    method.first({&packet, 1});
    if (i < 1000) method.last({&packet, 1});
    if (i == 1000) method.ended(last);
  }
  const auto result = method.finish();
  EXPECT_EQ(counter(result, "matched"), 1000u);
  EXPECT_EQ(counter(result, "outside-first"), 199'000u);
  EXPECT_LT(result.memory_bytes, 1'000'000u) << "memory follows the window, not the capture";
}

TEST(ExactMethod, SelectsAShareOfThePackets) {
  std::vector<Seen> seen;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    seen.push_back({first, i * 100, i, static_cast<std::uint16_t>(i % 100)});
    seen.push_back({last, i * 100 + 5000, i, static_cast<std::uint16_t>(i % 100)});
  }
  const auto result = measure(seen, {.sampling = 0.1});
  EXPECT_NEAR(static_cast<double>(result.total->packets), 2000, 465);  // Hoeffding, once in 10^9
  EXPECT_EQ(counter(result, "not-selected"), 40'000 - 2 * result.total->packets);
  EXPECT_EQ(result.total->mean_ns, 5000);
  const auto flows = measure(seen, {.sampling = 0.3, .sample_flows = true});
  for (const FlowDelay& flow : flows.flows) EXPECT_EQ(flow.packets, 200u);
  EXPECT_GT(flows.flows.size(), 5u);
  EXPECT_LT(flows.flows.size(), 70u);
}

/// A slow implementation of the same: a list per packet identity, first come, first served.
struct Model {
  std::map<std::uint32_t, std::deque<Seen>> waiting;
  std::map<std::uint16_t, std::vector<double>> delays;
  std::uint64_t ambiguous = 0;

  void see(const Seen& seen, std::int64_t window_ns) {
    auto& queue = waiting[seen.id];
    bool twin = false;
    auto best = queue.end();
    for (auto at = queue.begin(); at != queue.end(); ++at) {
      if (at->point == seen.point)
        twin = true;
      else if (seen.time_ns - at->time_ns <= window_ns &&
               (best == queue.end() || at->time_ns < best->time_ns))
        best = at;
    }
    // A duplicate that has expired may or may not have been swept; the test uses only live ones.
    ambiguous += twin;
    if (best == queue.end()) return queue.push_back(seen);
    const double delay = static_cast<double>(seen.time_ns - best->time_ns);
    delays[seen.port].push_back(seen.point == last ? delay : -delay);
    queue.erase(best);
  }
};

TEST(ExactMethod, AgreesWithAPlainModelOnRandomTraffic) {
  // Loss, reordering, duplicates, identical packets, offset clocks; the table is swept many times.
  std::uint64_t state = 20'261'115;
  std::vector<Seen> seen;
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    const auto dice = [&](std::uint64_t sides) { return split_mix(state) % sides; };
    const auto port = static_cast<std::uint16_t>(dice(300));
    const std::uint32_t id = dice(50) == 0 ? 1'000'000 + port : i;  // now and then one that repeats
    const std::int64_t sent = i * 1000 + static_cast<std::int64_t>(dice(500));
    seen.push_back({first, sent, id, port});
    const int copies = dice(20) == 0 ? 0 : dice(30) == 0 ? 2 : 1;
    for (int copy = 0; copy < copies; ++copy)
      seen.push_back({last, sent + static_cast<std::int64_t>(dice(2'000'000)) - 500'000, id, port});
  }
  std::ranges::sort(seen, [](const Seen& a, const Seen& b) {
    return std::tie(a.time_ns, a.id) < std::tie(b.time_ns, b.id);
  });
  const std::int64_t window_ns = 3'000'000;
  Model model;
  for (const Seen& one : seen) model.see(one, window_ns);

  ExactMethod method{{.window = Duration{window_ns}}};
  for (const Seen& one : seen) {
    const Bytes bytes = bytes_of_seen(one);
    const IpPacket packet = at_point(bytes, LinkType::raw, timestamp_from_ns(one.time_ns));
    one.point == first ? method.first({&packet, 1}) : method.last({&packet, 1});
  }
  const auto result = method.finish();
  std::size_t compared = 0;
  for (const FlowDelay& flow : result.flows) {
    const auto& delays = model.delays[flow.key.source_port];
    ASSERT_EQ(flow.packets - *flow.lost, delays.size());
    double sum = 0, squares = 0;
    for (const double delay : delays) sum += delay;
    const double mean = sum / static_cast<double>(delays.size());
    for (const double delay : delays) squares += (delay - mean) * (delay - mean);
    EXPECT_NEAR(*flow.mean_ns, mean, 1e-6);
    EXPECT_NEAR(*flow.stddev_ns, std::sqrt(squares / static_cast<double>(delays.size())), 1e-3);
    EXPECT_EQ(*flow.min_ns, *std::ranges::min_element(delays));
    EXPECT_EQ(*flow.max_ns, *std::ranges::max_element(delays));
    compared += delays.size();
  }
  EXPECT_GT(compared, 50'000u);
  const std::uint64_t all_first = 60'000;
  EXPECT_EQ(*result.sent + counter(result, "outside-first"), all_first);
}

/// Forward in 1 ms, a response back in 2 ms.  Every tenth packet forward and every fifth backward
/// is lost, and every twentieth backward is duplicated.
std::vector<Seen> both_ways(std::int64_t offset_ns, std::uint32_t connections = 200) {
  std::vector<Seen> seen;
  constexpr std::int64_t ms = 1'000'000;
  for (std::uint32_t i = 0; i < connections; ++i) {
    const auto port = static_cast<std::uint16_t>(1000 + i % 7);
    const std::int64_t sent = i * 10 * ms;
    seen.push_back({first, sent, i, port});
    if (i % 10 != 5) seen.push_back({last, sent + ms + offset_ns, i, port});
    seen.push_back({last, sent + 2 * ms + offset_ns, i, port, true});
    if (i % 5 != 2) seen.push_back({first, sent + 4 * ms, i, port, true});
    if (i % 20 == 4) seen.push_back({first, sent + 5 * ms, i, port, true});
  }
  return seen;
}

class BothWays : public testing::TestWithParam<std::int64_t> {};

// Before, the copies of packets that go back counted as lost, and they themselves as sent.
TEST_P(BothWays, AreCountedApart) {
  std::vector<DelaySample> samples;
  const auto result = measure(both_ways(GetParam()), {.window = 30s}, &samples);
  EXPECT_EQ(result.sent, 200u);
  EXPECT_EQ(result.lost, 20u);
  ASSERT_EQ(result.directions.size(), 2u);
  const DirectionResult &forward = result.directions[0], &backward = result.directions[1];
  EXPECT_EQ(forward.direction, Direction::forward);
  EXPECT_EQ(forward.sent, 200u);
  EXPECT_EQ(forward.lost, 20u);
  EXPECT_EQ(forward.flows, 7u);
  EXPECT_EQ(backward.direction, Direction::backward);
  EXPECT_EQ(backward.sent, 200u);
  EXPECT_EQ(backward.lost, 40u);
  EXPECT_EQ(backward.flows, 7u);
  const auto offset = static_cast<double>(GetParam());
  EXPECT_DOUBLE_EQ(result.total->mean_ns, 1e6 + offset);
  EXPECT_DOUBLE_EQ(forward.total->mean_ns, 1e6 + offset);
  EXPECT_DOUBLE_EQ(backward.total->mean_ns, 2e6 - offset);
  EXPECT_EQ(*backward.total->min_ns, 2'000'000 - GetParam());
  EXPECT_EQ(counter(result, "only-first"), 10u) << "the copies";
  EXPECT_EQ(counter(result, "only-last"), 0u);
  EXPECT_EQ(counter(result, "matched"), 180u);
  EXPECT_EQ(counter(result, "matched-backward"), 160u);
  EXPECT_EQ(samples.size(), 340u);
  for (const DelaySample& sample : samples)
    EXPECT_EQ(sample.direction, sample.delay == Duration{1'000'000 + GetParam()}
                                    ? Direction::forward
                                    : Direction::backward);
  for (const FlowDelay& flow : result.flows)
    EXPECT_EQ(flow.direction, flow.key.source_port == 9 ? Direction::backward : Direction::forward);
}
INSTANTIATE_TEST_SUITE_P(ByOffset, BothWays,
                         testing::Values(0, 5'000'000'000, -5'000'000'000, 1'500'000));

// Packets in flight when both captures stop are not lost, though packets in the other direction
// still arrive.
TEST(ExactMethod, PacketsThatComeBackDoNotProveThatOthersWouldHaveArrived) {
  std::vector<Seen> seen = both_ways(0, 10);
  constexpr std::int64_t ms = 1'000'000;
  seen.push_back({first, 100 * ms, 999, 1000});  // its arrival at 101 ms is not captured any more
  seen.push_back({last, 99 * ms - 1, 998, 1000, true});
  seen.push_back({first, 101 * ms - 1, 998, 1000, true});
  const auto result = measure(seen);
  EXPECT_EQ(result.sent, 10u);
  EXPECT_EQ(result.lost, 1u);
  EXPECT_EQ(counter(result, "outside-first"), 1u);
}

TEST(ExactMethod, HoldsSamplesUntilItKnowsTheDirection) {
  ExactMethod method{{}};
  const auto see = [&](const Seen& one) {
    const Bytes bytes = bytes_of_seen(one);
    const IpPacket packet = at_point(bytes, LinkType::raw, timestamp_from_ns(one.time_ns));
    one.point == first ? method.first({&packet, 1}) : method.last({&packet, 1});
    return method.samples().size();
  };
  EXPECT_EQ(see({first, 0, 1}), 0u);
  EXPECT_EQ(see({last, 1'000, 1}), 0u) << "held back: it may go either way";
  EXPECT_EQ(see({last, 2'000, 2, 1000, true}), 0u);
  EXPECT_EQ(see({first, 4'000, 2, 1000, true}), 2u) << "both at once";
  EXPECT_EQ(see({first, 5'000, 3}), 0u);
  EXPECT_EQ(see({last, 6'000, 3}), 1u);
  method.release_samples();
  EXPECT_TRUE(method.samples().empty()) << "each once";
}

}  // namespace
}  // namespace sojourn
