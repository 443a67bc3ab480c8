#include "oneway/marking/marking_flows.h"

#include <gtest/gtest.h>

#include "oneway/test_point.h"

namespace sojourn {
namespace {

using namespace test;

const MarkingCarrier dscp = *MarkingCarrier::parse("dscp");

struct Held {
  Bytes bytes;
  IpPacket packet;
  explicit Held(Bytes ip) : bytes(std::move(ip)), packet(at_point(bytes)) {}
};

std::uint32_t flow_of(const MarkingFlows& flows, const Bytes& ip) {
  const Held held{ip};
  std::uint32_t number = 0;
  flows.classify({&held.packet, 1}, {&number, 1});
  return number;
}

MarkingFlows flows_of(std::initializer_list<const char*> texts,
                      const MarkingCarrier& carrier = dscp) {
  std::vector<MarkingFilter> filters;
  for (const char* text : texts) filters.push_back(*MarkingFilter::parse(text));
  return *MarkingFlows::make(filters, carrier, 7);
}

TEST(MarkingFilter, IsUnderstoodAndWrittenAlike) {
  for (const std::string text :
       {"any", "source=10.0.0.0/8", "destination=2001:db8::/32,protocol=udp",
        "source=192.0.2.1/32,destination=198.51.100.2/"
        "32,source-port=40000,destination-port=443,protocol=tcp",
        "protocol=icmp", "protocol=icmpv6", "protocol=47", "flow-id=74565"})
    EXPECT_EQ(MarkingFilter::parse(text)->text(), text);
  EXPECT_EQ(MarkingFilter::parse("protocol=1")->text(), "protocol=icmp");
  EXPECT_EQ(MarkingFilter::parse("source-port=1e3")->source_port, 1'000u);
  EXPECT_EQ(MarkingFilter::parse("flow-id=0x12345")->flow_id, 74565u);
  for (const auto* text :
       {"", "udp", "source=10.0.0.0/33", "port=5", "source-port=65536", "flow-id=0x100000",
        "source=10.0.0.0/8,destination=::/0", "protocol=tcp,protocol=udp", "any,protocol=tcp",
        "protocol=256", "source-port=0x50", "protocol=tcp,", ",protocol=tcp",
        "protocol=tcp,,flow-id=1"})
    EXPECT_FALSE(MarkingFilter::parse(text)) << text;
}

TEST(MarkingFlows, MostBitsWin) {
  const MarkingFlows flows =
      flows_of({"any", "source=192.0.0.0/8", "source=192.0.2.0/24,protocol=tcp",
                "source=192.0.2.1/32,destination=198.51.100.2/"
                "32,source-port=40000,destination-port=443,protocol=tcp",
                "destination=2001:db8::/32", "protocol=udp"});
  EXPECT_EQ(flow_of(flows, ipv4({}, IpProtocol::tcp, tcp({}))), 3u);
  EXPECT_EQ(flow_of(flows, ipv4({}, IpProtocol::tcp, tcp({.source_port = 1}))), 2u);
  EXPECT_EQ(flow_of(flows, ipv4({}, IpProtocol::icmp, echo(8, 1, 1))), 1u);
  EXPECT_EQ(flow_of(flows, ipv4({.source = 0x01020304}, IpProtocol::icmp, echo(8, 1, 1))), 0u);
  EXPECT_EQ(flow_of(flows, ipv4({.source = 0x01020304}, IpProtocol::udp, udp(1, 2, zeros(4)))), 5u);
  EXPECT_EQ(flow_of(flows, ipv6({}, IpProtocol::tcp, tcp({}))), 4u);
}

TEST(MarkingFlows, WhatNoFilterWantsIsNoFlow) {
  const MarkingFlows flows = flows_of({"source=10.0.0.0/8", "destination=2001:db9::/32"});
  EXPECT_EQ(flow_of(flows, ipv4({}, IpProtocol::tcp, tcp({}))), MarkingFlows::no_flow);
  EXPECT_EQ(flow_of(flows, ipv6({}, IpProtocol::tcp, tcp({}))), MarkingFlows::no_flow);
}

TEST(MarkingFlows, FlowIdentifiersAreReadFromTheOption) {
  const auto option = *MarkingCarrier::parse("hop-by-hop");
  const MarkingFlows flows = flows_of({"flow-id=5", "flow-id=6"}, option);
  const Bytes plain = ipv6({}, IpProtocol::udp, udp(1, 2, zeros(8)));
  Bytes marked(plain.size() + alt_mark_growth);
  option.with_flow_id(6).insert(plain, 1, marked);
  EXPECT_EQ(flow_of(flows, marked), 1u);
  EXPECT_EQ(flow_of(flows, plain), MarkingFlows::no_flow);
  EXPECT_FALSE(MarkingFlows::make(std::vector{*MarkingFilter::parse("flow-id=5")}, dscp, 7));
}

TEST(MarkingFlows, ManyFlowsKeepTheirNumbers) {
  std::vector<MarkingFilter> filters;
  for (std::uint32_t i = 0; i < 20'000; ++i)
    filters.push_back(MarkingFilter::of(
        Held{ipv4({.source = 0x0a000000 + i}, IpProtocol::udp, udp(9, 9, {}))}.packet.key()));
  const MarkingFlows flows = *MarkingFlows::make(filters, dscp, 7);
  for (std::uint32_t i = 0; i < 20'000; i += 37)
    ASSERT_EQ(flow_of(flows, ipv4({.source = 0x0a000000 + i}, IpProtocol::udp, udp(9, 9, {}))), i);
  EXPECT_EQ(flow_of(flows, ipv4({.source = 0x0a000000 + 20'000}, IpProtocol::udp, udp(9, 9, {}))),
            MarkingFlows::no_flow);
}

TEST(MarkingFlows, TooManyShapesAreRefused) {
  std::vector<MarkingFilter> filters;
  for (int length = 8; length <= 24; ++length)
    filters.push_back(*MarkingFilter::parse("source=10.0.0.0/" + std::to_string(length)));
  EXPECT_FALSE(MarkingFlows::make(filters, dscp, 7));
}

}  // namespace
}  // namespace sojourn
