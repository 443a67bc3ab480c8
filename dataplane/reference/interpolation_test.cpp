// RLI without a buffer against RLI with one.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "dataplane/reference/test_user_receiver.h"
#include "experiments/oneway/rli_trial.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using test::UserReceiver;

constexpr ReferenceReceiverOptions one_byte_a_ns{
    .capacity_bytes_a_second = 1e9, .line = {}, .sender = {}};

FlowKey flow_key(std::uint32_t number) { return lab_flow_key(number); }
Timestamp at(Duration time) { return timestamp_from_ns(1'700'000'000'000'000'000) + time; }

const ReferenceFlow& find(const std::vector<ReferenceFlow>& flows, std::uint32_t number) {
  for (const ReferenceFlow& flow : flows)
    if (flow.key == flow_key(number)) return flow;
  ADD_FAILURE() << "no flow " << number;
  static const ReferenceFlow none;
  return none;
}

TEST(Wide, MultipliesAsTheCompilerDoes) {
  __extension__ using Unsigned = unsigned __int128;
  __extension__ using Signed = __int128;
  std::uint64_t state = 20261116;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t a = split_mix(state) >> (split_mix(state) % 64);
    const std::uint64_t b = split_mix(state) >> (split_mix(state) % 64);
    const rp_wide product = rp_product(a, b);
    const Unsigned expected = static_cast<Unsigned>(a) * b;
    ASSERT_EQ(product.low, static_cast<std::uint64_t>(expected));
    ASSERT_EQ(product.high, static_cast<std::uint64_t>(expected >> 64));
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    const rp_wide negative = rp_signed_product(-x, y);
    ASSERT_EQ((static_cast<Unsigned>(negative.high) << 64) + negative.low,
              static_cast<Unsigned>(-static_cast<Signed>(x) * y));
    const rp_wide wide{a, b >> 32};  // below 2^96, times 2^31 at most
    const rp_wide scaled = rp_times_q32(wide, a >> 33);
    const Unsigned whole = (static_cast<Unsigned>(wide.high) << 64) + wide.low;
    ASSERT_EQ((static_cast<Unsigned>(scaled.high) << 64) + scaled.low, (whole * (a >> 33)) >> 32);
  }
}

TEST(Interpolation, ReadsTheLineBetweenTwoReferences) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0, at(-100us), at(0us));
  receiver.packets(flow_key(1), at(25us), 48);
  receiver.packets(flow_key(1), at(75us), 1048);  // 1000 bytes longer: 1 us more on the line
  receiver.packets(flow_key(2), at(50us), 48);
  receiver.reference(1, 1, at(-40us), at(100us));
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).estimated, 2u);
  EXPECT_NEAR(find(flows, 1).mean_ns, (110'000 + 131'000) / 2.0, 1);
  EXPECT_NEAR(find(flows, 1).deviation_ns, 10'500, 1);
  EXPECT_NEAR(find(flows, 2).mean_ns, 120'000, 1);
}

TEST(Interpolation, WhatHasNoReferenceOnOneSideIsCountedNotGuessed) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.packets(flow_key(1), at(-5us), 48);
  receiver.reference(1, 0, at(-100us), at(0us));
  receiver.packets(flow_key(1), at(50us), 48);
  receiver.reference(1, 1, at(-40us), at(100us));
  receiver.packets(flow_key(1), at(150us), 48, 2);
  EXPECT_EQ(receiver.counters().before_first, 1u);
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).packets, 4u);
  EXPECT_EQ(find(flows, 1).estimated, 1u);
}

TEST(Interpolation, ALateReferenceMeansTheOneBeforeAlone) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0, at(-100us), at(0us));
  receiver.packets(flow_key(1), at(3s), 148, 2);
  receiver.reference(1, 1, at(4s - 900us), at(4s));
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).left_only, 2u);
  EXPECT_DOUBLE_EQ(find(flows, 1).mean_ns, 100'100);
  EXPECT_EQ(find(flows, 1).deviation_ns, 0);
}

