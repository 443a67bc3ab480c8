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
  reference(receiver, 0, 90us, 10us);  // the sender restarted: that is no loss
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

/// Reference, idle, a packet into the empty queue: its delay is only the transmission time,
/// whatever the references say.
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

TEST(LineBytes, AreThoseOfEthernet) {
  EXPECT_EQ(LineBytes::ethernet().of(1500), 1538u);
  EXPECT_EQ(LineBytes::ethernet().of(46), 84u);
  EXPECT_EQ(LineBytes::ethernet().of(40), 84u) << "filled up to the smallest frame";
  EXPECT_EQ(LineBytes{}.of(40), 40u);
}

TEST(SpareBytes, LessenAnOverheadThatPacketsContradict) {
  SpareBytes spare;
  for (int i = 0; i < 63; ++i) spare.add(0);
  EXPECT_EQ(spare.overhead(38), 38u) << "too few to tell";
  spare.add(0);
  EXPECT_EQ(spare.overhead(38), 0u);
  for (int i = 0; i < 400; ++i) spare.add(38);
  EXPECT_EQ(spare.overhead(38), 38u) << "a few that come closer are jitter";
  EXPECT_FALSE(spare.faster_than_link());
  for (int i = 0; i < 1'000; ++i) spare.add(-50);
  EXPECT_TRUE(spare.faster_than_link());
  SpareBytes ppp;
  for (int i = 0; i < 100; ++i) ppp.add(9), ppp.add(500);
  EXPECT_EQ(ppp.overhead(38), 9u);
  EXPECT_EQ(ppp.overhead(9), 9u);
}

TEST(SquaredError, IsThatOfLateOrOfAllTimeWhicheverIsMore) {
  SquaredError error;
  EXPECT_EQ(error.mean(), 0);
  error.add(-2);
  EXPECT_DOUBLE_EQ(error.mean(), 4);
  for (int i = 0; i < 99; ++i) error.add(0);
  EXPECT_EQ(error.count(), 100u);
  EXPECT_NEAR(error.mean(), 0.04, 1e-12) << "of a hundred, one was off by two";
  error.add(4);
  EXPECT_NEAR(error.mean(), 1.0, 0.1) << "a sixteenth of 16";
}

/// Packets of 1000 bytes on Ethernet, 1038 ns each at 1 byte/ns.  In the first half of a busy
/// period they come twice as fast as they leave, then more slowly, until the queue is empty; a
/// reference precedes every tenth.  `hidden_ns`: other packets, which are not in the capture, are
/// sent before every other two periods.
struct Link {
  RliReceiver receiver;
  std::vector<double> truth;  ///< by flow

  Link(RliReceiver::Options options, int periods, int busy, std::int64_t hidden_ns = 0)
      : receiver([&] {
          options.capacity_bytes_a_second = 1e9;
          options.flow_memory_bytes = 1 << 20;
          return options;
        }()) {
    Duration sent{0}, line_free{0};
    std::uint32_t flow = 0, sequence = 0;
    for (int period = 0; period < periods; ++period) {
      sent = std::max(sent, line_free) + 100us;
      line_free = sent + Duration{period / 2 % 2 ? hidden_ns : 0};
      for (int i = 0; i < busy; ++i) {
        if (flow % 10 == 0) {
          line_free = std::max(line_free, sent) + 86ns;
          reference(receiver, sequence++, line_free, line_free - sent);
        }
        line_free = std::max(line_free, sent) + 1038ns;
        packet(receiver, ++flow, line_free, 1000);
        truth.push_back(static_cast<double>(to_ns(line_free - sent)));
        sent += i < busy / 2 ? 519ns : 1557ns;
      }
    }
    receiver.finish();
  }
  double covered() const {
    double inside = 0, all = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const RliFlow& flow = flow_of(receiver, static_cast<std::uint32_t>(i + 1));
      const auto margin = receiver.margin_ns(flow);
      if (!margin) continue;
      ++all;
      EXPECT_GT(*margin, 0);
      inside += std::abs(flow.delays.mean_ns() - truth[i]) <= *margin + 1;
    }
    return all > 0 ? inside / all : 0;
  }
};

