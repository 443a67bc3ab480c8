#include "oneway/rli/rli_receiver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// A link of 1 byte/ns; reference packets of 48 bytes.
constexpr RliReceiver::Options link{
    .capacity_bytes_a_second = 1e9, .flow_memory_bytes = 1 << 16, .sender = {}};

void packet(RliReceiver& receiver, std::uint32_t flow, Duration received,
            std::uint32_t bytes = 48) {
  const ObservedPacket one = test_packet(flow, received, 0, bytes);
  receiver.packets({&one, 1});
}
void reference(RliReceiver& receiver, std::uint32_t sequence, Duration received, Duration delay,
               std::uint16_t sender = 1) {
  receiver.reference({sender, sequence, test_time(received) - delay}, test_time(received));
}
const RliFlow& flow_of(const RliReceiver& receiver, std::uint32_t flow) {
  for (const auto& entry : receiver.flows())
    if (entry.key == test_flow_key(flow)) return entry.value;
  ADD_FAILURE() << "no flow " << flow;
  static const RliFlow none;
  return none;
}

TEST(RliReceiver, ReadsTheLineBetweenTwoReferences) {
  RliReceiver receiver{link};
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 25us);
  packet(receiver, 1, 75us, 1048);  // 1000 bytes longer: 1 us more on the line
  packet(receiver, 2, 50us);
  reference(receiver, 1, 100us, 140us);
  EXPECT_EQ(flow_of(receiver, 1).delays.count(), 2u);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), (110'000 + 131'000) / 2.0);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.deviation_ns(), 10'500);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 2).delays.mean_ns(), 120'000);
  EXPECT_EQ(receiver.counters().interpolated, 3u);
  EXPECT_EQ(receiver.aggregate().count(), 3u);
}

TEST(RliReceiver, LeftOnlyNeedsNoBuffer) {
  auto options = link;
  options.estimator = RliEstimator::left_only;
  RliReceiver receiver{options};
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 90us, 148);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), 100'100);
  reference(receiver, 1, 100us, 140us);
  packet(receiver, 1, 110us, 48);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), (100'100 + 140'000) / 2.0);
  EXPECT_EQ(receiver.counters().left_only, 2u);
}

TEST(RliReceiver, WhatHasNoReferenceOnOneSideIsCountedNotGuessed) {
  RliReceiver receiver{link};
  packet(receiver, 1, -5us);
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 50us);
  reference(receiver, 1, 100us, 140us);
  packet(receiver, 1, 150us);
  packet(receiver, 1, 160us);
  receiver.finish();
  EXPECT_EQ(receiver.counters().before_first, 1u);
  EXPECT_EQ(receiver.counters().after_last, 2u);
  EXPECT_EQ(flow_of(receiver, 1).packets, 4u);
  EXPECT_EQ(flow_of(receiver, 1).delays.count(), 1u);
}

TEST(RliReceiver, AFullBufferFallsBackAndLosesNothing) {
  auto options = link;
  options.buffer_packets = 4;
  RliReceiver receiver{options};
  reference(receiver, 0, 0us, 100us);
  for (int i = 1; i <= 6; ++i) packet(receiver, 1, i * 10us);
  reference(receiver, 1, 100us, 140us);
  EXPECT_EQ(receiver.counters().left_only, 4u);
  EXPECT_EQ(receiver.counters().interpolated, 2u);
  EXPECT_EQ(flow_of(receiver, 1).delays.count(), 6u);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), (4 * 100'000 + 120'000 + 124'000) / 6.0);
}

TEST(RliReceiver, LostReferencesAreCountedAndTheLineGoesOn) {
  RliReceiver receiver{link};
  reference(receiver, 0xffff'fffe, 0us, 100us);
  packet(receiver, 1, 50us);
  reference(receiver, 2, 100us, 140us);  // 0xffffffff, 0 and 1 are missing
  EXPECT_EQ(receiver.counters().references_lost, 3u);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), 120'000);
}

TEST(RliReceiver, AnOvertakenOrRepeatedReferenceIsLeftOut) {
  RliReceiver receiver{link};
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 20us);
  reference(receiver, 2, 40us, 10us);  // sent at 30
  packet(receiver, 1, 50us);
  reference(receiver, 1, 60us, 900us);  // sent long before
  reference(receiver, 2, 70us, 40us);   // sent at 30 again: a copy
  reference(receiver, 3, 80us, 10us);
  packet(receiver, 1, 85us);
  reference(receiver, 0, 90us, 10us);  // the sender began anew: no losses from that
  EXPECT_EQ(receiver.counters().references_reordered, 2u);
  EXPECT_EQ(receiver.counters().references, 4u);
  EXPECT_EQ(receiver.counters().references_lost, 1u);  // number 1 was missing when 2 came
  EXPECT_EQ(receiver.counters().interpolated, 3u);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), (55'000 + 10'000 + 10'000) / 3.0);
}

TEST(RliReceiver, HearsOneSenderOnly) {
  RliReceiver receiver{link};
  reference(receiver, 0, 0us, 100us, 7);
  packet(receiver, 1, 50us);
  reference(receiver, 0, 60us, 1us, 8);
  reference(receiver, 1, 100us, 100us, 7);
  EXPECT_EQ(receiver.counters().other_senders, 1u);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), 100'000);
}

TEST(RliReceiver, FlowsWithoutRoomStayInTheAggregate) {
  auto options = link;
  options.flow_memory_bytes = 1;  // one flow
  RliReceiver receiver{options};
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 10us);
  packet(receiver, 2, 20us);
  reference(receiver, 1, 100us, 100us);
  EXPECT_EQ(receiver.flows().size(), 1u);
  EXPECT_EQ(receiver.counters().not_tracked, 1u);
  EXPECT_EQ(receiver.aggregate().count(), 2u);
}

/// Reference, idle, a packet into the empty queue: its delay is the line's alone, whatever the
/// references say.
TEST(RliReceiver, QueueAwareKnowsWhoMetAnIdleLink) {
  auto options = link;
  options.estimator = RliEstimator::queue_aware;
  RliReceiver receiver{options};
  reference(receiver, 0, 0us, 48ns);
  reference(receiver, 1, 100us, 48ns);  // met an idle link: 48 ns is the empty queue's delay
  packet(receiver, 1, 200us, 1000);     // met an idle link: 1000 ns on the line
  packet(receiver, 2, 201us, 1000);     // back to back
  reference(receiver, 2, 201us + 48ns, 2048ns);  // back to back, behind two
  EXPECT_DOUBLE_EQ(flow_of(receiver, 1).delays.mean_ns(), 1000);
  EXPECT_DOUBLE_EQ(flow_of(receiver, 2).delays.mean_ns(), 2000);  // waited for the first
  RliReceiver plain{link};
  reference(plain, 0, 0us, 48ns);
  reference(plain, 1, 100us, 48ns);
  packet(plain, 1, 200us, 1000);
  packet(plain, 2, 201us, 1000);
  reference(plain, 2, 201us + 48ns, 2048ns);
  EXPECT_GT(flow_of(plain, 1).delays.mean_ns(), 2'900);  // the truth is 1000
}

}  // namespace
}  // namespace sojourn