// References have ended: a delay of long ago is no measurement.
TEST(Interpolation, LongAfterTheLastReferenceNothingIsMeasured) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0, at(-100us), at(0us));
  receiver.packets(flow_key(1), at(9s), 48, 2);
  receiver.packets(flow_key(1), at(10s), 48, 3);
  receiver.packets(flow_key(2), at(1h), 48);
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).packets, 5u);
  EXPECT_EQ(find(flows, 1).estimated, 2u);
  EXPECT_EQ(find(flows, 1).left_only, 2u);
  EXPECT_EQ(find(flows, 2).estimated, 0u);
  EXPECT_EQ(receiver.counters().after_last, 4u);
}

/// Reference packets each second with a delay of 100 us, and a packet between.
void go_on(UserReceiver& receiver, Duration from, Duration to, Duration clock_error = 0s,
           std::uint16_t sender = 1) {
  for (Duration time = from; time < to; time += 1s) {
    receiver.reference(sender, static_cast<std::uint32_t>(time / 1s),
                       at(time - 100us + clock_error), at(time));
    receiver.packets(flow_key(1), at(time + 500ms), 48);
  }
}

TEST(Interpolation, AClockThatIsSetIsFollowed) {
  for (const Duration step : {Duration{100s}, Duration{-5s}, Duration{-15s}, Duration{-100s}}) {
    SCOPED_TRACE(to_ns(step));
    UserReceiver receiver{one_byte_a_ns};
    go_on(receiver, 0s, 20s);
    go_on(receiver, 20s, 40s, step);
    receiver.turn();
    go_on(receiver, 40s, 60s, step);
    const auto flows = receiver.flows();
    EXPECT_GE(find(flows, 1).estimated, 18u);
    EXPECT_NEAR(find(flows, 1).mean_ns, 100'000 - static_cast<double>(to_ns(step)), 1);
  }
}

TEST(Interpolation, AClockHereThatIsSetIsFollowed) {
  for (const Duration step : {Duration{100s}, Duration{-5s}, Duration{-15s}, Duration{-100s}}) {
    SCOPED_TRACE(to_ns(step));
    UserReceiver receiver{one_byte_a_ns};
    go_on(receiver, 0s, 20s);
    go_on(receiver, 20s + step, 40s + step, -step);
    receiver.turn();
    go_on(receiver, 40s + step, 60s + step, -step);
    const auto flows = receiver.flows();
    EXPECT_GE(find(flows, 1).estimated, 18u);
    EXPECT_NEAR(find(flows, 1).mean_ns, 100'000 + static_cast<double>(to_ns(step)), 1);
  }
}

// The sums of one interval count from one base.
TEST(Interpolation, AClockThatIsSetLeavesTheIntervalItself) {
  UserReceiver receiver{one_byte_a_ns};
  go_on(receiver, 0s, 20s);
  go_on(receiver, 20s, 40s, 100s);
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).estimated, 19u + 8u);
  EXPECT_NEAR(find(flows, 1).mean_ns, 100'000, 1);
}

TEST(Interpolation, AStrangerDoesNotDecideForever) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(99, 7, timestamp_from_ns(12345), at(-1s));
  go_on(receiver, 0s, 20s);
  receiver.turn();
  go_on(receiver, 20s, 40s);
  const auto flows = receiver.flows();
  EXPECT_GE(find(flows, 1).estimated, 18u);
  EXPECT_NEAR(find(flows, 1).mean_ns, 100'000, 1);
  // While the sender sends, nobody takes its place.
  const auto used = receiver.counters().references;
  receiver.reference(99, 8, at(40s - 100us), at(40s - 1us));
  EXPECT_EQ(receiver.counters().references, used);
}

TEST(Interpolation, ASenderThatWasNamedIsNotReplaced) {
  UserReceiver receiver{{.capacity_bytes_a_second = 1e9, .line = {}, .sender = 1}};
  go_on(receiver, 0s, 5s);
  const auto used = receiver.counters().references;
  go_on(receiver, 30s, 40s, 0s, 2);
  EXPECT_EQ(receiver.counters().references, used);
  EXPECT_EQ(receiver.counters().references_of_others, 10u);
}

TEST(Interpolation, AGapThatIsForgottenMeansTheOneBeforeAlone) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0, at(-100us), at(0us));
  receiver.packets(flow_key(1), at(50us), 48, 3);
  for (std::uint32_t i = 1; i <= RP_GAPS; ++i)
    receiver.reference(1, i, at(i * 100us - 140us), at(i * 100us));
  receiver.packets(flow_key(1), at((RP_GAPS + 1) * 100us), 48);
  const auto flows = receiver.flows();
  EXPECT_EQ(find(flows, 1).estimated, 3u);
  EXPECT_EQ(find(flows, 1).left_only, 3u);
  EXPECT_DOUBLE_EQ(find(flows, 1).mean_ns, 100'000);
}

