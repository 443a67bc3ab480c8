#include "estimate/grouping.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "estimate/groups.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Sample sample() {
  Sample sample;
  sample.requester = *IpAddress::parse("192.0.2.77");
  sample.responder = *IpAddress::parse("198.51.100.9");
  sample.requester_port = 40'000;
  sample.responder_port = 443;
  return sample;
}

std::string group_of(const Sample& sample, std::string_view by) {
  const auto grouping = Grouping::parse(by);
  if (!grouping) return grouping.error().message;
  return grouping->label(grouping->key_of(sample));
}

TEST(Grouping, NamesWhatASampleBelongsTo) {
  EXPECT_EQ(group_of(sample(), "flow"), "192.0.2.77:40000 > 198.51.100.9:443");
  EXPECT_EQ(group_of(sample(), "host"), "198.51.100.9");
  EXPECT_EQ(group_of(sample(), "requester"), "192.0.2.77");
  EXPECT_EQ(group_of(sample(), "prefix/24"), "198.51.100.0/24");
  EXPECT_EQ(group_of(sample(), "prefix/0"), "0.0.0.0/0");
  EXPECT_EQ(group_of(sample(), "port"), "port 443");
  EXPECT_EQ(group_of(sample(), "vlan"), "no vlan");

  Sample six = sample();
  six.responder = *IpAddress::parse("2001:db8:1:2::9");
  six.vlan = 12;
  EXPECT_EQ(group_of(six, "flow"), "192.0.2.77:40000 > [2001:db8:1:2::9]:443");
  EXPECT_EQ(group_of(six, "prefix/24"), "2001:db8:1::/48");
  EXPECT_EQ(group_of(six, "prefix/24/64"), "2001:db8:1:2::/64");
  EXPECT_EQ(group_of(six, "vlan"), "vlan 12");
}

TEST(Grouping, FindsTheServersPortOnEveryLeg) {
  Sample to_client = sample();
  std::swap(to_client.requester_port, to_client.responder_port);
  for (const Leg leg : {Leg::client, Leg::external, Leg::internal}) {
    to_client.leg = leg;
    EXPECT_EQ(group_of(to_client, "port"), "port 443") << name_of(leg);
  }
  Sample to_server = sample();
  for (const Leg leg : {Leg::server, Leg::sum, Leg::external, Leg::internal}) {
    to_server.leg = leg;
    EXPECT_EQ(group_of(to_server, "port"), "port 443") << name_of(leg);
  }
}

TEST(Grouping, RefusesWhatItDoesNotKnow) {
  for (const auto text :
       {"", "colour", "prefix", "prefix/", "prefix/33", "prefix/24/129", "prefix/24/", "prefix/x",
        "prefix/24/48/1", "prefix/-1", "host/24", "flow "})
    EXPECT_TRUE(group_of(sample(), text).starts_with("cannot group by '"))
        << text << ": " << group_of(sample(), text);
}

TEST(Grouping, WhatIsNotAskedForKeepsNothingApart) {
  Sample other = sample();
  other.requester = *IpAddress::parse("192.0.2.78");
  other.requester_port = 40'001;
  other.way = 3;
  for (const auto text : {"host", "prefix/24", "port", "vlan", "dns-name"})
    EXPECT_EQ(Grouping::parse(text)->key_of(sample()), Grouping::parse(text)->key_of(other))
        << text;
  for (const auto text : {"flow", "requester", "host,requester"})
    EXPECT_NE(Grouping::parse(text)->key_of(sample()), Grouping::parse(text)->key_of(other))
        << text;
}

TEST(Grouping, KnowsWhichNeedTheDnsQuestion) {
  for (const auto text : {"dns-name", "dns-type", "dns-code", "port,dns-type"})
    EXPECT_TRUE(Grouping::parse(text)->by_question()) << text;
  for (const auto text : {"host", "interface", "port,vlan"})
    EXPECT_FALSE(Grouping::parse(text)->by_question()) << text;
}

TEST(Grouping, TakesSeveralAtOnceUnlessTheySayTheSame) {
  EXPECT_EQ(group_of(sample(), "prefix/24,port"), "198.51.100.0/24 port 443");
  EXPECT_EQ(group_of(sample(), "port,vlan,host"), "port 443 no vlan 198.51.100.9");
  EXPECT_EQ(group_of(sample(), "requester,host"), "from 192.0.2.77 198.51.100.9");
  EXPECT_EQ(Grouping::parse("prefix/24,port")->name(), "prefix/24/48,port");
  EXPECT_TRUE(Grouping::parse("prefix/24,port")->by(Grouping::By::port));
  EXPECT_FALSE(Grouping::parse("prefix/24,port")->by(Grouping::By::flow));
  EXPECT_EQ(group_of(sample(), "host,prefix/24"),
            "cannot group by 'host' and 'prefix' at once: both say whose delay it is");
  EXPECT_EQ(group_of(sample(), "flow,port"),
            "cannot group by 'flow' and 'port' at once: both say which service");
  for (const auto text : {"port,", ",port", "port,,vlan", "port, vlan", "port,port"})
    EXPECT_TRUE(group_of(sample(), text).starts_with("cannot group by '")) << text;
}

