// How a match becomes a sample: who asked whom, and which leg the delay covers.

#include "pipeline/rtt_shard.h"

#include <gtest/gtest.h>

#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

/// The response travels from 198.51.100.2:443 to 192.0.2.1:40000.
Sample described(Leg leg, unsigned flags, std::initializer_list<std::string_view> inside = {}) {
  const Bytes ip = ipv4(Ends{}.swapped(), IpProtocol::tcp, {});
  Summary packet;
  packet.ip = ip.data();
  packet.source_port = 443;
  packet.destination_port = 40000;
  packet.vlan = 12;
  const PairEvent response{.key = 1,
                           .time = timestamp_from_ns(70),
                           .summary = 0,
                           .flow = {},
                           .kind = Kind::tcp,
                           .leg = leg,
                           .is_request = false,
                           .flags = static_cast<std::uint8_t>(flags)};
  std::vector<Prefix> prefixes;
  for (const auto text : inside) prefixes.push_back(*Prefix::parse(text));
  return describe(response, {.delay = Duration{30}, .weight = 2.5}, packet, prefixes);
}

TEST(Describe, TheReceiverOfTheResponseAsked) {
  const Sample sample = described(Leg::server, 0);
  EXPECT_EQ(sample.requester.to_string(), "192.0.2.1");
  EXPECT_EQ(sample.requester_port, 40000);
  EXPECT_EQ(sample.responder.to_string(), "198.51.100.2");
  EXPECT_EQ(sample.responder_port, 443);
  EXPECT_EQ(sample.server_port(), 443);
  EXPECT_EQ(sample.time, timestamp_from_ns(70));
  EXPECT_EQ(sample.delay, Duration{30});
  EXPECT_EQ(sample.weight, 2.5);
  EXPECT_EQ(sample.leg, Leg::server);
  EXPECT_EQ(sample.vlan, 12);
}

TEST(Describe, ClosingASpanOfItsOwnTheSenderAsked) {
  const Sample sample = described(Leg::sum, sent_by_requester | requester_is_server);
  EXPECT_EQ(sample.requester.to_string(), "198.51.100.2");
  EXPECT_EQ(sample.requester_port, 443);
  EXPECT_EQ(sample.responder_port, 40000);
  EXPECT_EQ(sample.server_port(), 443);
  EXPECT_EQ(sample.leg, Leg::sum);
}

TEST(Describe, RequestThatLeavesTheInsideIsExternal) {
  EXPECT_EQ(described(Leg::server, 0, {"192.0.2.0/24"}).leg, Leg::external);
  EXPECT_EQ(described(Leg::client, requester_is_server, {"192.0.2.0/24"}).leg, Leg::external);
  EXPECT_EQ(described(Leg::server, 0, {"10.0.0.0/8", "192.0.2.1"}).leg, Leg::external);
}

TEST(Describe, AllOtherRequestsAreInternal) {
  EXPECT_EQ(described(Leg::server, 0, {"198.51.100.0/24"}).leg, Leg::internal);
  EXPECT_EQ(described(Leg::server, 0, {"192.0.2.0/24", "198.51.100.0/24"}).leg, Leg::internal);
  EXPECT_EQ(described(Leg::server, 0, {"10.0.0.0/8"}).leg, Leg::internal);
  EXPECT_EQ(described(Leg::server, 0, {"2001:db8::/32"}).leg, Leg::internal);
}

TEST(Describe, WholeSpansStayWhole) {
  EXPECT_EQ(described(Leg::sum, sent_by_requester, {"192.0.2.0/24"}).leg, Leg::sum);
}

}  // namespace
}  // namespace sojourn
