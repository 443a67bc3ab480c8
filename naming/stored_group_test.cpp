#include "naming/stored_group.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

Sample sample_of(const char* requester, const char* responder) {
  Sample sample;
  sample.requester = *IpAddress::parse(requester);
  sample.responder = *IpAddress::parse(responder);
  sample.requester_port = 50'000;
  sample.responder_port = 443;
  return sample;
}

TEST(StoredGroup, NamesAreReadAgain) {
  const auto flow = group_of_flow(sample_of("192.0.2.1", "198.51.100.2"));
  ASSERT_TRUE(flow);
  for (const auto& [group, name] :
       {std::pair{*Prefix::parse("192.0.2.0/24"), "192.0.2.0/24"},
        std::pair{*Prefix::parse("2001:db8::/48"), "2001:db8::/48"},
        std::pair{*Prefix::parse("100::/64"), "100::/64"},
        std::pair{group_of_port(443), "port 443"}, std::pair{group_of_port(0), "port 0"},
        std::pair{*flow, "192.0.2.1:50000 > 198.51.100.2:443"}}) {
    EXPECT_EQ(group_name(group), name);
    const auto again = parse_group(name);
    ASSERT_TRUE(again) << name;
    EXPECT_EQ(*again, group) << name;
  }
}

TEST(StoredGroup, WhatIsNoNameIsRefused) {
  for (const char* name : {"", "port", "port 65536", "port x", "port 443 ", "1.2.3.4:1 > ",
                           " > 1.2.3.4:1", "1.2.3.4:1 > 5.6.7.8:99999", "1.2.3.4 > ::1", "x"})
    EXPECT_FALSE(parse_group(name)) << name;
}

TEST(StoredGroup, AFlowKnowsItsResponderAndTheServersPort) {
  Sample sample = sample_of("192.0.2.1", "198.51.100.2");
  const StoredGroup to_server{*group_of_flow(sample)};
  EXPECT_EQ(to_server.kind, StoredGroup::Kind::flow);
  EXPECT_EQ(to_server.responder->to_string(), "198.51.100.2/32");
  EXPECT_EQ(to_server.port, 443);
  sample.requester_is_server = true;
  EXPECT_EQ(StoredGroup{*group_of_flow(sample)}.port, 50'000);
  EXPECT_FALSE(group_of_flow(sample_of("2001:db8::1", "2001:db8::2")));
}

TEST(StoredGroup, BelongsToItsPortItsPrefixAndItself) {
  Sample sample = sample_of("192.0.2.1", "198.51.100.2");
  const Prefix flow = *group_of_flow(sample);
  sample.requester_is_server = true;
  for (const char* wanted : {"port 443", "198.51.100.0/24", "198.51.100.2/32", "0.0.0.0/0",
                             "192.0.2.1:50000 > 198.51.100.2:443"})
    EXPECT_TRUE(belongs_to(flow, *parse_group(wanted))) << wanted;
  EXPECT_TRUE(belongs_to(*group_of_flow(sample), flow));
  for (const char* wanted :
       {"port 50000", "192.0.2.0/24", "100::/16", "192.0.2.1:50001 > 198.51.100.2:443"})
    EXPECT_FALSE(belongs_to(flow, *parse_group(wanted))) << wanted;
  EXPECT_TRUE(belongs_to(*Prefix::parse("192.0.2.0/26"), *Prefix::parse("192.0.2.0/24")));
  EXPECT_FALSE(belongs_to(*Prefix::parse("192.0.2.0/24"), *Prefix::parse("192.0.2.0/26")));
  EXPECT_FALSE(belongs_to(*Prefix::parse("192.0.2.0/24"), group_of_port(443)));
  EXPECT_FALSE(belongs_to(group_of_port(443), *Prefix::parse("0.0.0.0/0")));
}

}  // namespace
}  // namespace sojourn