RliReceiver::Options queue_aware(LineBytes line) {
  RliReceiver::Options options;
  options.estimator = RliEstimator::queue_aware;
  options.line = line;
  options.line_is_certain = true;
  options.time_resolution = 10ns;
  return options;
}

// Counting IP bytes only, each packet of a busy period seems to come behind a pause of 38 bytes,
// and not to have waited.
TEST(RliReceiver, QueueAwareReckonsWithTheLinksOverhead) {
  const Link right{queue_aware(LineBytes::ethernet()), 40, 25};
  EXPECT_GT(right.covered(), 0.95);
  EXPECT_TRUE(right.receiver.trusts_gaps());
  const Link wrong{queue_aware({}), 40, 25};
  EXPECT_FALSE(wrong.receiver.trusts_gaps()) << "references that seem to have met nobody waited";
  const auto mean_error = [](const Link& one) {
    double sum = 0, count = 0;
    for (const auto& [key, flow] : one.receiver.flows()) {
      if (flow.delays.count() == 0) continue;
      const auto place = static_cast<std::size_t>(count++);
      sum += std::abs(flow.delays.mean_ns() - one.truth[place]);
    }
    return sum / count;
  };
  EXPECT_LT(mean_error(right), 0.8 * mean_error(wrong));
}

TEST(RliReceiver, QueueAwareLessensAnOverheadThatIsTooMuch) {
  auto options = queue_aware({.overhead = 60, .least = 0});
  options.line_is_certain = false;
  const Link guessed{options, 200, 25};
  EXPECT_EQ(guessed.receiver.line().overhead, 38u);
  EXPECT_TRUE(guessed.receiver.line_was_lessened());
  const Link certain{queue_aware({.overhead = 60, .least = 0}), 200, 25};
  EXPECT_EQ(certain.receiver.line().overhead, 60u);
  EXPECT_FALSE(certain.receiver.line_was_lessened());
}

TEST(RliReceiver, QueueAwareNoticesTrafficThatIsNotInTheCapture) {
  const Link alone{queue_aware(LineBytes::ethernet()), 200, 5, 0};
  EXPECT_TRUE(alone.receiver.trusts_gaps());
  EXPECT_EQ(alone.receiver.counters().waited_behind_gaps, 0u);
  EXPECT_GT(alone.receiver.counters().references_behind_gaps, 50u);
  const Link shared{queue_aware(LineBytes::ethernet()), 200, 5, 20'000};
  EXPECT_FALSE(shared.receiver.trusts_gaps());
  EXPECT_GT(shared.receiver.counters().waited_behind_gaps, 50u);
}

TEST(RliReceiver, MarginsAreNeverNothingAndUnknownAtFirst) {
  RliReceiver receiver{link};
  reference(receiver, 0, 0us, 100us);
  packet(receiver, 1, 50us);
  reference(receiver, 1, 100us, 100us);
  EXPECT_FALSE(receiver.margin_ns(flow_of(receiver, 1))) << "no reference between two others yet";
  for (std::uint32_t i = 2; i < 6; ++i) reference(receiver, i, i * 100us, 100us);
  EXPECT_EQ(receiver.margin_ns(flow_of(receiver, 1)), 50.0)
      << "delays never change: half of the time stamps' resolution is left";
}

/// Delay that alternates, so that every reference is 2 us off the line of its neighbours.
TEST(RliReceiver, PacketsOfATrainAreOffTogether) {
  const auto margin = [](Duration apart) {
    RliReceiver receiver{link};
    for (std::uint32_t i = 0; i < 40; ++i) reference(receiver, i, i * 100us, i % 2 ? 101us : 99us);
    for (int i = 0; i < 10; ++i) packet(receiver, 1, 3905us + i * apart);
    reference(receiver, 40, 4000us, 99us);
    return *receiver.margin_ns(flow_of(receiver, 1));
  };
  const double single = 1.96 * 2'000 / std::sqrt(3.0);
  EXPECT_NEAR(margin(1ns), single, 0.01 * single) << "ten at once know no more than one";
  EXPECT_LT(margin(9us), 0.8 * single) << "ten over the whole stretch do";
  EXPECT_GT(margin(9us), 0.6 * single);
}

}  // namespace
}  // namespace sojourn