TEST(GroupKey, HashesDifferForDifferentKeys) {
  std::unordered_set<std::uint64_t> hashes;
  GroupKey key;
  key.responder = *IpAddress::parse("10.0.0.0");
  for (std::size_t i = 0; i < 4096; ++i) {
    for (std::size_t bit = 0; bit < 12; ++bit) key.responder.set_bit(20 + bit, (i >> bit) & 1u);
    for (const int port : {0, 53, 443}) {
      key.responder_port = static_cast<std::uint16_t>(port);
      hashes.insert(hash_of(key));
    }
  }
  EXPECT_EQ(hashes.size(), 3 * 4096u);
}

GroupId numbered(std::uint16_t port, Kind kind = Kind::tcp) {
  GroupId id;
  id.key.responder_port = port;
  id.kind = kind;
  return id;
}

TEST(Groups, PutWhatFindsNoRoomIntoOneGroupAndCountIt) {
  Groups groups{3};
  for (std::uint16_t port = 1; port <= 10; ++port)
    for (int i = 0; i < 2; ++i) groups.add(numbered(port), 1ms * port, 1);
  EXPECT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups.overflowed(), 14u);
  std::uint64_t samples = 0;
  for (const auto& entry : groups.entries()) {
    samples += entry.distribution->count();
    if (entry.id.key.other) {
      EXPECT_EQ(entry.distribution->count(), 14u);
      EXPECT_EQ(entry.distribution->min(), 4ms);
    }
  }
  EXPECT_EQ(samples, 20u);
}

TEST(Groups, JoinWithinTheSameBound) {
  Groups left{3}, right{3};
  for (std::uint16_t port = 1; port <= 4; ++port) {
    left.add(numbered(port), 1ms, 1);
    right.add(numbered(static_cast<std::uint16_t>(port + 2)), 1ms, 1);
    right.add(numbered(9, Kind::dns), 1ms, 1);
  }
  left.merge(right);
  std::uint64_t samples = 0;
  std::size_t named = 0;
  for (const auto& entry : left.entries()) {
    samples += entry.distribution->count();
    named += !entry.id.key.other;
  }
  EXPECT_EQ(samples, 12u);
  EXPECT_EQ(named, 3u);
}

TEST(Grouping, NamesTheWayAndTheQuestion) {
  Sample one = sample();
  EXPECT_EQ(group_of(one, "interface"), "no interface");
  EXPECT_EQ(group_of(one, "tunnel"), "no tunnel");
  EXPECT_EQ(group_of(one, "dns-name,dns-type,dns-code"), "no name no type no code");
  one.dns_type = 28;
  one.dns_code = 3;
  EXPECT_EQ(group_of(one, "dns-type"), "AAAA");
  EXPECT_EQ(group_of(one, "dns-code"), "NXDOMAIN");
  EXPECT_EQ(group_of(one, "dns-type,dns-code,host"), "AAAA NXDOMAIN 198.51.100.9");
  one.dns_type = 4711;
  one.dns_code = 12;
  EXPECT_EQ(group_of(one, "dns-type,dns-code"), "TYPE4711 RCODE12");
  EXPECT_EQ(group_of(one, "tunnel,interface"),
            "cannot group by 'tunnel' and 'interface' at once: both say which way it came");

  const auto grouping = Grouping::parse("interface,vlan");
  ASSERT_TRUE(grouping);
  one.way = grouping->ways().number_of("eth0");
  EXPECT_EQ(grouping->label(grouping->key_of(one)), "eth0 no vlan");
  one.way = 255;
  EXPECT_EQ(grouping->label(grouping->key_of(one)), "others no vlan");
}

/// An organisation may change its name: the system's number identifies it.
TEST(Grouping, KnowsASystemByItsNumber) {
  struct OneSystem : Places {
    std::uint32_t system_of(const IpAddress&) override { return 64500; }
    std::string name_of_system(std::uint32_t) const override { return "AS64500 Example Net"; }
    std::uint16_t country_of(const IpAddress&) override { return 0; }
  };
  auto grouping = *Grouping::parse("asn,port");
  grouping.set_places(std::make_shared<OneSystem>());
  const GroupKey key = grouping.key_of(Sample{});
  EXPECT_EQ(grouping.label(key), "AS64500 Example Net no port");
  EXPECT_EQ(grouping.identity(key), "AS64500 no port");
}

TEST(Grouping, KeepsWaysAndQuestionsApart) {
  const auto grouping = *Grouping::parse("tunnel,dns-name,dns-type,dns-code");
  std::unordered_set<std::uint64_t> hashes;
  Sample one = sample();
  for (one.way = 0; one.way < 5; ++one.way)
    for (one.dns_name = 0; one.dns_name < 5; ++one.dns_name)
      for (one.dns_type = 0; one.dns_type < 5; ++one.dns_type)
        for (one.dns_code = 0; one.dns_code < 5; ++one.dns_code)
          hashes.insert(hash_of(grouping.key_of(one)));
  EXPECT_EQ(hashes.size(), 625u);
}

}  // namespace
}  // namespace sojourn