TEST(Interpolation, ReferencesAreAcceptedAsByTheReceiverWithABuffer) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0xffff'fffe, at(-100us), at(0us));
  receiver.reference(2, 7, at(9us), at(10us));  // of somebody else
  receiver.packets(flow_key(1), at(20us), 48);
  receiver.reference(1, 2, at(30us), at(40us));  // 0xffffffff, 0 and 1 are missing
  receiver.packets(flow_key(1), at(50us), 48);
  receiver.reference(1, 1, at(-840us), at(60us));  // sent long before
  receiver.reference(1, 2, at(30us), at(70us));    // a copy
  receiver.reference(1, 3, at(70us), at(80us));
  receiver.packets(flow_key(1), at(85us), 48);
  receiver.reference(1, 0, at(80us), at(90us));           // the sender began anew
  receiver.reference(1, 1, at(100us - 100s), at(100us));  // sent before
  receiver.reference(1, 1, at(100s), at(101us));          // its clock was set
  const rp_counters& seen = receiver.counters();
  EXPECT_EQ(seen.references_of_others, 1u);
  EXPECT_EQ(seen.references_lost, 3u);
  EXPECT_EQ(seen.references_reordered, 3u);
  EXPECT_EQ(seen.references_off, 1u);
  EXPECT_EQ(seen.references, 4u);
  EXPECT_NEAR(find(receiver.flows(), 1).mean_ns, (55'000 + 10'000 + 10'000) / 3.0, 1);
}

TEST(Interpolation, ALongerReferencePacketIsReckonedWith) {
  UserReceiver receiver{one_byte_a_ns};
  receiver.reference(1, 0, at(-1000ns), at(0us), 68);  // 20 bytes longer
  receiver.packets(flow_key(1), at(1us), 48);
  receiver.reference(1, 1, at(1000ns), at(2us), 68);
  EXPECT_DOUBLE_EQ(find(receiver.flows(), 1).mean_ns, 980);
}

/// The corners that the header's analysis names, at once: a minute off, a steep gap, long packets.
TEST(Interpolation, HoldsWhatTheAnalysisSays) {
  auto options = one_byte_a_ns;
  options.capacity_bytes_a_second = 1e6;  // 1 us a byte
  UserReceiver receiver{options};
  receiver.reference(1, 0, at(0s), at(1s));
  receiver.reference(1, 1, at(1s), at(17s));  // 15 s off the first
  receiver.packets(flow_key(2), at(17s + 500ns), 48, 60'000);
  receiver.reference(1, 2, at(2s), at(17s + 1us));  // a second less within 1 us
  receiver.packets(flow_key(1), at(17s + 1us), 48, 1000);
  receiver.packets(flow_key(1), at(18s), 1048, 1000);  // 1 ms longer
  receiver.packets(flow_key(1), at(19s), 1048, 1000);
  receiver.reference(1, 3, at(4s), at(19s + 100ms));
  const auto flows = receiver.flows();
  EXPECT_NEAR(find(flows, 2).mean_ns, 15.5000005e9, 2);
  EXPECT_NEAR(find(flows, 2).deviation_ns, 0, 2);
  const double first = 15.000001e9, slope = 0.099999e9 / 2.099999e9;
  const double second = first + slope * 0.999999e9 + 1e6, third = first + slope * 1.999999e9 + 1e6;
  const double mean = (first + second + third) / 3;
  EXPECT_NEAR(find(flows, 1).mean_ns, mean, 2);
  EXPECT_NEAR(
      find(flows, 1).deviation_ns,
      std::sqrt(
          (std::pow(first - mean, 2) + std::pow(second - mean, 2) + std::pow(third - mean, 2)) / 3),
      2);
}

/// A second of backbone traffic at 97 % load, through both.
struct Trace {
  BackboneTrace traffic = backbone_traffic(
      {.model = BackboneModel::sanj(), .seconds = 1, .seed = 1, .cut_at_edges = true});
  double drain = traffic.drain_rate(0.97, 1);
};
const Trace& trace() {
  static const Trace one;
  return one;
}

void expect_equal_to_the_receiver_with_a_buffer(Injection scheme, double capacity) {
  const RliPath path =
      inject(trace().traffic.packets, RedQueue{{.bytes_per_second = trace().drain}, 1},
             ReferenceGenerator{{.scheme = scheme, .capacity_bytes_a_second = trace().drain}});
  const RliReceiver buffered =
      receive(trace().traffic.packets, path,
              {.capacity_bytes_a_second = capacity, .flow_memory_bytes = 64 << 20, .sender = {}});
  UserReceiver unbuffered{{.capacity_bytes_a_second = capacity, .line = {}, .sender = {}}};
  auto reference = path.references.begin();
  const auto& packets = trace().traffic.packets;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    for (; reference != path.references.end() && reference->before <= i; ++reference)
      if (reference->received_ns != lost_packet)
        unbuffered.reference(1, static_cast<std::uint32_t>(reference - path.references.begin()),
                             timestamp_from_ns(reference->sent_ns),
                             timestamp_from_ns(reference->received_ns));
    if (path.arrivals[i] != lost_packet)
      unbuffered.packets(lab_flow_key(packets[i].flow), timestamp_from_ns(path.arrivals[i]),
                         packets[i].bytes);
  }
  std::map<FlowKey, ReferenceFlow> ours;
  for (const ReferenceFlow& flow : unbuffered.flows()) ours[flow.key] = flow;
  ASSERT_EQ(ours.size(), buffered.flows().size());
  EXPECT_GT(ours.size(), 10'000u);
  EXPECT_EQ(unbuffered.counters().references, buffered.counters().references);
  EXPECT_EQ(unbuffered.counters().references_lost, buffered.counters().references_lost);
  double farthest = 0, widest = 0;
  for (const auto& entry : buffered.flows()) {
    const ReferenceFlow& flow = ours[entry.key];
    ASSERT_EQ(flow.packets, entry.value.packets);
    ASSERT_EQ(flow.estimated, entry.value.delays.count());
    ASSERT_EQ(flow.left_only, 0u);
    if (flow.estimated == 0) continue;
    farthest = std::max(farthest, std::abs(flow.mean_ns - entry.value.delays.mean_ns()));
    widest = std::max(widest, std::abs(flow.deviation_ns - entry.value.delays.deviation_ns()));
  }
  EXPECT_LT(farthest, 2) << "ns, of a mean";
  EXPECT_LT(widest, 2) << "ns, of a deviation";
}

TEST(Interpolation, EqualsTheReceiverWithABufferOneIn300) {
  expect_equal_to_the_receiver_with_a_buffer(Injection::every_n, trace().drain);
}
TEST(Interpolation, EqualsTheReceiverWithABufferAdaptive) {
  expect_equal_to_the_receiver_with_a_buffer(Injection::adaptive, trace().drain);
}
TEST(Interpolation, EqualsTheReceiverWithABufferEveryTau) {
  expect_equal_to_the_receiver_with_a_buffer(Injection::every_tau, 0);
}

}  // namespace
}  // namespace sojourn
